// SPDX-License-Identifier: BSD-3-Clause
// Device arguments of net_verbs:
//
//   device=NAME   the verbs device, as ibv_devices lists it; required
//   port=N        of the device; default 1
//   gid=ADDRESS   whose frames it sends, an entry of the port's GID table; default its first
//   qkey=N        of its queue pairs; default 0x11111111
//   pkey=N        of its queue pairs, in the port's partition table; default 0xffff
//   group=ADDRESS a multicast group: one queue pair for each, at most kMaxQueuePairs; default none,
//                 and one queue pair
//   loopback=0|1  hear what it sends to its own groups too, as devices bring it back; default 0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/roce/gid.h"

namespace lambdacast::net_verbs {

inline constexpr size_t kMaxQueuePairs = 8;

struct Devargs {
  std::string device;
  uint8_t port = 1;
  std::optional<wire::Gid> gid;
  uint32_t qkey = 0x11111111;
  uint16_t pkey = 0xffff;
  std::vector<wire::Gid> groups;
  bool loopback = false;
};

// The help for the driver's registration, which wants a literal.
#define VERBS_DEVARGS_HELP                                                                     \
  "device=<name> port=<1..254> gid=<address> qkey=<u31> pkey=<u16> group=<multicast address> " \
  "loopback=<0|1>"

// The error names the argument, its value and what is allowed.
[[nodiscard]] base::Result<Devargs> parse_devargs(const char* text);

}  // namespace lambdacast::net_verbs
