// SPDX-License-Identifier: BSD-3-Clause
// What lambdacast says of peers that found the table of peers full.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "node/place_event.h"

namespace lambdacast::appliance {

// Without the end of the line. `max_peers`: the places that the endpoint has.
[[nodiscard]] std::string sentence(std::string_view endpoint, const node::PlaceEvent& event,
                                   uint32_t max_peers);

}  // namespace lambdacast::appliance
