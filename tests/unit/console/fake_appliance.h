// SPDX-License-Identifier: BSD-3-Clause
// An appliance that writes down what is done to it, and a configuration of two endpoints for it.
#pragma once

#include <string>
#include <vector>

#include "../dpdk/support.h"
#include "console/appliance.h"

namespace lambdacast::console::test {

class FakeAppliance final : public Appliance {
 public:
  void publish(size_t endpoint, bool on) override {
    log((on ? "start " : "stop ") + std::to_string(endpoint));
  }
  void set_rate_pps(size_t endpoint, uint64_t rate_pps) override {
    log("rate " + std::to_string(endpoint) + " " + std::to_string(rate_pps));
  }
  base::Result<void> send(size_t endpoint, const std::string& group,
                          std::string_view text) override {
    log("send " + std::to_string(endpoint) + " " + group + " " + std::string(text));
    return outcome();
  }
  base::Result<void> listen(size_t endpoint, const std::string& group) override {
    log("listen " + std::to_string(endpoint) + " " + group);
    return outcome();
  }
  base::Result<void> join(size_t endpoint, const std::string& name) override {
    log("join " + std::to_string(endpoint) + " " + name);
    return outcome();
  }
  base::Result<void> leave(size_t endpoint, const std::string& name) override {
    log("leave " + std::to_string(endpoint) + " " + name);
    return outcome();
  }
  base::Result<void> acquire(size_t endpoint, const std::string& name, uint32_t handler) override {
    log("acquire " + std::to_string(endpoint) + " " + name + " " + std::to_string(handler));
    return outcome();
  }
  base::Result<void> release(size_t endpoint, const std::string& name, uint32_t handler) override {
    log("release " + std::to_string(endpoint) + " " + name + " " + std::to_string(handler));
    return outcome();
  }
  base::Result<void> call(size_t endpoint, const std::string& name, std::optional<uint32_t> handler,
                          std::string_view text) override {
    log("call " + std::to_string(endpoint) + " " + name + " " +
        (handler ? std::to_string(*handler) : "all") + " " + std::string(text));
    return outcome();
  }
  void listen_off() override { log("off"); }
  base::Result<fabric::FaultRates> faults(size_t) override { return rates; }
  base::Result<void> set_faults(size_t endpoint, const fabric::FaultRates& to) override {
    log("faults " + std::to_string(endpoint));
    rates = to;
    return outcome();
  }
  base::Result<void> set_line_rate_bps(size_t endpoint, uint64_t rate_bps) override {
    log("line " + std::to_string(endpoint) + " " + std::to_string(rate_bps));
    return outcome();
  }

  void set_rates(size_t endpoint, const rate_control::RateConfig& to) override {
    log("rates " + std::to_string(endpoint) + " need " + std::to_string(to.need_bps) + " limit " +
        std::to_string(to.limit_bps) + " capacity " + std::to_string(to.capacity_bps));
  }
  base::Result<void> set_group_rate(size_t endpoint, const rate_control::GroupRate& to) override {
    log("group " + std::to_string(endpoint) + " " + std::to_string(to.group) + " " +
        std::to_string(to.limit_bps));
    return outcome();
  }

  // What has been done since the last call.
  [[nodiscard]] std::string done() { return std::exchange(done_, {}); }

  fabric::FaultRates rates;
  std::string refusal;  // the answer to everything, if not empty

 private:
  void log(const std::string& what) { done_ += what + "; "; }
  [[nodiscard]] base::Result<void> outcome() const {
    if (refusal.empty()) return {};
    return base::fail(refusal);
  }
  std::string done_;
};

}  // namespace lambdacast::console::test
