// SPDX-License-Identifier: BSD-3-Clause
#include "node/frame_classifier.h"

#include <algorithm>
#include <array>

#include "wire/control/control.h"
#include "wire/control/messages.h"
#include "wire/control/transport.h"
#include "wire/roce/build.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/psn.h"

namespace lambdacast::node {

using counters::DropReason;

namespace {
constexpr uint16_t kVlanIdMask = 0x0fff;  // IEEE 802.1Q, 9.6

// To a group, untagged. In a VLAN frames have another shape: none matches partition 0.
wire::FrameShape::Destination shape_of(const EndpointIdentity& identity, const wire::Gid& group) {
  const bool tagged = (identity.vlan_tci.value_or(0) & kVlanIdMask) != 0;
  const uint16_t pkey = tagged ? 0 : identity.pkey;
  return {group, wire::kMulticastQpn, pkey, identity.qkey};
}

// A payload that cannot be data: no transport header begins as a control frame does.
DropReason foreign_or(const uint8_t* frame, const wire::ShapedFrame& found, DropReason refused) {
  return wire::begins_control(frame + found.payload_offset, found.payload_bytes)
             ? DropReason::kForeignFabric
             : refused;
}
}  // namespace

FrameClassifier::FrameClassifier(const FrameClassifierConfig& config)
    : gid_(config.identity.gid),
      multicast_gid_(config.identity.multicast_gid),
      control_gid_(config.identity.control_gid),
      data_qpn_(config.identity.data_qpn),
      control_qpn_(config.identity.control_qpn),
      incarnation_(config.identity.incarnation),
      path_mtu_(config.identity.path_mtu),
      addressee_(config.identity.data_qpn, config.identity.qkey, config.identity.pkey,
                 config.identity.vlan_tci),
      verify_icrc_(wire::verifies_icrc(config.icrc)),
      psn_of_frame_seq_(config.tells_psn ? 0 : wire::kPsnMask),
      shape_(shape_of(config.identity, config.identity.multicast_gid)),
      control_shape_(shape_of(config.identity, config.identity.control_gid)),
      peers_(config.max_peers) {}

DropReason FrameClassifier::receive(const uint8_t* frame, size_t bytes, uint64_t now_ns,
                                    PacketInfo& out) {
  ReceivedFrame one{frame, bytes, &out, DropReason::kNone};
  receive_step({&one, 1}, now_ns);
  return one.outcome;
}

void FrameClassifier::receive_burst(std::span<ReceivedFrame> burst, uint64_t now_ns) {
  while (!burst.empty()) {
    const auto step = burst.first(std::min(burst.size(), kStepFrames));
    receive_step(step, now_ns);
    burst = burst.subspan(step.size());
  }
}

void FrameClassifier::receive_step(std::span<ReceivedFrame> step, uint64_t now_ns) {
  enum class Shape : uint8_t { kOther, kData, kControl, kBadIcrc };
  std::array<Shape, kStepFrames> shape;
  for (size_t i = 0; i < step.size(); ++i) {
    const ReceivedFrame& each = step[i];
    if (shape_.matches(each.frame, each.bytes, found_[i])) [[likely]]
      shape[i] = Shape::kData;
    else
      shape[i] = control_shape_.matches(each.frame, each.bytes, found_[i]) ? Shape::kControl
                                                                           : Shape::kOther;
    __builtin_prefetch(each.info, 1);
  }
  for (size_t i = 0; verify_icrc_ && i < step.size(); ++i) {
    if (shape[i] != Shape::kOther &&
        !wire::icrc_ok(step[i].frame, wire::kEthernetBytes, found_[i].icrc_offset)) [[unlikely]]
      shape[i] = Shape::kBadIcrc;
  }
  for (size_t i = 0; i < step.size(); ++i) {
    ReceivedFrame& each = step[i];
    if (shape[i] == Shape::kData) [[likely]]
      each.outcome = take(each.frame, found_[i], now_ns, *each.info);
    else if (shape[i] == Shape::kControl)
      each.outcome = take_control(each.frame, found_[i], now_ns, *each.info);
    else if (shape[i] == Shape::kOther)
      each.outcome = receive_other(each.frame, each.bytes, now_ns, *each.info);
    else
      each.outcome = DropReason::kBadIcrc;
  }
}

DropReason FrameClassifier::receive_other(const uint8_t* frame, size_t bytes, uint64_t now_ns,
                                          PacketInfo& out) {
  wire::FrameView view;
  if (const DropReason r = wire::parse_frame(frame, bytes, view); r != DropReason::kNone) return r;
  if (verify_icrc_ && !wire::icrc_ok(frame, view)) return DropReason::kBadIcrc;
  if (const DropReason r = check_addresses(view); r != DropReason::kNone) return r;
  const wire::ShapedFrame found{view.source_gid,     view.source_qpn,    view.psn,
                                view.payload_offset, view.payload_bytes, view.icrc_offset};
  const bool is_control = GidWords(view.destination_gid) == control_gid_;
  return is_control ? take_control(frame, found, now_ns, out) : take(frame, found, now_ns, out);
}

DropReason FrameClassifier::take(const uint8_t* frame, const wire::ShapedFrame& found,
                                 uint64_t now_ns, PacketInfo& out) {
  if (found.source_qpn == data_qpn_ && GidWords(found.source_gid) == gid_) [[unlikely]]
    return own_frame(frame, found, out);
  if (found.payload_bytes > path_mtu_) [[unlikely]]
    return foreign_or(frame, found, DropReason::kPayloadTooLong);
  if (const DropReason r = read_transport(frame, found, out); r != DropReason::kNone) [[unlikely]] {
    if (r == DropReason::kTransportVersion) note_stranger(frame, found, false);
    return r;
  }
  out.psn = found.psn | (static_cast<uint32_t>(out.frame_seq) & psn_of_frame_seq_);
  out.received_ns = now_ns;
  out.peer = peers_.find_or_learn(found.source_gid, found.source_qpn, now_ns);
  return out.peer == kNoPeer ? DropReason::kPeerTableFull : DropReason::kNone;
}

DropReason FrameClassifier::check_addresses(const wire::FrameView& view) const {
  const GidWords destination(view.destination_gid);
  if (destination == multicast_gid_ || destination == control_gid_) {
    return addressee_.check(view, Destination::kGroup);
  }
  return addressee_.check(view, destination == gid_ ? Destination::kOwnGid : Destination::kOther);
}

DropReason FrameClassifier::take_control(const uint8_t* frame, const wire::ShapedFrame& found,
                                         uint64_t now_ns, PacketInfo& out) {
  if (found.source_qpn == control_qpn_ && GidWords(found.source_gid) == gid_)
    return own_frame(frame, found, out);
  if (wire::begins_transport(frame + found.payload_offset, found.payload_bytes))
    return DropReason::kForeignFabric;
  if (found.payload_bytes > path_mtu_) return DropReason::kPayloadTooLong;
  wire::ControlHeader header;
  const DropReason r =
      wire::load_control(frame + found.payload_offset, found.payload_bytes, header);
  if (r == DropReason::kControlVersion) note_stranger(frame, found, true);
  if (r != DropReason::kNone) return r;
  out = PacketInfo{};
  out.kind = wire::Kind::kControl;
  out.control = {.data_qpn = header.data_qpn,
                 .entries = header.entries,
                 .statuses = header.statuses,
                 .kind = header.kind,
                 .flags = header.flags,
                 .version = header.version};
  out.incarnation = header.incarnation;
  out.timestamp_ns = header.timestamp_ns;
  out.received_ns = now_ns;
  out.payload_offset = static_cast<uint8_t>(found.payload_offset);
  out.payload_bytes = found.payload_bytes;
  out.psn = found.psn;
  out.peer = peers_.find_or_learn(found.source_gid, header.data_qpn, now_ns);
  return out.peer == kNoPeer ? DropReason::kPeerTableFull : DropReason::kNone;
}

// Both formats begin with the version.
void FrameClassifier::note_stranger(const uint8_t* frame, const wire::ShapedFrame& found,
                                    bool control) {
  stranger_ = {found.source_gid, static_cast<uint8_t>(frame[found.payload_offset] >> 4), control};
}

// Both formats have the incarnation at the same place. What is of neither tells nothing.
DropReason FrameClassifier::own_frame(const uint8_t* frame, const wire::ShapedFrame& found,
                                      PacketInfo& out) const {
  const uint8_t* const payload = frame + found.payload_offset;
  const bool tells = wire::begins_control(payload, found.payload_bytes) ||
                     wire::begins_transport(payload, found.payload_bytes);
  out.incarnation = tells ? base::load_be32(payload + 4) : incarnation_;
  return DropReason::kOwnFrame;
}

DropReason FrameClassifier::read_transport(const uint8_t* frame, const wire::ShapedFrame& found,
                                           PacketInfo& out) {
  wire::TransportHeader header;
  size_t header_bytes = 0;
  const DropReason r =
      wire::load_transport(frame + found.payload_offset, found.payload_bytes, header, header_bytes);
  if (r != DropReason::kNone) [[unlikely]]
    return foreign_or(frame, found, r);
  const size_t application_bytes = found.payload_bytes - header_bytes;
  out.frame_seq = header.frame_seq;
  out.rel_seq = header.rel_seq;
  out.timestamp_ns = header.timestamp_ns;
  out.group = header.group;
  out.fragment_offset = header.fragment_offset;
  out.message_bytes = header.message_bytes;
  out.incarnation = header.incarnation;
  out.payload_bytes = static_cast<uint16_t>(application_bytes);
  out.payload_offset = static_cast<uint8_t>(found.payload_offset + header_bytes);
  out.kind = header.kind;
  out.qos = header.qos;
  out.flags = header.flags;
  if (header.kind == wire::Kind::kData) [[likely]]
    return DropReason::kNone;
  if (wire::is_messages(header.kind)) return check_messages(frame, out);
  out.message_id = header.message_id;
  out.fragment_bytes = header.fragment_bytes;
  out.message = nullptr;
  return DropReason::kNone;
}

DropReason FrameClassifier::check_messages(const uint8_t* frame, const PacketInfo& info) {
  const auto messages = wire::count_messages(frame + info.payload_offset, info.payload_bytes);
  return messages == info.messages ? DropReason::kNone : DropReason::kTransportMessages;
}

}  // namespace lambdacast::node
