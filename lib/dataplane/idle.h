// What an lcore does between two empty polls. `sleep` leaves the core to others, so that more
// lcores than cores still make progress; it costs up to sleep_us of latency.
#pragma once

#include "config/config.h"

namespace lambdacast::dataplane {

void idle(const config::Lcore& policy);

}  // namespace lambdacast::dataplane
