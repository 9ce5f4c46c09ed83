// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/build.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/ip.h"
#include "wire/roce/opcode.h"
#include "wire/roce/udp.h"

namespace lambdacast::wire {
namespace {

constexpr size_t pad_of(size_t payload_bytes) { return (0 - payload_bytes) & 3; }

bool same_family(const FrameFields& f) {
  return is_ipv4_mapped(f.source_gid) == is_ipv4_mapped(f.destination_gid);
}

size_t l3_offset_of(const FrameFields& f) {
  return kEthernetBytes + (f.has_vlan ? kVlanTagBytes : 0);
}

size_t ip_bytes_of(const FrameFields& f) {
  return is_ipv4_mapped(f.destination_gid) ? kIpv4Bytes : kIpv6Bytes;
}

size_t roce_header_bytes_of(const FrameFields& f) {
  return kBthBytes + kDethBytes + (f.has_immediate ? kImmediateBytes : 0);
}

void lay_ethernet(const FrameFields& f, uint8_t* p) {
  store_mac(p, f.destination_mac);
  store_mac(p + kMacBytes, f.source_mac);
  uint8_t* type = p + 2 * kMacBytes;
  if (f.has_vlan) {
    base::store_be16(type, kEtherTypeVlan);
    base::store_be16(type + 2, f.vlan_tci);
    type += kVlanTagBytes;
  }
  base::store_be16(type, is_ipv4_mapped(f.destination_gid) ? kEtherTypeIpv4 : kEtherTypeIpv6);
}

void lay_ip(const FrameFields& f, size_t udp_bytes, uint8_t* p) {
  if (is_ipv4_mapped(f.destination_gid)) {
    Ipv4Header ip;
    ip.tos = f.traffic_class;
    ip.total_bytes = static_cast<uint16_t>(kIpv4Bytes + udp_bytes);
    ip.id = f.ip_id;
    ip.dont_fragment = f.dont_fragment;
    ip.ttl = f.hop_limit;
    ip.protocol = kIpProtocolUdp;
    ip.source = ipv4_of(f.source_gid);
    ip.destination = ipv4_of(f.destination_gid);
    store_ipv4(ip, p);
  } else {
    Ipv6Header ip;
    ip.traffic_class = f.traffic_class;
    ip.flow_label = f.flow_label;
    ip.payload_bytes = static_cast<uint16_t>(udp_bytes);
    ip.next_header = kIpProtocolUdp;
    ip.hop_limit = f.hop_limit;
    ip.source = f.source_gid;
    ip.destination = f.destination_gid;
    store_ipv6(ip, p);
  }
}

void lay_roce(const FrameFields& f, size_t payload_bytes, uint8_t* p) {
  Bth bth;
  bth.opcode = f.has_immediate ? kOpcodeUdSendOnlyImmediate : kOpcodeUdSendOnly;
  bth.solicited = f.solicited;
  bth.migration_request = f.migration_request;
  bth.pad_bytes = static_cast<uint8_t>(pad_of(payload_bytes));
  bth.pkey = f.pkey;
  bth.fecn = f.fecn;
  bth.becn = f.becn;
  bth.destination_qpn = f.destination_qpn;
  bth.ack_request = f.ack_request;
  bth.psn = f.psn;
  store_bth(bth, p);
  store_deth({f.qkey, f.source_qpn}, p + kBthBytes);
  if (f.has_immediate) base::store_be32(p + kBthBytes + kDethBytes, f.immediate);
}

// Every header of a frame with `payload_bytes`; returns where the payload begins.
size_t lay_headers(const FrameFields& f, size_t payload_bytes, uint8_t* out) {
  const size_t udp_bytes =
      kUdpBytes + roce_header_bytes_of(f) + payload_bytes + pad_of(payload_bytes) + kIcrcBytes;
  uint8_t* p = out;
  lay_ethernet(f, p);
  p += l3_offset_of(f);
  lay_ip(f, udp_bytes, p);
  p += ip_bytes_of(f);
  store_udp({f.udp_source_port, kRocePort, static_cast<uint16_t>(udp_bytes), 0}, p);
  p += kUdpBytes;
  lay_roce(f, payload_bytes, p);
  p += roce_header_bytes_of(f);
  return static_cast<size_t>(p - out);
}

}  // namespace

FrameFields fields_of(const uint8_t* frame, const FrameView& view) {
  FrameFields f;
  f.destination_mac = destination_mac(frame);
  f.source_mac = source_mac(frame);
  f.has_vlan = view.has_vlan;
  f.vlan_tci = view.vlan_tci;
  f.source_gid = view.source_gid;
  f.destination_gid = view.destination_gid;
  f.traffic_class = view.traffic_class;
  f.hop_limit = view.hop_limit;
  f.ip_id = view.ip_id;
  f.dont_fragment = view.dont_fragment;
  f.flow_label = view.flow_label;
  f.udp_source_port = view.udp_source_port;
  f.pkey = view.pkey;
  f.destination_qpn = view.destination_qpn;
  f.source_qpn = view.source_qpn;
  f.qkey = view.qkey;
  f.psn = view.psn;
  f.solicited = view.solicited;
  f.migration_request = view.migration_request;
  f.ack_request = view.ack_request;
  f.fecn = view.fecn;
  f.becn = view.becn;
  f.has_immediate = view.has_immediate;
  f.immediate = view.immediate;
  return f;
}

size_t build_frame(const FrameFields& fields, std::span<const uint8_t> payload, uint8_t* out,
                   size_t capacity) {
  const size_t header_bytes =
      l3_offset_of(fields) + ip_bytes_of(fields) + kUdpBytes + roce_header_bytes_of(fields);
  const size_t pad_bytes = pad_of(payload.size());
  const size_t icrc_offset = header_bytes + payload.size() + pad_bytes;
  if (!same_family(fields) || payload.size() > kMaxPayloadBytes ||
      icrc_offset + kIcrcBytes > capacity) {
    return 0;
  }
  lay_headers(fields, payload.size(), out);
  std::copy(payload.begin(), payload.end(), out + header_bytes);
  std::fill_n(out + header_bytes + payload.size(), pad_bytes, uint8_t{0});
  store_icrc(out + icrc_offset, icrc(out, l3_offset_of(fields), icrc_offset));
  return icrc_offset + kIcrcBytes;
}

}  // namespace lambdacast::wire
