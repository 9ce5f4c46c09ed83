// SPDX-License-Identifier: BSD-3-Clause
// What becomes of a frame at an endpoint, by doc/protocol.md read from top to bottom: one reason or
// none. Slow, plain, and without any of lib/wire, lib/endpoint: the judge of the fuzzed receive
// stage. Reading beyond the frame throws.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "counters/drop_reason.h"

namespace lambdacast::fuzz {

using NaiveGid = std::array<uint8_t, 16>;

struct NaiveIdentity {
  NaiveGid gid{};
  NaiveGid group{};
  NaiveGid control{};
  uint64_t vlan = 0;  // 0: none
  uint32_t qpn = 0;
  uint32_t control_qpn = 0;
  uint32_t qkey = 0;
  uint16_t pkey = 0;
  size_t path_mtu = 0;
  size_t max_peers = 0;
};

class NaiveReceiver {
 public:
  explicit NaiveReceiver(const NaiveIdentity& identity) : identity_(identity) {}

  // In the order of arrival: senders are learnt.
  counters::DropReason judge(std::span<const uint8_t> frame);

 private:
  NaiveIdentity identity_;
  std::set<std::pair<NaiveGid, uint32_t>> peers_;
};

// The ICRC of a frame whose IP header stands at l3 and whose ICRC at `end`: zlib's crc32 over what
// doc/protocol.md says.
[[nodiscard]] uint32_t naive_icrc(std::span<const uint8_t> frame, size_t l3, size_t end);

// Makes the ICRC of a frame right that an IP length says to have one. True if it has.
bool mend_icrc(std::span<uint8_t> frame);

}  // namespace lambdacast::fuzz
