// SPDX-License-Identifier: BSD-3-Clause
// The links of an appliance's ports: says when one goes down, comes up or is gone, and has its
// endpoint report its groups and announce its address again when it is up. Control thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "dpdk/link_watch.h"
#include "rack/rack.h"

namespace lambdacast::appliance {

// A port that is gone, and what its endpoint wants then.
struct LostPort {
  std::string endpoint;
  std::string interface;  // the kernel's; empty: the device was none
  config::PortLoss policy = config::PortLoss::kEnd;

  // False also of a device that is none of the kernel's interfaces: nobody tells that it is back.
  [[nodiscard]] bool may_return() const {
    return policy == config::PortLoss::kWait && !interface.empty();
  }
};

// "node0: the interface lcv0 has gone, and on_port_loss is "end"".
[[nodiscard]] std::string sentence(const LostPort& lost);

class Links {
 public:
  explicit Links(rack::Rack& rack);

  // Lines of what has changed since the last look.
  [[nodiscard]] std::string look();
  // The first port that was lost.
  [[nodiscard]] const std::optional<LostPort>& lost() const { return lost_; }

 private:
  struct Watched {
    size_t endpoint;
    dpdk::Port* port;
    uint64_t changed_ns;
  };
  [[nodiscard]] static std::vector<Watched> watched(rack::Rack& rack);
  [[nodiscard]] static std::vector<dpdk::Port*> ports(const std::vector<Watched>& watched);
  [[nodiscard]] std::string tell(const dpdk::LinkChange& change);

  rack::Rack& rack_;
  std::vector<Watched> watched_;
  dpdk::LinkWatch links_;
  std::optional<LostPort> lost_;
};

}  // namespace lambdacast::appliance
