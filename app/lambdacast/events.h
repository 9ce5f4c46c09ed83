// What lambdacast says of reliable multicast while it happens: a receiver cut off, by whom and why,
// and what was declared lost here.
#pragma once

#include <string>
#include <vector>

#include "dataplane/rack.h"
#include "traffic.h"

namespace lambdacast::app {

// A line for each receiver cut off or restarted since, and for each peer and reason of loss. One
// control thread.
// `applications`: of the rack's endpoints, in their order.
[[nodiscard]] std::string take_events(dataplane::Rack& rack,
                                      const std::vector<Traffic*>& applications);

}  // namespace lambdacast::app
