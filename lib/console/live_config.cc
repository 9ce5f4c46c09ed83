// SPDX-License-Identifier: BSD-3-Clause
#include "console/live_config.h"

#include <algorithm>

namespace lambdacast::console {

// The capacity of an endpoint that has none of its own is the rate at which its port receives.
base::Result<void> LiveConfig::set_faults(size_t endpoint, const fabric::FaultRates& rates) {
  auto set = appliance_.set_faults(endpoint, rates);
  if (!set) return set;
  config::Endpoint& config = config_.endpoints[endpoint];
  const bool other_rate = rates.rx_rate_bps != config.faults.rx_rate_bps ||
                          rates.rx_buffer_bytes != config.faults.rx_buffer_bytes;
  config.faults = rates;
  if (other_rate) appliance_.set_rates(endpoint, config.rate);
  return set;
}

base::Result<void> LiveConfig::set_group_rate(size_t endpoint,
                                              const rate_control::GroupRate& rate) {
  auto set = appliance_.set_group_rate(endpoint, rate);
  if (!set) return set;
  auto& rates = config_.endpoints[endpoint].group_rates;
  std::erase_if(rates, [&](const auto& each) { return each.group == rate.group; });
  if (rate.limit_bps != 0) rates.push_back(rate);
  return set;
}

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
