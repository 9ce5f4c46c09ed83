// SPDX-License-Identifier: BSD-3-Clause
// The frame that the tests of this directory take apart: one whose every field differs from zero
// and from its neighbours, so that a misplaced one shows.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "wire/roce/build.h"

namespace lambdacast::wire {

inline FrameFields example_fields(bool ipv6 = false) {
  FrameFields f;
  f.destination_mac = parse_mac("01:00:5e:7f:01:01").value();
  f.source_mac = parse_mac("52:54:00:77:00:03").value();
  f.source_gid = parse_gid(ipv6 ? "fd77::3" : "10.77.0.3").value();
  f.destination_gid = parse_gid(ipv6 ? "ff0e::1:2345:6789" : "239.255.1.1").value();
  f.traffic_class = 0xb8;
  f.hop_limit = 7;
  f.ip_id = ipv6 ? 0 : 0x0f29;
  f.dont_fragment = !ipv6;
  f.flow_label = ipv6 ? 0x54321 : 0;
  f.udp_source_port = 0xfb97;
  f.pkey = 0x8123;
  f.destination_qpn = kMulticastQpn;
  f.source_qpn = 0x00001a;
  f.qkey = 0x11111111;
  f.psn = 0xabcdef;
  return f;
}

inline std::vector<uint8_t> bytes_of(const FrameFields& fields, size_t payload_bytes) {
  std::vector<uint8_t> payload(payload_bytes);
  auto value = static_cast<uint8_t>(payload_bytes);
  for (uint8_t& byte : payload) {
    byte = value;
    value = static_cast<uint8_t>(value + 7);
  }
  std::vector<uint8_t> frame(kMaxFrameBytes);
  frame.resize(build_frame(fields, payload, frame.data(), frame.size()));
  frame.shrink_to_fit();
  return frame;
}

}  // namespace lambdacast::wire
