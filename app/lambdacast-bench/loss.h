// `lambdacast-bench loss`: sends, and accounts for every packet at every receiver.
#pragma once

#include "../command_line.h"
#include "loss_options.h"

namespace lambdacast::app {

// The exit code: kExitOk only if the identity holds.
[[nodiscard]] int run_loss(const CommandLine& line, const LossOptions& options);

}  // namespace lambdacast::app
