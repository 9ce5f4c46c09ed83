// SPDX-License-Identifier: BSD-3-Clause
#include "interop/ud_variant.h"

#include <algorithm>

#include "base/bytes.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/icrc.h"
#include "wire/roce/ip.h"
#include "wire/roce/udp.h"

namespace lambdacast::interop {
namespace {

using wire::FrameFields;

void no_fields(FrameFields&) {}

bool is_ipv4(const Bytes& frame, size_t l3) { return frame[l3] >> 4 == 4; }

// The checksum of UDP with its pseudo header (RFC 768, RFC 8200 section 8.1), plus `error`.
void store_udp_checksum(Bytes& frame, size_t l3, size_t bth, uint16_t error) {
  uint8_t* udp = &frame[bth - wire::kUdpBytes];
  const size_t udp_bytes = frame.size() - (bth - wire::kUdpBytes);
  const size_t addresses = is_ipv4(frame, l3) ? l3 + 12 : l3 + 8;
  const size_t address_bytes = is_ipv4(frame, l3) ? 8 : 32;
  const uint32_t sum = wire::internet_sum(&frame[addresses], address_bytes) + wire::kIpProtocolUdp +
                       static_cast<uint32_t>(udp_bytes) + wire::internet_sum(udp, udp_bytes);
  base::store_be16(udp + 6, static_cast<uint16_t>(~wire::fold_sum(sum) + error));
}

// Four more bytes of payload than any encoder of ours makes, lengths and checksum to match.
void exceed_the_mtu(Bytes& frame, size_t l3, size_t bth) {
  frame.insert(frame.end() - wire::kIcrcBytes, 4, 0x5a);
  const auto udp_bytes = static_cast<uint16_t>(frame.size() - (bth - wire::kUdpBytes));
  base::store_be16(&frame[bth - wire::kUdpBytes + 4], udp_bytes);
  if (!is_ipv4(frame, l3)) {
    base::store_be16(&frame[l3 + 4], udp_bytes);
    return;
  }
  base::store_be16(&frame[l3 + 2], static_cast<uint16_t>(udp_bytes + wire::kIpv4Bytes));
  base::store_be16(&frame[l3 + 10], 0);
  const uint32_t sum = wire::internet_sum(&frame[l3], wire::kIpv4Bytes);
  base::store_be16(&frame[l3 + 10], static_cast<uint16_t>(~wire::fold_sum(sum)));
}

// In BTH bytes: 0 opcode, 1 flags, pad and version, 4 FECN, BECN and reserved, 8 AckReq and
// reserved; 12 ... 19 DETH, of which 16 is reserved.
constexpr Variant kVariants[] = {
    {"good", no_fields, nullptr, nullptr},
    // Right, if unusual.
    {"fragmentable", [](FrameFields& f) { f.dont_fragment = false; }, nullptr, nullptr},
    {"traffic_class", [](FrameFields& f) { f.traffic_class = 0xbb; }, nullptr, nullptr},
    {"last_hop", [](FrameFields& f) { f.hop_limit = 1; }, nullptr, nullptr},
    {"flow_label", [](FrameFields& f) { f.flow_label = 0xabcde; }, nullptr, nullptr},
    {"source_port", [](FrameFields& f) { f.udp_source_port = 1; }, nullptr, nullptr},
    {"fecn_becn", [](FrameFields& f) { f.fecn = f.becn = true; }, nullptr, nullptr},
    {"migration", [](FrameFields& f) { f.migration_request = true; }, nullptr, nullptr},
    {"ack_request", [](FrameFields& f) { f.ack_request = true; }, nullptr, nullptr},
    {"solicited", [](FrameFields& f) { f.solicited = true; }, nullptr, nullptr},
    {"pkey_limited", [](FrameFields& f) { f.pkey = 0x7fff; }, nullptr, nullptr},
    {"pad_not_zero", no_fields,
     [](Bytes& f, size_t, size_t bth) {
       const size_t pad = f[bth + 1] >> 4 & 3;
       std::fill_n(f.end() - static_cast<ptrdiff_t>(wire::kIcrcBytes + pad), pad, uint8_t{0xee});
     },
     nullptr},
    {"bth_reserved", no_fields,
     [](Bytes& f, size_t, size_t bth) {
       f[bth + 4] |= 0x3f;
       f[bth + 8] |= 0x7f;
     },
     nullptr},
    {"deth_reserved", no_fields, [](Bytes& f, size_t, size_t bth) { f[bth + 16] = 0xff; }, nullptr},
    {"udp_checksum", no_fields, nullptr,
     [](Bytes& f, size_t l3, size_t bth) { store_udp_checksum(f, l3, bth, 0); }},
    // Wrong.
    {"wrong_icrc", no_fields, nullptr, [](Bytes& f, size_t, size_t) { f.back() ^= 1; }},
    {"no_icrc", no_fields, nullptr,
     [](Bytes& f, size_t, size_t) { std::fill_n(f.end() - 4, 4, uint8_t{0}); }},
    {"damaged_payload", no_fields, nullptr,
     [](Bytes& f, size_t, size_t bth) { f[bth + 20] ^= 0x10; }},
    {"damaged_psn", no_fields, nullptr, [](Bytes& f, size_t, size_t bth) { f[bth + 11] ^= 1; }},
    {"wrong_qkey", [](FrameFields& f) { f.qkey ^= 1; }, nullptr, nullptr},
    {"wrong_pkey", [](FrameFields& f) { f.pkey = 0x9234; }, nullptr, nullptr},
    {"zero_pkey", [](FrameFields& f) { f.pkey = 0x8000; }, nullptr, nullptr},
    {"wrong_qpn", [](FrameFields& f) { f.destination_qpn ^= 0x800000; }, nullptr, nullptr},
    {"multicast_qpn", [](FrameFields& f) { f.destination_qpn = wire::kMulticastQpn; }, nullptr,
     nullptr},
    {"version", no_fields, [](Bytes& f, size_t, size_t bth) { f[bth + 1] |= 1; }, nullptr},
    {"reserved_opcode", no_fields, [](Bytes& f, size_t, size_t bth) { f[bth] = 0x7f; }, nullptr},
    {"rc_opcode", no_fields, [](Bytes& f, size_t, size_t bth) { f[bth] = 0x04; }, nullptr},
    {"uc_opcode", no_fields, [](Bytes& f, size_t, size_t bth) { f[bth] = 0x24; }, nullptr},
    {"wrong_udp_checksum", no_fields, nullptr,
     [](Bytes& f, size_t l3, size_t bth) { store_udp_checksum(f, l3, bth, 0x0101); }},
    {"over_mtu", no_fields, exceed_the_mtu, nullptr},
};

}  // namespace

const Variant* find_variant(std::string_view name) {
  const auto* found = std::find_if(std::begin(kVariants), std::end(kVariants),
                                   [&](const Variant& variant) { return variant.name == name; });
  return found == std::end(kVariants) ? nullptr : found;
}

Bytes build_variant(const Variant& variant, FrameFields fields, const Bytes& payload) {
  variant.fields(fields);
  const wire::FrameTemplate headers(fields);
  if (headers.header_bytes() == 0 || payload.size() > wire::kMaxPayloadBytes) return {};
  Bytes frame(headers.header_bytes() + payload.size() + wire::kMaxPadBytes + wire::kIcrcBytes);
  std::copy(payload.begin(), payload.end(),
            frame.begin() + static_cast<ptrdiff_t>(headers.header_bytes()));
  frame.resize(headers.finish(frame.data(), payload.size(), fields.psn, fields.ip_id));
  const size_t l3 = wire::kEthernetBytes;
  const size_t bth =
      l3 + (is_ipv4(frame, l3) ? wire::kIpv4Bytes : wire::kIpv6Bytes) + wire::kUdpBytes;
  if (variant.bytes != nullptr) {
    variant.bytes(frame, l3, bth);
    const size_t icrc_offset = frame.size() - wire::kIcrcBytes;
    wire::store_icrc(&frame[icrc_offset], wire::icrc(frame.data(), l3, icrc_offset));
  }
  if (variant.sealed != nullptr) variant.sealed(frame, l3, bth);
  return frame;
}

}  // namespace lambdacast::interop
