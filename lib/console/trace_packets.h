// SPDX-License-Identifier: BSD-3-Clause
// `trace add STAGE N [ENDPOINT]`, `trace show` and `trace stop`: the next packets that come to a
// stage, followed through the stages.
#pragma once

#include <vector>

#include "config/config.h"
#include "console/command.h"
#include "rack/packet_tracer.h"

namespace lambdacast::console {

// Both outlive the commands.
[[nodiscard]] std::vector<Command> trace_packets_commands(rack::PacketTracer& tracer,
                                                          const config::Config& config);

}  // namespace lambdacast::console
