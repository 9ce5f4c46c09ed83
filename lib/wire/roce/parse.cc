// SPDX-License-Identifier: BSD-3-Clause
#include "base/bytes.h"
#include "wire/roce/bth.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/frame.h"
#include "wire/roce/icrc.h"
#include "wire/roce/ip.h"
#include "wire/roce/opcode.h"
#include "wire/roce/udp.h"

namespace lambdacast::wire {
namespace {

using counters::DropReason;

constexpr size_t kMaxOffset = 0xffff;  // what FrameView's offsets hold

// The part of the frame that the layers so far have vouched for: [offset, end) is still to be read.
struct Cursor {
  const uint8_t* frame;
  size_t offset;
  size_t end;

  [[nodiscard]] bool has(size_t bytes) const { return end - offset >= bytes; }
  [[nodiscard]] const uint8_t* here() const { return frame + offset; }
};

DropReason parse_ethernet(Cursor& at, FrameView& view, uint16_t& ether_type) {
  constexpr int kMaxTags = 2;
  if (!at.has(kEthernetBytes)) return DropReason::kTooShort;
  ether_type = base::load_be16(at.frame + 2 * kMacBytes);
  at.offset = kEthernetBytes;
  for (int tags = 0; tags < kMaxTags && is_vlan_tag(ether_type); ++tags) {
    if (!at.has(kVlanTagBytes)) return DropReason::kTooShort;
    view.has_vlan = true;
    view.vlan_tci = base::load_be16(at.here());
    ether_type = base::load_be16(at.here() + 2);
    at.offset += kVlanTagBytes;
  }
  view.l3_offset = static_cast<uint16_t>(at.offset);
  return DropReason::kNone;
}

// Apart from the fixed part's sum, which is thereby a loop of known length and no call.
[[gnu::noinline]] uint32_t options_sum(const uint8_t* ip, size_t header_bytes) {
  return internet_sum(ip + kIpv4Bytes, header_bytes - kIpv4Bytes);
}

DropReason parse_ipv4(Cursor& at, FrameView& view) {
  if (!at.has(kIpv4Bytes)) return DropReason::kTooShort;
  const uint8_t* p = at.here();
  const Ipv4Header ip = load_ipv4(p);
  if (ip.version != 4 || ip.header_bytes < kIpv4Bytes || ip.total_bytes < ip.header_bytes) {
    return DropReason::kIpv4Header;
  }
  if (!at.has(ip.total_bytes)) return DropReason::kTruncated;
  uint32_t sum = internet_sum(p, kIpv4Bytes);
  if (ip.header_bytes > kIpv4Bytes) [[unlikely]] {
    sum += options_sum(p, ip.header_bytes);
  }
  if (fold_sum(sum) != 0xffff) return DropReason::kIpv4Checksum;
  if (ip.protocol != kIpProtocolUdp) return DropReason::kNotUdp;
  if (ip.header_bytes > kIpv4Bytes) return DropReason::kIpv4Options;
  if (ip.is_fragment) return DropReason::kIpv4Fragment;

  view.traffic_class = ip.tos;
  view.hop_limit = ip.ttl;
  view.ip_id = ip.id;
  view.dont_fragment = ip.dont_fragment;
  view.source_gid = gid_from_ipv4(ip.source);
  view.destination_gid = gid_from_ipv4(ip.destination);
  at.end = at.offset + ip.total_bytes;
  at.offset += kIpv4Bytes;
  return DropReason::kNone;
}

// The extension headers of RFC 8200 and IANA's registry that may precede an upper layer.
bool is_ipv6_extension(uint8_t next_header) {
  switch (next_header) {
    case 0:    // hop-by-hop options
    case 43:   // routing
    case 44:   // fragment
    case 50:   // encapsulating security payload
    case 51:   // authentication
    case 60:   // destination options
    case 135:  // mobility
    case 139:  // host identity
    case 140:  // shim6
      return true;
    default:
      return false;
  }
}

DropReason parse_ipv6(Cursor& at, FrameView& view) {
  if (!at.has(kIpv6Bytes)) return DropReason::kTooShort;
  const Ipv6Header ip = load_ipv6(at.here());
  if (ip.version != 6) return DropReason::kIpv6Header;
  if (!at.has(kIpv6Bytes + ip.payload_bytes)) return DropReason::kTruncated;
  if (ip.next_header != kIpProtocolUdp) {
    return is_ipv6_extension(ip.next_header) ? DropReason::kIpv6Extension : DropReason::kNotUdp;
  }
  if (is_ipv4_mapped(ip.source) || is_ipv4_mapped(ip.destination)) {
    return DropReason::kIpv6MappedAddress;
  }

  view.is_ipv6 = true;
  view.traffic_class = ip.traffic_class;
  view.flow_label = ip.flow_label;
  view.hop_limit = ip.hop_limit;
  view.source_gid = ip.source;
  view.destination_gid = ip.destination;
  at.offset += kIpv6Bytes;
  at.end = at.offset + ip.payload_bytes;
  return DropReason::kNone;
}

DropReason parse_udp(Cursor& at, FrameView& view) {
  if (!at.has(kUdpBytes)) return DropReason::kTooShort;
  const UdpHeader udp = load_udp(at.here());
  if (udp.destination_port != kRocePort) return DropReason::kNotRocePort;
  if (udp.length_bytes != at.end - at.offset) return DropReason::kUdpLength;
  view.udp_source_port = udp.source_port;
  at.offset += kUdpBytes;
  return DropReason::kNone;
}

void copy_bth(const Bth& bth, FrameView& view) {
  view.opcode = bth.opcode;
  view.solicited = bth.solicited;
  view.migration_request = bth.migration_request;
  view.pad_bytes = bth.pad_bytes;
  view.pkey = bth.pkey;
  view.fecn = bth.fecn;
  view.becn = bth.becn;
  view.destination_qpn = bth.destination_qpn;
  view.ack_request = bth.ack_request;
  view.psn = bth.psn;
}

// BTH, the opcode's further headers, payload, pad, ICRC: all that UDP carries.
DropReason parse_roce(Cursor& at, FrameView& view) {
  if (!at.has(kBthBytes + kIcrcBytes)) return DropReason::kTooShort;
  const Bth bth = load_bth(at.here());
  if (bth.version != 0) return DropReason::kBthVersion;
  const OpcodeInfo& opcode = opcode_info(bth.opcode);
  if (!opcode.known()) return DropReason::kOpcodeUnknown;
  if (!at.has(opcode.header_bytes + kIcrcBytes)) return DropReason::kTooShort;

  const size_t payload_offset = at.offset + opcode.header_bytes;
  const size_t icrc_offset = at.end - kIcrcBytes;
  const size_t padded_bytes = icrc_offset - payload_offset;
  if (padded_bytes % 4 != 0 || bth.pad_bytes > padded_bytes) return DropReason::kBadPad;

  copy_bth(bth, view);
  view.bth_offset = static_cast<uint16_t>(at.offset);
  view.payload_offset = static_cast<uint16_t>(payload_offset);
  view.payload_bytes = static_cast<uint16_t>(padded_bytes - bth.pad_bytes);
  view.icrc_offset = static_cast<uint16_t>(icrc_offset);
  view.is_ud = opcode.is_ud();
  view.has_immediate = opcode.has(kImmediate);
  if (view.is_ud) {
    const Deth deth = load_deth(at.here() + kBthBytes);
    view.qkey = deth.qkey;
    view.source_qpn = deth.source_qpn;
  }
  if (view.has_immediate) {
    view.immediate = base::load_be32(at.frame + payload_offset - kImmediateBytes);
  }
  return DropReason::kNone;
}

}  // namespace

DropReason parse_frame(const uint8_t* frame, size_t bytes, FrameView& out) {
  if (bytes > kMaxOffset) return DropReason::kTooLong;
  out = FrameView{};
  Cursor at{frame, 0, bytes};
  uint16_t ether_type = 0;
  DropReason reason = parse_ethernet(at, out, ether_type);
  if (reason != DropReason::kNone) return reason;
  if (ether_type == kEtherTypeIpv4) {
    reason = parse_ipv4(at, out);
  } else if (ether_type == kEtherTypeIpv6) {
    reason = parse_ipv6(at, out);
  } else {
    reason = DropReason::kNotIp;
  }
  if (reason != DropReason::kNone) return reason;
  if (is_multicast(out.source_gid)) return DropReason::kSourceAddress;
  reason = parse_udp(at, out);
  if (reason != DropReason::kNone) return reason;
  return parse_roce(at, out);
}

}  // namespace lambdacast::wire
