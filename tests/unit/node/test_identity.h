// SPDX-License-Identifier: BSD-3-Clause
// Two endpoints of one fabric, and frames of theirs, for the tests of lib/node.
#pragma once

#include <cstdint>
#include <vector>

#include "node/frame_builder.h"
#include "node/identity.h"

namespace lambdacast::node {

inline EndpointIdentity test_identity(uint32_t number, bool ipv6 = false) {
  EndpointIdentity identity;
  identity.mac.bytes = {0x02, 0, 0, 0, 0, static_cast<uint8_t>(number)};
  if (ipv6) {
    identity.gid.bytes[0] = 0xfd;
    identity.gid.bytes[15] = static_cast<uint8_t>(number);
    identity.multicast_gid.bytes[0] = 0xff;
    identity.multicast_gid.bytes[1] = 0x0e;
    identity.multicast_gid.bytes[15] = 0x55;
  } else {
    identity.gid = wire::gid_from_ipv4(0x0a000000 + number);
    identity.multicast_gid = wire::gid_from_ipv4(0xef000055);
  }
  identity.control_gid = control_gid_of(identity.multicast_gid);
  identity.data_qpn = 0x10;
  identity.control_qpn = 0x11;
  identity.qkey = 0x11223344;
  identity.path_mtu = 1024;
  identity.incarnation = 1000 + number;
  return identity;
}

inline std::vector<uint8_t> counting_bytes(size_t bytes) {
  std::vector<uint8_t> content(bytes);
  for (size_t i = 0; i < bytes; ++i) content[i] = static_cast<uint8_t>(i * 7 + 1);
  return content;
}

// What `core` sends for `content`; empty if refused.
inline std::vector<uint8_t> transmit(FrameBuilder& core, const std::vector<uint8_t>& content,
                                     uint32_t group = 1, wire::Qos qos = wire::Qos::kUnreliable,
                                     uint64_t now_ns = 0) {
  std::vector<uint8_t> frame(core.buffer_bytes(content.size()));
  for (size_t i = 0; i < content.size(); ++i) frame[core.payload_offset() + i] = content[i];
  frame.resize(core.prepare(frame.data(), content.size(), group, qos, now_ns));
  return frame;
}

}  // namespace lambdacast::node
