// What the stages know of a packet: one cache line that travels with the packet handle (the mbuf's
// private area in the data path, a local in the simulator). ReceiveCore fills it; reliability,
// ordering and the application read it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "wire/build.h"
#include "wire/transport.h"

namespace lambdacast::endpoint {

inline constexpr uint16_t kNoPeer = 0xffff;

struct PacketInfo {
  uint64_t frame_seq;        // of the transport header: the place in the sender's stream
  uint64_t rel_seq;          // of the transport header
  uint64_t timestamp_ns;     // the sender's clock at transmission
  uint64_t received_ns;      // our clock, as given to ReceiveCore
  uint32_t group;            // fabric-wide group number
  uint32_t view;             // the sender's view of the group
  uint32_t incarnation;      // the sender's
  uint32_t fragment_offset;  // bytes; 0 for a whole message
  uint32_t message_bytes;    // of the whole message
  uint32_t psn;              // BTH.PSN, 24 bits: a hint
  uint16_t peer;             // PeerTable's dense index of the sender
  uint16_t payload_bytes;    // application bytes in this frame, without transport header and pad
  uint8_t payload_offset;    // where they start, from the start of the frame; at most 214
  wire::Kind kind;
  wire::Qos qos;
  uint8_t flags;  // wire::kFlag...
};

static_assert(sizeof(PacketInfo) == 64, "one cache line: it lives in every mbuf");
static_assert(std::is_trivially_copyable_v<PacketInfo>);
// Two VLAN tags (kMaxHeaderBytes counts one) and the longest transport header fit the 8-bit offset.
static_assert(wire::kMaxHeaderBytes + 4 + wire::kMaxTransportHeaderBytes <= 255);

}  // namespace lambdacast::endpoint
