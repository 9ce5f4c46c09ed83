// SPDX-License-Identifier: BSD-3-Clause
// The kernel's news about interfaces of this network namespace: links and interfaces that come and
// go (rtnetlink's group for links).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lambdacast::dpdk {

struct InterfaceNews {
  uint32_t index = 0;
  std::string name;
  bool gone = false;
  bool up = false;  // it carries frames; of one that is not gone
  bool operator==(const InterfaceNews&) const = default;
};

// Reads one message of rtnetlink, whose bytes may be anything.
[[nodiscard]] std::vector<InterfaceNews> interface_news(std::span<const uint8_t> bytes);

class InterfaceMonitor {
 public:
  InterfaceMonitor();  // without a socket, which the kernel may refuse, it is as if news were lost
  ~InterfaceMonitor();
  InterfaceMonitor(const InterfaceMonitor&) = delete;
  InterfaceMonitor& operator=(const InterfaceMonitor&) = delete;

  // Returns the news since the last call, in their order. It never waits. `lost` says that there
  // was more, so that the interfaces have to be asked.
  [[nodiscard]] std::vector<InterfaceNews> take(bool& lost);

 private:
  int socket_ = -1;
};

}  // namespace lambdacast::dpdk
