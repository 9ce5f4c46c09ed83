// SPDX-License-Identifier: BSD-3-Clause
// What lambdacast says of reliable multicast while it happens: a receiver cut off, by whom and why,
// and what was declared lost here.
#pragma once

#include <string>
#include <vector>

#include "rack/rack.h"
#include "traffic.h"

namespace lambdacast::appliance {

// One that happened.
struct News {
  const char* kind;      // one word: view, group, receiver, place, lost
  std::string endpoint;  // whose
  std::string line;      // with its line feed
};

struct Events {
  std::vector<News> news;   // of each receiver cut off or restarted since, of each view and group's
                            // members, of what keeps an endpoint from a view, of two endpoints with
                            // one address, of places of peers used again, and of each peer and
                            // reason of loss
  uint64_t exclusions = 0;  // of endpoints from their views
  std::string gave_way;     // what is said of an endpoint that left its address to another one
};

// What happened since it was last asked. One control thread.
// `applications`: of the rack's endpoints, in their order.
[[nodiscard]] Events take_events(rack::Rack& rack, const std::vector<Traffic*>& applications);

}  // namespace lambdacast::appliance
