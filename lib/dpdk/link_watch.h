// SPDX-License-Identifier: BSD-3-Clause
// The links of ports: up, down, or gone with the kernel's interface below them. Of a port that is
// an interface of the kernel (af_packet and the like, whose drivers tell of no change) the kernel
// is listened to; of any other ethdev is asked, and its event counted where the driver has one, so
// that a change and its end between two looks are seen as well. One control thread.
#pragma once

#include <cstdint>
#include <vector>

#include "dpdk/interface_news.h"
#include "dpdk/port.h"

namespace lambdacast::dpdk {

enum class LinkState : uint8_t { kUp, kDown, kGone };

struct LinkChange {
  size_t port = 0;  // of those watched
  LinkState state = LinkState::kUp;
  bool operator==(const LinkChange&) const = default;
};

class LinkWatch {
 public:
  explicit LinkWatch(const std::vector<Port*>& ports);  // which outlive it

  // Returns the changes since the last look, in their order; the first look returns the links that
  // are not up. Each change is counted at its port.
  [[nodiscard]] std::vector<LinkChange> look();
  [[nodiscard]] LinkState state(size_t port) const { return ports_[port].state; }

 private:
  struct Watched {
    Port* port;
    LinkState state = LinkState::kUp;
    uint32_t events = 0;  // of ethdev, as of the last look
  };
  void change(size_t port, LinkState state, std::vector<LinkChange>& changes);
  void ask(size_t port, std::vector<LinkChange>& changes);

  InterfaceMonitor monitor_;
  std::vector<Watched> ports_;
  bool first_ = true;  // the monitor knows nothing of what was before it
};

}  // namespace lambdacast::dpdk
