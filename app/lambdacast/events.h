// What lambdacast says of reliable multicast while it happens: a receiver cut off, by whom and why,
// and what was declared lost here.
#pragma once

#include <string>

#include "dataplane/rack.h"

namespace lambdacast::app {

// A line for each receiver cut off or restarted since, and for each peer and reason of loss. One
// control thread.
[[nodiscard]] std::string take_events(dataplane::Rack& rack);

}  // namespace lambdacast::app
