// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/frame_check.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "wire/control/transport.h"
#include "wire/roce/build.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/frame_shape.h"
#include "wire/roce/ip.h"
#include "wire/roce/opcode.h"
#include "wire/roce/udp.h"

namespace lambdacast::fuzz {
namespace {

using counters::DropReason;
using wire::FrameView;
using Bytes = std::vector<uint8_t>;

const char* check_offsets(const FrameView& v, size_t bytes) {
  if (v.l3_offset < wire::kEthernetBytes) return "l3_offset lies inside Ethernet";
  if (v.bth_offset <= v.l3_offset) return "bth_offset lies before IP";
  if (v.payload_offset < v.bth_offset + wire::kBthBytes) return "payload_offset lies inside BTH";
  if (v.payload_offset + v.payload_bytes + v.pad_bytes != v.icrc_offset) return "gap before ICRC";
  if (v.frame_bytes() > bytes) return "the frame ends beyond its buffer";
  return nullptr;
}

const char* check_transport(const uint8_t* payload, size_t payload_bytes) {
  const Bytes exact(payload, payload + payload_bytes);
  wire::TransportHeader header;
  size_t header_bytes = 0;
  if (wire::load_transport(exact.data(), exact.size(), header, header_bytes) != DropReason::kNone) {
    return nullptr;
  }
  if (header_bytes > payload_bytes) return "the transport header ends beyond the payload";
  uint8_t stored[wire::kFragmentHeaderBytes];
  wire::store_transport(header, stored);
  // The first byte differs if there were extensions; the last two of a fragment's are ignored.
  constexpr size_t kIgnored = 2;
  const size_t same = wire::is_fragment(header.kind) ? wire::kFragmentHeaderBytes - kIgnored
                                                     : wire::kTransportHeaderBytes;
  if (!std::equal(stored + 1, stored + same, exact.begin() + 1)) {
    return "a transport header changes when stored again";
  }
  return nullptr;
}

// The frame with all that FrameFields does not carry as an encoder would have it: reserved bits,
// pad and UDP checksum zero, and the checksums that follow from it.
Bytes canonical(const uint8_t* data, const FrameView& v) {
  Bytes frame(data, data + v.frame_bytes());
  uint8_t* ip = &frame[v.l3_offset];
  if (!v.is_ipv6) ip[6] &= 0x7f;
  base::store_be16(&frame[v.bth_offset - 2], 0);
  frame[v.bth_offset + 4] &= 0xc0;
  frame[v.bth_offset + 8] &= 0x80;
  frame[v.bth_offset + wire::kBthBytes + 4] = 0;
  std::fill_n(&frame[v.icrc_offset - v.pad_bytes], v.pad_bytes, uint8_t{0});
  mend_ipv4_checksum(frame.data(), frame.size());
  wire::store_icrc(&frame[v.icrc_offset], wire::icrc(frame.data(), v.l3_offset, v.icrc_offset));
  return frame;
}

bool encodable(const uint8_t* data, const FrameView& v) {
  const uint16_t ether_type = base::load_be16(data + 2 * wire::kMacBytes);
  const bool tags_fit = !v.has_vlan || (ether_type == wire::kEtherTypeVlan &&
                                        v.l3_offset == wire::kEthernetBytes + wire::kVlanTagBytes);
  const bool pad_fits = v.pad_bytes == ((0u - v.payload_bytes) & 3u);
  return v.is_ud && tags_fit && pad_fits && v.payload_bytes <= wire::kMaxPayloadBytes;
}

const char* check_rebuild(const uint8_t* data, const FrameView& v) {
  const Bytes wanted = canonical(data, v);
  const wire::FrameFields fields = wire::fields_of(data, v);
  const std::span<const uint8_t> payload(data + v.payload_offset, v.payload_bytes);
  Bytes built(wanted.size());
  built.resize(wire::build_frame(fields, payload, built.data(), built.size()));
  if (built != wanted) return "build_frame gives other bytes";

  const wire::FrameTemplate flow(fields);
  Bytes finished(flow.header_bytes() + payload.size() + wire::kMaxPadBytes + wire::kIcrcBytes);
  std::copy(payload.begin(), payload.end(), &finished[flow.header_bytes()]);
  finished.resize(flow.finish(finished.data(), payload.size(), v.psn, v.ip_id));
  if (finished != wanted) return "FrameTemplate gives other bytes";
  return nullptr;
}

// The destination that the bytes would have if they were a frame of the shape: what makes a match
// the likeliest.
wire::FrameShape::Destination destination_of(const Bytes& frame) {
  const bool is_ipv6 = base::load_be16(&frame[2 * wire::kMacBytes]) == wire::kEtherTypeIpv6;
  const uint8_t* ip = &frame[wire::kEthernetBytes];
  const uint8_t* bth = ip + (is_ipv6 ? wire::kIpv6Bytes : wire::kIpv4Bytes) + wire::kUdpBytes;
  wire::FrameShape::Destination to;
  to.gid = is_ipv6 ? wire::load_ipv6(ip).destination
                   : wire::gid_from_ipv4(wire::load_ipv4(ip).destination);
  to.qpn = wire::load_bth(bth).destination_qpn;
  to.pkey = wire::load_bth(bth).pkey;
  to.qkey = wire::load_deth(bth + wire::kBthBytes).qkey;
  return to;
}

// `view` is set if `parsed` is kNone.
const char* check_shape(const Bytes& frame, DropReason parsed, const FrameView& view,
                        bool& shaped) {
  constexpr size_t kEnough = wire::kEthernetBytes + wire::kIpv6Bytes + wire::kUdpBytes +
                             wire::kBthBytes + wire::kDethBytes;
  if (frame.size() < kEnough) return nullptr;
  const auto to = destination_of(frame);
  wire::ShapedFrame found;
  shaped = wire::FrameShape(to).matches(frame.data(), frame.size(), found);
  if (!shaped) return nullptr;
  if (parsed != DropReason::kNone) return "a shape matches what parse_frame refuses";
  const bool same = !view.has_vlan && view.opcode == wire::kOpcodeUdSendOnly &&
                    view.destination_gid == to.gid && view.destination_qpn == to.qpn &&
                    view.pkey == to.pkey && (view.pkey & 0x8000) != 0 && view.qkey == to.qkey &&
                    view.source_gid == found.source_gid && view.source_qpn == found.source_qpn &&
                    view.psn == found.psn && view.payload_offset == found.payload_offset &&
                    view.payload_bytes == found.payload_bytes &&
                    view.icrc_offset == found.icrc_offset && view.l3_offset == wire::kEthernetBytes;
  return same ? nullptr : "a shape sees another frame than parse_frame";
}

}  // namespace

Verdict check_frame(const uint8_t* data, size_t bytes) {
  const Bytes exact(data, data + bytes);
  FrameView view;
  Verdict verdict;
  verdict.parsed = wire::parse_frame(exact.data(), exact.size(), view);
  verdict.violated = check_shape(exact, verdict.parsed, view, verdict.shaped);
  if (verdict.parsed != DropReason::kNone || verdict.violated != nullptr) return verdict;
  verdict.violated = check_offsets(view, bytes);
  if (verdict.violated != nullptr) return verdict;
  verdict.icrc_right = wire::icrc_ok(exact.data(), view);
  verdict.violated = check_transport(exact.data() + view.payload_offset, view.payload_bytes);
  if (verdict.violated != nullptr || !encodable(exact.data(), view)) return verdict;
  verdict.violated = check_rebuild(exact.data(), view);
  verdict.rebuilt = verdict.violated == nullptr;
  return verdict;
}

void mend_ipv4_checksum(uint8_t* frame, size_t bytes) {
  size_t l3 = wire::kEthernetBytes;
  while (l3 <= bytes && l3 < 22 && wire::is_vlan_tag(base::load_be16(frame + l3 - 2))) l3 += 4;
  if (l3 + wire::kIpv4Bytes > bytes || base::load_be16(frame + l3 - 2) != wire::kEtherTypeIpv4)
    return;
  const size_t header_bytes = (frame[l3] & 0x0fu) * 4;
  if (header_bytes < wire::kIpv4Bytes || l3 + header_bytes > bytes) return;
  base::store_be16(frame + l3 + 10, 0);
  const uint32_t sum = wire::internet_sum(frame + l3, header_bytes);
  base::store_be16(frame + l3 + 10, static_cast<uint16_t>(~wire::fold_sum(sum)));
}

}  // namespace lambdacast::fuzz
