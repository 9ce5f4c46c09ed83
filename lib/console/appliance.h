// SPDX-License-Identifier: BSD-3-Clause
// What the console's commands may do to the program they are typed into. The program implements it;
// the console knows nothing of its applications and drivers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fabric/faults.h"
#include "rate_control/group_limits.h"
#include "rate_control/rate_config.h"

namespace lambdacast::console {

// Endpoints by index. Control thread only.
class Appliance {
 public:
  virtual ~Appliance() = default;

  // These control the built-in traffic.
  virtual void publish(size_t endpoint, bool on) = 0;
  virtual void set_rate_pps(size_t endpoint, uint64_t rate_pps) = 0;  // 0: unlimited

  // Sends text to a group, which is given by its number or by its name.
  virtual base::Result<void> send(size_t endpoint, const std::string& group,
                                  std::string_view text) = 0;
  // Shows messages of the group from now on. The endpoint subscribes to a group without a name; one
  // with a name it has joined before.
  virtual base::Result<void> listen(size_t endpoint, const std::string& group) = 0;
  // These join and leave a group by its name. The outcome is shown when it is known.
  virtual base::Result<void> join(size_t endpoint, const std::string& name) = 0;
  virtual base::Result<void> leave(size_t endpoint, const std::string& name) = 0;
  // These ask for a lock of a group and give it back, or wait for it no longer. The outcome is
  // shown when it is known.
  virtual base::Result<void> acquire(size_t endpoint, const std::string& name,
                                     uint32_t handler) = 0;
  virtual base::Result<void> release(size_t endpoint, const std::string& name,
                                     uint32_t handler) = 0;
  // Calls a group by its name: asks the holder of one of its locks, or without a lock all members
  // that have its state. Answers and the outcome are shown when they are known.
  virtual base::Result<void> call(size_t endpoint, const std::string& name,
                                  std::optional<uint32_t> handler, std::string_view text) = 0;
  virtual void listen_off() = 0;

  // These read and set the faults and the line rate of an endpoint's port on the embedded fabric.
  virtual base::Result<fabric::FaultRates> faults(size_t endpoint) = 0;
  virtual base::Result<void> set_faults(size_t endpoint, const fabric::FaultRates& rates) = 0;
  virtual base::Result<void> set_line_rate_bps(size_t endpoint, uint64_t rate_bps) = 0;

  // These set what an endpoint may send: need, limit and capacity, and the limit of one group.
  virtual void set_rates(size_t endpoint, const rate_control::RateConfig& rates) = 0;
  virtual base::Result<void> set_group_rate(size_t endpoint,
                                            const rate_control::GroupRate& rate) = 0;
};

}  // namespace lambdacast::console
