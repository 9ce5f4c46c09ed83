// SPDX-License-Identifier: BSD-3-Clause
// Who an endpoint is on the wire. Fixed from its start; configuration fills it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "wire/roce/build.h"
#include "wire/roce/gid.h"

namespace lambdacast::node {

struct EndpointIdentity {
  wire::MacAddress mac;                // ours, and where unicast frames to us go
  wire::Gid gid;                       // ours: IPv4 (v4-mapped) or IPv6, never multicast
  std::optional<uint16_t> vlan_tci;    // tag of the frames sent, and the VLAN of those received
  uint32_t data_qpn = 0;               // 24 bits, 2 .. 0xfffffe: its PSN follows frame_seq
  uint32_t control_qpn = 0;            // 24 bits, 2 .. 0xfffffe, and not data_qpn
  uint32_t qkey = 0;                   // both queue pairs'; every member of the fabric has the same
  uint16_t pkey = wire::kDefaultPkey;  // bit 15: full member (IBTA vol. 1, 10.9)
  wire::Gid multicast_gid;  // the data multicast GID, of the same address family as `gid`
  wire::Gid control_gid;    // that of control, another one; control_gid_of(multicast_gid) as a rule
  uint32_t path_mtu = 4096;  // RoCE payload: 256, 512, 1024, 2048 or 4096 bytes
  uint32_t incarnation = 0;  // serially newer at every start (frame_account.h)
};

// The multicast GID that follows `multicast_gid`.
[[nodiscard]] wire::Gid control_gid_of(const wire::Gid& multicast_gid);

// What all frames of one of the endpoint's queue pairs to a multicast GID have in common.
[[nodiscard]] wire::FrameFields multicast_fields(const EndpointIdentity& identity,
                                                 const wire::Gid& to, uint32_t source_qpn);

// One sentence about the first field that is out of its range, or nothing.
[[nodiscard]] base::Result<void> validate(const EndpointIdentity& identity);

}  // namespace lambdacast::node
