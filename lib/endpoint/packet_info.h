// What the stages know of a packet: a cache line that travels with the packet handle (the mbuf's
// private area in the data path, a local in the simulator), and a second one that only fragments
// and totally ordered packets use. Receiving, FrameClassifier fills it; reliability, ordering and
// the application read it. Sending, the publisher says in group, kind, qos, payload_bytes and the
// fragment's fields what goes out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "wire/control/messages.h"
#include "wire/control/transport.h"
#include "wire/roce/build.h"

namespace lambdacast::endpoint {

inline constexpr uint16_t kNoPeer = 0xffff;

struct alignas(64) PacketInfo {
  uint64_t frame_seq;        // of the transport header: the place in the sender's stream
  uint64_t rel_seq;          // of the transport header
  uint64_t timestamp_ns;     // the sender's clock at transmission
  uint64_t received_ns;      // our clock, as given to FrameClassifier
  uint32_t group;            // fabric-wide group number
  uint32_t place;            // delivered: of the group among the subscriptions, a hint
  uint32_t fragment_offset;  // kFragment: bytes. kMessages: how many there are. Else 0
  uint32_t message_bytes;    // kFragment: of the whole message. Else payload_bytes
  uint32_t incarnation;      // the sender's
  uint32_t psn;              // BTH.PSN, 24 bits: a hint
  uint16_t peer;             // PeerTable's dense index of the sender
  uint16_t payload_bytes;    // application bytes in this frame, without transport header and pad
  uint8_t payload_offset;    // where they start, from the start of the frame; at most 214
  wire::Kind kind;
  wire::Qos qos;
  uint8_t flags;  // wire::kFlag...

  // kFragment only, from here on.
  alignas(64) uint32_t message_id;
  uint16_t fragment_bytes;
  uint16_t reassembly;     // of the fragment that completes its message: ordering's handle
  const uint8_t* message;  // likewise: all message_bytes of it

  // As they are delivered, of totally ordered packets and above only.
  uint64_t index;   // of the first message, in its domain and view
  uint64_t epoch;   // of the view
  uint32_t domain;  // of the group
};

static_assert(offsetof(PacketInfo, message_id) == 64, "whole messages live in one cache line");
static_assert(sizeof(PacketInfo) == 128);
static_assert(std::is_trivially_copyable_v<PacketInfo>);
// Two VLAN tags (kMaxHeaderBytes counts one) and the longest transport header fit the 8-bit offset.
static_assert(wire::kMaxHeaderBytes + 4 + wire::kMaxTransportHeaderBytes <= 255);

// A message too long for a packet, as its sender cuts it.
struct LongMessage {
  uint32_t group = 0;
  wire::Qos qos = wire::Qos::kUnreliable;
  uint32_t id = 0;              // of its sender's
  uint32_t bytes = 0;           // in all
  uint16_t fragment_bytes = 0;  // in each of its packets but the last
};

// What its sender says of the fragment that begins at `offset`.
[[nodiscard]] inline PacketInfo fragment_info(const LongMessage& message, uint32_t offset) {
  PacketInfo info{};
  info.kind = wire::Kind::kFragment;
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
  if (info.kind == wire::Kind::kMessages) return info.fragment_offset;
  return info.fragment_offset == 0 ? 1 : 0;
}

// Of its payload, what the application wrote.
[[nodiscard]] inline uint32_t application_bytes(const PacketInfo& info) {
  const uint32_t lengths = info.kind == wire::Kind::kMessages ? info.fragment_offset : 0;
  return info.payload_bytes - lengths * static_cast<uint32_t>(wire::kMessageLengthBytes);
}

}  // namespace lambdacast::endpoint
