// SPDX-License-Identifier: BSD-3-Clause
// What the stages know of a packet: a cache line that travels with it (the mbuf's private area in
// the data path, beside the frame in the simulator), and a second one for what only some kinds of
// packet have. Receiving, FrameClassifier fills it; reliability, ordering and the application read
// it. Sending, the publisher says in group, kind, qos, payload_bytes and the fragment's fields what
// goes out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reliability/loss_reason.h"
#include "wire/control/control.h"
#include "wire/control/messages.h"
#include "wire/control/reserved_groups.h"
#include "wire/control/transport.h"
#include "wire/roce/build.h"

namespace lambdacast::node {

inline constexpr uint16_t kNoPeer = 0xffff;

// kControl: what a control frame's header says beside incarnation and timestamp_ns, which stand in
// the first line. Decoded and checked once, by FrameClassifier.
struct ControlPart {
  uint32_t data_qpn;
  uint16_t entries;
  uint16_t statuses;
  wire::ControlKind kind;
  uint8_t flags;
  uint8_t version;
};

// kGap: positions of the peer's stream from rel_seq on that are lost.
struct GapPart {
  uint64_t positions;
  reliability::LossReason reason;
};

// kView: the members stand in the frame's room (view_packet.h).
struct ViewPart {
  uint64_t epoch;
  uint64_t round;
  uint32_t coordinator;  // its incarnation
  uint16_t members;
  uint16_t stayed;
  uint8_t what;  // ViewEvent::What
};

struct alignas(64) PacketInfo {
  uint64_t frame_seq;     // of the transport header: the place in the sender's stream
  uint64_t rel_seq;       // of the transport header
  uint64_t timestamp_ns;  // the sender's clock at transmission
  uint64_t received_ns;   // our clock, as given to FrameClassifier
  uint32_t group;         // fabric-wide group number
  uint32_t place;         // delivered: of the group among the subscriptions, a hint
  union {
    uint32_t fragment_offset;  // a fragment: bytes. Other kinds but kMessages: 0
    uint32_t messages;         // kMessages: how many there are
  };
  uint32_t message_bytes;  // a fragment: of the whole message. Else payload_bytes
  uint32_t incarnation;    // the sender's
  uint32_t psn;            // BTH.PSN, 24 bits: a hint
  uint16_t peer;           // PeerTable's dense index of the sender
  uint16_t payload_bytes;  // application bytes in this frame, without transport header and pad
  uint8_t payload_offset;  // where they start, from the start of the frame; at most 214
  wire::Kind kind;         // also says what the second line is
  wire::Qos qos;
  uint8_t flags;  // wire::kFlag...

  union {
    struct {
      // Fragments (wire::is_fragment()).
      uint32_t message_id;
      uint16_t fragment_bytes;
      uint16_t reassembly;     // of the fragment that completes its message: ordering's handle
      const uint8_t* message;  // of that one: all message_bytes of it

      // Totally ordered packets and above, as they are delivered.
      uint64_t index;   // of the first message, in its domain and view
      uint64_t epoch;   // of the view
      uint32_t domain;  // of the group
    };
    ControlPart control;  // kControl
    GapPart gap;          // kGap
    ViewPart view;        // kView
  };
};

static_assert(offsetof(PacketInfo, message_id) == 64, "whole messages live in one cache line");
static_assert(sizeof(PacketInfo) == 128);
static_assert(std::is_trivially_copyable_v<PacketInfo>);
// Two VLAN tags (kMaxHeaderBytes counts one) and the longest transport header fit the 8-bit offset.
static_assert(wire::kMaxHeaderBytes + 4 + wire::kMaxTransportHeaderBytes <= 255);

// Is it the protocol's own, among recoverable packets: marks, or what members announce of their
// rates? No application gets it, and it is nobody's content.
[[nodiscard]] inline bool is_protocols_own(const PacketInfo& info) {
  return wire::is_order_group(info.group) || info.group == wire::kRateGroup;
}

// The header of a control frame that FrameClassifier has taken.
[[nodiscard]] inline wire::ControlHeader control_header(const PacketInfo& info) {
  const ControlPart& part = info.control;
  return {.kind = part.kind,
          .flags = part.flags,
          .incarnation = info.incarnation,
          .data_qpn = part.data_qpn,
          .entries = part.entries,
          .timestamp_ns = info.timestamp_ns,
          .statuses = part.statuses,
          .version = part.version};
}

// Describes a gap in the place of a packet, or of none: `positions` from its rel_seq on are lost.
inline void become_gap(PacketInfo& info, uint64_t positions, reliability::LossReason reason) {
  info.kind = wire::Kind::kGap;
  info.gap = {positions, reason};
}

// A message too long for a packet, as its sender cuts it.
struct LongMessage {
  uint32_t group = 0;
  wire::Qos qos = wire::Qos::kUnreliable;
  uint32_t id = 0;              // of its sender's
  uint32_t bytes = 0;           // in all
  uint16_t fragment_bytes = 0;  // in each of its packets but the last
  wire::Kind kind = wire::Kind::kFragment;
};

// What its sender says of the fragment that begins at `offset`.
[[nodiscard]] inline PacketInfo fragment_info(const LongMessage& message, uint32_t offset) {
  PacketInfo info{};
  info.kind = message.kind;
  info.qos = message.qos;
  info.group = message.group;
  info.message_id = message.id;
  info.message_bytes = message.bytes;
  info.fragment_bytes = message.fragment_bytes;
  info.fragment_offset = offset;
  info.payload_bytes =
      static_cast<uint16_t>(std::min<uint32_t>(message.fragment_bytes, message.bytes - offset));
  return info;
}

// How many messages a packet carries or begins: a fragmented one counts with its first fragment.
[[nodiscard]] inline uint32_t messages_begun(const PacketInfo& info) {
  if (info.kind == wire::Kind::kData) [[likely]]
    return 1;
  if (wire::is_messages(info.kind)) return info.messages;
  return info.fragment_offset == 0 ? 1 : 0;
}

// The bytes of the payload that the application wrote.
[[nodiscard]] inline uint32_t application_bytes(const PacketInfo& info) {
  const uint32_t lengths = wire::is_messages(info.kind) ? info.messages : 0;
  return info.payload_bytes - lengths * static_cast<uint32_t>(wire::kMessageLengthBytes);
}

}  // namespace lambdacast::node
