// SPDX-License-Identifier: BSD-3-Clause
// The Lambdacast transport header: 48 bytes, big-endian, at the start of the RoCE payload of every
// frame to a data queue pair. The truth about a frame's place in its stream; BTH.PSN is a hint.
// doc/protocol.md gives the reason for each field.
//
//   0  version (4 bits, 1) | header length in 8-byte units (4 bits, base 6)
//   1  kind          2  QoS level      3  flags
//   4  incarnation   8  frame_seq     16  rel_seq      24  timestamp_ns
//  32  group        36  view          40  fragment_offset   44  message_bytes
//  48  message_id   52  fragment_bytes  54  zero            fragments only: the first extension
//
// A header length above 6 means extensions of 8 bytes each behind the base part; a receiver that
// does not know them skips them. Fragments have at least one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "counters/drop_reason.h"
#include "lambdacast/qos.h"

namespace lambdacast::wire {

inline constexpr size_t kTransportHeaderBytes = 48;
inline constexpr size_t kMaxTransportHeaderBytes = 15 * 8;  // what the length nibble can say
inline constexpr uint8_t kTransportVersion = 1;

// A message may have this many bytes, in fragments.
inline constexpr uint32_t kMaxMessageBytes = 16u << 20;
inline constexpr size_t kFragmentHeaderBytes = kTransportHeaderBytes + 8;

// The low four bits of a kind that comes in frames are its shape, the high ones its layer.
enum class Kind : uint8_t {
  kData = 1,      // one whole message
  kMessages = 2,  // several whole messages of one group (wire/control/messages.h)
  kFragment = 3,  // a part of a message
  kGroup = 4,     // one whole message of the group layer: who is in which group, not what they say

  // Calls and what comes of them (wire/control/request.h). Receivers that know no calls take them
  // for no data: to them their kinds are unknown.
  kRequest = 0x11,          // one whole message
  kRequestMessages = 0x12,  // several of one group (wire/control/messages.h)
  kRequestFragment = 0x13,  // a part of one

  // Never in a transport header: what PacketInfo calls a packet that is no data.
  kControl = 0x40,  // a control frame (wire/control/control.h)
  kGap = 0x41,      // no frame: the place of packets that were declared lost
  kView = 0x42,     // no frame: the place where a view begins or ends
};

[[nodiscard]] constexpr bool is_fragment(Kind kind) {
  return kind == Kind::kFragment || kind == Kind::kRequestFragment;
}
[[nodiscard]] constexpr bool is_messages(Kind kind) {
  return kind == Kind::kMessages || kind == Kind::kRequestMessages;
}
[[nodiscard]] constexpr bool is_request(Kind kind) {
  return kind >= Kind::kRequest && kind <= Kind::kRequestFragment;
}
// Is it a kind of frames?
[[nodiscard]] constexpr bool is_known(uint8_t kind) {
  return (kind >= static_cast<uint8_t>(Kind::kData) &&
          kind <= static_cast<uint8_t>(Kind::kGroup)) ||
         is_request(static_cast<Kind>(kind));
}

using lambdacast::kQosLevels;
using lambdacast::Qos;

// In flags: the frame repeats a rel_seq sent before (a repair). Other bits are sent as zero and
// ignored on receipt.
inline constexpr uint8_t kFlagRepair = 0x01;

struct TransportHeader {
  Kind kind = Kind::kData;
  Qos qos = Qos::kUnreliable;
  uint8_t flags = 0;             // kFlag...
  uint32_t incarnation = 0;      // the sender's, another at every start
  uint64_t frame_seq = 0;        // counts every transmission of the queue pair; PSN = low 24 bits
  uint64_t rel_seq = 0;          // of this frame if recoverable, else the last one before it
  uint64_t timestamp_ns = 0;     // the sender's clock when it handed the frame to the port
  uint32_t group = 0;            // the fabric-wide number of the group
  uint32_t view = 0;             // the sender's view of the group; 0 without membership
  uint32_t fragment_offset = 0;  // kFragment: where these bytes belong in the message.
                                 // kMessages: how many there are. Else 0
  uint32_t message_bytes = 0;    // kFragment: of the whole message. Else of this payload
  uint32_t message_id = 0;       // kFragment: tells the sender's messages apart while they arrive
  uint16_t fragment_bytes = 0;   // kFragment: of each fragment of the message but the last

  bool operator==(const TransportHeader&) const = default;
};

// A payload that begins like a transport header of any version, and not like a control frame: that
// one's first byte has zero in place of the header's length.
[[nodiscard]] inline bool begins_transport(const uint8_t* payload, size_t payload_bytes) {
  return payload_bytes >= kTransportHeaderBytes &&
         size_t{payload[0] & 0x0fu} * 8 >= kTransportHeaderBytes;
}

// The length of a header of that kind as we write it.
[[nodiscard]] constexpr size_t transport_header_bytes(Kind kind) {
  return is_fragment(kind) ? kFragmentHeaderBytes : kTransportHeaderBytes;
}

// Writes transport_header_bytes(header.kind) at `out`: version 1.
void store_transport(const TransportHeader& header, uint8_t* out);

// Are `bytes` at `offset` a fragment of a message of `message_bytes` that is cut into pieces of
// `each`? Every byte of the message belongs to exactly one fragment: all but the last are equally
// long.
[[nodiscard]] bool is_fragment_of(uint32_t message_bytes, uint32_t offset, uint32_t each,
                                  size_t bytes);

// Reads the header at the start of a RoCE payload of `payload_bytes`; never reads beyond. On kNone
// `out` is filled and `header_bytes` says where the message's bytes begin (48, or up to 120 with
// extensions), and the fields that the kind gives a meaning agree with one another and with the
// payload's length; a fragment is never the whole of its message, and a packet of messages may
// still hold records that do not add up (count_messages). Otherwise both are unspecified and the
// result is one of kTransportTooShort, kTransportVersion, kTransportHeaderLength, kTransportKind,
// kTransportQos, kTransportFragment, kTransportMessages. Inline: the receive stage then takes the
// fields from registers.
[[nodiscard]] inline counters::DropReason load_transport(const uint8_t* payload,
                                                         size_t payload_bytes, TransportHeader& out,
                                                         size_t& header_bytes) {
  using counters::DropReason;
  if (payload_bytes < kTransportHeaderBytes) return DropReason::kTransportTooShort;
  if (payload[0] >> 4 != kTransportVersion) return DropReason::kTransportVersion;
  header_bytes = size_t{payload[0] & 0x0fu} * 8;
  if (header_bytes < kTransportHeaderBytes) return DropReason::kTransportHeaderLength;
  if (header_bytes > payload_bytes) return DropReason::kTransportTooShort;
  if (!is_known(payload[1])) return DropReason::kTransportKind;
  if (payload[2] >= kQosLevels) return DropReason::kTransportQos;

  out.kind = static_cast<Kind>(payload[1]);
  out.qos = static_cast<Qos>(payload[2]);
  out.flags = payload[3];
  out.incarnation = base::load_be32(payload + 4);
  out.frame_seq = base::load_be64(payload + 8);
  out.rel_seq = base::load_be64(payload + 16);
  out.timestamp_ns = base::load_be64(payload + 24);
  out.group = base::load_be32(payload + 32);
  out.view = base::load_be32(payload + 36);
  out.fragment_offset = base::load_be32(payload + 40);
  out.message_bytes = base::load_be32(payload + 44);

  const size_t bytes = payload_bytes - header_bytes;
  if (is_fragment(out.kind)) [[unlikely]] {
    if (header_bytes < kFragmentHeaderBytes) return DropReason::kTransportHeaderLength;
    out.message_id = base::load_be32(payload + 48);
    out.fragment_bytes = base::load_be16(payload + 52);
    return is_fragment_of(out.message_bytes, out.fragment_offset, out.fragment_bytes, bytes)
               ? DropReason::kNone
               : DropReason::kTransportFragment;
  }
  if (is_messages(out.kind)) {
    return out.message_bytes == bytes ? DropReason::kNone : DropReason::kTransportMessages;
  }
  return out.fragment_offset == 0 && out.message_bytes == bytes ? DropReason::kNone
                                                                : DropReason::kTransportFragment;
}

}  // namespace lambdacast::wire
