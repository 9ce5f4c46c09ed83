// SPDX-License-Identifier: BSD-3-Clause
#include "console/live_config.h"

#include <algorithm>

namespace lambdacast::console {

// A file has one rate for all wavelengths: that of one endpoint alone is no setting of it.
base::Result<void> LiveConfig::set_line_rate_bps(size_t endpoint, uint64_t rate_bps) {
  auto set = appliance_.set_line_rate_bps(endpoint, rate_bps);
  if (!set || !config_.fabric) return set;
  line_rates_[endpoint] = rate_bps;
  bool all = true;
  for (size_t i = 0; i < config_.endpoints.size(); ++i)
    all = all && (!config_.endpoints[i].wavelength || line_rates_[i] == rate_bps);
  if (all) config_.fabric->line_rate_bps = rate_bps;
  return set;
}

}  // namespace lambdacast::console
