// SPDX-License-Identifier: BSD-3-Clause
// What lambdacast says of an endpoint that finds no view: who is missing, and what mends it.
#pragma once

#include <string>
#include <string_view>

#include "node/standing_event.h"

namespace lambdacast::appliance {

// A line; nothing once a view goes on, which says so itself.
[[nodiscard]] std::string sentence(std::string_view endpoint, const node::StandingEvent& event);

}  // namespace lambdacast::appliance
