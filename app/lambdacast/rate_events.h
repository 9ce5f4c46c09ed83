// SPDX-License-Identifier: BSD-3-Clause
// The sentences in which lambdacast tells of an endpoint's share, and of the other members'.
#pragma once

#include <string>
#include <string_view>

#include "node/rate_event.h"

namespace lambdacast::appliance {

// `peer`: the address of event.peer. Without the end of the line.
[[nodiscard]] std::string sentence(std::string_view endpoint, std::string_view peer,
                                   const node::RateEvent& event);

}  // namespace lambdacast::appliance
