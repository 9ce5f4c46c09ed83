// SPDX-License-Identifier: BSD-3-Clause
// `capture start FILE [ENDPOINT]` and `capture stop`.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "console/command.h"
#include "rack/capture.h"

namespace lambdacast::console {

// All of them outlive the commands.
[[nodiscard]] std::vector<Command> capture_commands(rack::Capture& capture, rack::Rack& rack,
                                                    const config::Config& config);

// What a capture has brought, with its line feed.
[[nodiscard]] std::string report(const rack::CaptureReport& capture);

}  // namespace lambdacast::console
