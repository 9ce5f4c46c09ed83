// SPDX-License-Identifier: BSD-3-Clause
// One incarnation of the endpoints of a process: from empty memory to a verdict. EAL runs before
// and after it, so there may be several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../command_line.h"
#include "config/config.h"
#include "links.h"
#include "session.h"

namespace lambdacast::appliance {

struct IncarnationEnd {
  app::ExitCode code = app::kExitOk;
  bool excluded = false;              // from its view; it ended for that if options.rejoin
  std::optional<LostPort> lost_port;  // it ended for that
  std::string gave_way;               // or for another endpoint with an address of its own
};

// `run_for_s`: at most; nothing: until a signal. `incarnation`: greater than that of the
// incarnation before.
[[nodiscard]] IncarnationEnd run_incarnation(const config::Config& config,
                                             const Session::Surroundings& around,
                                             uint32_t incarnation, std::optional<double> run_for_s);

}  // namespace lambdacast::appliance
