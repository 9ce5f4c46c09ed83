// SPDX-License-Identifier: BSD-3-Clause
// What lambdacast says of an endpoint whose version of the protocol it does not know.
#pragma once

#include <string>
#include <string_view>

#include "node/version_watch.h"

namespace lambdacast::appliance {

// A line.
[[nodiscard]] std::string sentence(std::string_view endpoint, const node::VersionEvent& event);

}  // namespace lambdacast::appliance
