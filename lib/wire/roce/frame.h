// SPDX-License-Identifier: BSD-3-Clause
// Reading a RoCEv2 frame: Ethernet [802.1Q, one or two tags] / IPv4 or IPv6 / UDP 4791 / BTH /
// [the opcode's further headers] / payload / pad / ICRC (IBTA annex A17; doc/protocol.md).
#pragma once

#include <cstddef>
#include <cstdint>

#include "counters/drop_reason.h"
#include "wire/roce/gid.h"
#include "wire/roce/icrc.h"

namespace lambdacast::wire {

// The result of parse_frame. Offsets count bytes from the start of the frame. Nothing points into
// the frame, so a view outlives it.
struct FrameView {
  uint16_t l3_offset = 0;
  uint16_t bth_offset = 0;
  uint16_t payload_offset = 0;  // behind the last header of the opcode
  uint16_t payload_bytes = 0;   // without pad
  uint16_t icrc_offset = 0;     // behind the pad; the frame proper ends 4 bytes later
  uint16_t udp_source_port = 0;
  uint16_t vlan_tci = 0;  // of the inner tag if there are two
  uint16_t ip_id = 0;     // IPv4 only
  uint16_t pkey = 0;

  uint8_t opcode = 0;
  uint8_t pad_bytes = 0;      // 0 ... 3
  uint8_t traffic_class = 0;  // IPv4: TOS. DSCP and ECN bits
  uint8_t hop_limit = 0;      // IPv4: TTL

  bool has_vlan = false;
  bool is_ipv6 = false;
  bool dont_fragment = false;  // IPv4 only
  bool is_ud = false;          // the opcode is of unreliable datagram: qkey and source_qpn are set
  bool has_immediate = false;
  bool solicited = false;
  bool migration_request = false;
  bool ack_request = false;
  bool fecn = false;
  bool becn = false;

  uint32_t flow_label = 0;       // IPv6 only, 20 bits
  uint32_t destination_qpn = 0;  // 24 bits
  uint32_t psn = 0;              // 24 bits; compare with wire/roce/psn.h only
  uint32_t qkey = 0;             // UD only
  uint32_t source_qpn = 0;       // UD only, 24 bits
  uint32_t immediate = 0;        // host order, if has_immediate

  Gid source_gid;
  Gid destination_gid;

  // Without what Ethernet padded behind the IP packet.
  [[nodiscard]] size_t frame_bytes() const { return size_t{icrc_offset} + 4; }
};

// Checks and takes apart the `bytes` of `frame` (no Ethernet FCS); never reads beyond them,
// whatever the lengths inside claim. Accepts all RC, UC and UD opcodes and CNP: a caller that wants
// datagrams only looks at is_ud. The ICRC is icrc_ok's, so that a mere listener need not pay for
// it; a UDP checksum is not verified at all (IBTA A17: sent as 0 and ignored).
//
// Returns kNone, or the first reason in the order of counters/drop_reason.def's wire part to apply;
// then `out` is unspecified.
[[nodiscard]] counters::DropReason parse_frame(const uint8_t* frame, size_t bytes, FrameView& out);

// Whether the ICRC at the end of a frame that parse_frame accepted is right. `view` must be of this
// very frame.
[[nodiscard]] inline bool icrc_ok(const uint8_t* frame, const FrameView& view) {
  return icrc_ok(frame, view.l3_offset, view.icrc_offset);
}

}  // namespace lambdacast::wire
