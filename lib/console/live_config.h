// SPDX-License-Identifier: BSD-3-Clause
// The configuration as it works now: what was loaded, with what commands have set since. It stands
// between the commands and the program, and takes down what the program has done.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "console/appliance.h"

namespace lambdacast::console {

class LiveConfig final : public Appliance {
 public:
  // `appliance` outlives it.
  LiveConfig(Appliance& appliance, const config::Config& loaded)
      : appliance_(appliance), config_(loaded), line_rates_(loaded.endpoints.size()) {}

  [[nodiscard]] const config::Config& config() const { return config_; }

  void publish(size_t endpoint, bool on) override {
    appliance_.publish(endpoint, on);
    config_.endpoints[endpoint].traffic.enabled = on;
  }
  void set_rate_pps(size_t endpoint, uint64_t rate_pps) override {
    appliance_.set_rate_pps(endpoint, rate_pps);
    config_.endpoints[endpoint].traffic.rate_pps = rate_pps;
  }
  base::Result<void> set_faults(size_t endpoint, const fabric::FaultRates& rates) override;
  base::Result<void> set_line_rate_bps(size_t endpoint, uint64_t rate_bps) override;
  void set_rates(size_t endpoint, const rate_control::RateConfig& rates) override {
    appliance_.set_rates(endpoint, rates);
    config_.endpoints[endpoint].rate = rates;
  }
  base::Result<void> set_group_rate(size_t endpoint, const rate_control::GroupRate& rate) override;

  base::Result<fabric::FaultRates> faults(size_t endpoint) override {
    return appliance_.faults(endpoint);
  }
  base::Result<void> send(size_t endpoint, const std::string& group,
                          std::string_view text) override {
    return appliance_.send(endpoint, group, text);
  }
  base::Result<void> listen(size_t endpoint, const std::string& group) override {
    return appliance_.listen(endpoint, group);
  }
  base::Result<void> join(size_t endpoint, const std::string& name) override {
    return appliance_.join(endpoint, name);
  }
  base::Result<void> leave(size_t endpoint, const std::string& name) override {
    return appliance_.leave(endpoint, name);
  }
  base::Result<void> acquire(size_t endpoint, const std::string& name, uint32_t handler) override {
    return appliance_.acquire(endpoint, name, handler);
  }
  base::Result<void> release(size_t endpoint, const std::string& name, uint32_t handler) override {
    return appliance_.release(endpoint, name, handler);
  }
  base::Result<void> call(size_t endpoint, const std::string& name, std::optional<uint32_t> handler,
                          std::string_view text) override {
    return appliance_.call(endpoint, name, handler, text);
  }
  void listen_off() override { appliance_.listen_off(); }

 private:
  Appliance& appliance_;
  config::Config config_;
  std::vector<std::optional<uint64_t>> line_rates_;  // by endpoint; nothing: as loaded
};

}  // namespace lambdacast::console
