// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_frame.h"

#include <cstring>

#include "wire/roce/build.h"
#include "wire/roce/opcode.h"

namespace lambdacast::net_verbs {
namespace {

constexpr size_t kIpv4Place = kGrhBytes - wire::kIpv4Bytes;

enum class Family : uint8_t { kNeither, kIpv4, kIpv6 };

// What stands in front of an IPv4 header is not defined, and may look like the beginning of an IPv6
// header: then a right checksum tells, as in libibverbs (ibv_init_ah_from_wc).
Family family_of(const uint8_t* grh) {
  const bool maybe_ipv6 = grh[0] >> 4 == 6;
  const uint8_t* const ipv4 = grh + kIpv4Place;
  if (ipv4[0] == 0x45 && wire::fold_sum(wire::internet_sum(ipv4, wire::kIpv4Bytes)) == 0xffff) {
    return Family::kIpv4;
  }
  return maybe_ipv6 ? Family::kIpv6 : Family::kNeither;
}

struct Route {
  wire::Gid destination;
  uint16_t ether_type;
  size_t ip_bytes;
};

// The IP header, in front of `rest` bytes at `behind`.
Route lay_ip(Family family, const uint8_t* grh, size_t rest, uint8_t* behind) {
  if (family == Family::kIpv4) {
    wire::Ipv4Header ip = wire::load_ipv4(grh + kIpv4Place);
    ip.total_bytes = static_cast<uint16_t>(wire::kIpv4Bytes + rest);
    ip.protocol = wire::kIpProtocolUdp;
    wire::store_ipv4(ip, behind - wire::kIpv4Bytes);
    return {wire::gid_from_ipv4(ip.destination), wire::kEtherTypeIpv4, wire::kIpv4Bytes};
  }
  wire::Ipv6Header ip = wire::load_ipv6(grh);
  ip.payload_bytes = static_cast<uint16_t>(rest);
  ip.next_header = wire::kIpProtocolUdp;
  wire::store_ipv6(ip, behind - wire::kIpv6Bytes);
  return {ip.destination, wire::kEtherTypeIpv6, wire::kIpv6Bytes};
}

}  // namespace

bool comes_from(const uint8_t* grh, const wire::Gid& gid) {
  if (wire::is_ipv4_mapped(gid)) {
    const uint8_t* const ipv4 = grh + kIpv4Place;
    return ipv4[0] == 0x45 && base::load_be32(ipv4 + 12) == wire::ipv4_of(gid);
  }
  return grh[0] >> 4 == 6 && std::memcmp(grh + 8, gid.bytes.data(), gid.bytes.size()) == 0;
}

Framed make_frame(const Station& station, const Message& message, uint8_t* data) {
  // A copy: the headers overwrite it.
  uint8_t grh[kGrhBytes];
  std::memcpy(grh, data - kGrhBytes, kGrhBytes);
  const Family family = family_of(grh);
  if (family == Family::kNeither) return {};

  const size_t pad = -size_t{message.bytes} & 3;
  const size_t immediate = message.has_immediate ? wire::kImmediateBytes : 0;
  const size_t transport = wire::kBthBytes + wire::kDethBytes + immediate;
  const size_t udp_bytes = wire::kUdpBytes + transport + message.bytes + pad + wire::kIcrcBytes;
  uint8_t* const bth = data - transport;
  uint8_t* const udp = bth - wire::kUdpBytes;
  const Route route = lay_ip(family, grh, udp_bytes, udp);
  wire::store_udp({wire::roce_source_port(message.source_qpn), wire::kRocePort,
                   static_cast<uint16_t>(udp_bytes), 0},
                  udp);
  const bool to_group = wire::is_multicast(route.destination);
  wire::Bth header;
  header.opcode =
      message.has_immediate ? wire::kOpcodeUdSendOnlyImmediate : wire::kOpcodeUdSendOnly;
  header.pad_bytes = static_cast<uint8_t>(pad);
  header.pkey = station.pkey;
  header.destination_qpn = to_group ? wire::kMulticastQpn : station.qpn;
  wire::store_bth(header, bth);
  wire::store_deth({station.qkey, message.source_qpn}, bth + wire::kBthBytes);
  if (message.has_immediate) {
    base::store_be32(data - wire::kImmediateBytes, message.immediate);
  }
  std::memset(data + message.bytes, 0, pad + wire::kIcrcBytes);

  uint8_t* const frame = udp - route.ip_bytes - wire::kEthernetBytes;
  wire::store_mac(frame, to_group ? wire::multicast_mac(route.destination) : station.mac);
  wire::store_mac(frame + wire::kMacBytes, wire::MacAddress{});
  base::store_be16(frame + 2 * wire::kMacBytes, route.ether_type);
  const auto front = static_cast<uint32_t>(data - frame);
  return {front, static_cast<uint32_t>(front + message.bytes + pad + wire::kIcrcBytes)};
}

}  // namespace lambdacast::net_verbs
