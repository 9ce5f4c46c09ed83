// SPDX-License-Identifier: BSD-3-Clause
// The console's hands in this program: its built-in applications, and the ports' faults.
#pragma once

#include <utility>
#include <vector>

#include "console/appliance.h"
#include "rack/rack.h"
#include "traffic.h"

namespace lambdacast::appliance {

class Control final : public console::Appliance {
 public:
  // All of them outlive it. `applications`: of the rack's endpoints, in their order.
  Control(rack::Rack& rack, std::vector<Traffic*> applications)
      : rack_(rack), applications_(std::move(applications)) {}

  void publish(size_t endpoint, bool on) override { applications_[endpoint]->set_publishing(on); }
  void set_rate_pps(size_t endpoint, uint64_t rate_pps) override;
  base::Result<void> send(size_t endpoint, const std::string& group,
                          std::string_view text) override;
  base::Result<void> listen(size_t endpoint, const std::string& group) override;
  base::Result<void> join(size_t endpoint, const std::string& name) override;
  base::Result<void> leave(size_t endpoint, const std::string& name) override;
  base::Result<void> acquire(size_t endpoint, const std::string& name, uint32_t handler) override;
  base::Result<void> release(size_t endpoint, const std::string& name, uint32_t handler) override;
  base::Result<void> call(size_t endpoint, const std::string& name, std::optional<uint32_t> handler,
                          std::string_view text) override;
  void listen_off() override;
  base::Result<fabric::FaultRates> faults(size_t endpoint) override;
  base::Result<void> set_faults(size_t endpoint, const fabric::FaultRates& rates) override;
  base::Result<void> set_line_rate_bps(size_t endpoint, uint64_t rate_bps) override;
  void set_rates(size_t endpoint, const rate_control::RateConfig& rates) override;
  base::Result<void> set_group_rate(size_t endpoint, const rate_control::GroupRate& rate) override;

  // The messages heard since, a line each.
  [[nodiscard]] std::string heard();

 private:
  [[nodiscard]] const std::string& name(size_t endpoint);
  // The number of a group given by number or by name.
  [[nodiscard]] base::Result<uint32_t> number_of(size_t endpoint, const std::string& group);
  // Calls it with the application, on its lcore; for groups with names.
  template <typename Change>  // group::Result(Traffic&)
  base::Result<void> change(size_t endpoint, const std::string& group, Change&& what);
  [[nodiscard]] base::Result<void> outcome(size_t endpoint, const std::string& group,
                                           group::Result result);
  [[nodiscard]] dpdk::LcoreLoop& loop_of(size_t endpoint);

  rack::Rack& rack_;
  const std::vector<Traffic*> applications_;
  std::vector<std::pair<size_t, uint32_t>> joined_;  // endpoint, group: for listening only
  uint64_t unheard_ = 0;                             // as last told
};

}  // namespace lambdacast::appliance
