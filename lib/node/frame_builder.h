// SPDX-License-Identifier: BSD-3-Clause
// Makes a multicast frame of this endpoint from an application's bytes, which are in place in a
// buffer: numbers it, writes the headers before it and pad and ICRC behind it. Nothing is copied.
//
//   frame: | Ethernet .. DETH | transport header 48 or 56 | bytes | pad 0-3 | ICRC 4 |
//          0                                              ^ payload_offset(kind)
//
// A prepared frame must go out (or be kept and sent later): its number is used up, and if it never
// leaves, every receiver sees a loss whose place is this transmitter.
// Not thread-safe: the lcore that runs the rate_control stage owns it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node/identity.h"
#include "node/packet_info.h"
#include "node/transport_template.h"
#include "rate_control/transmit_sequencer.h"
#include "wire/roce/build.h"

namespace lambdacast::node {

struct FrameBuilderConfig {
  EndpointIdentity identity;     // validated
  uint64_t first_frame_seq = 0;  // its low 24 bits are the first PSN (--psn-start)
  uint64_t first_rel_seq = 0;    // before the first recoverable frame
  uint8_t traffic_class = 0;     // DSCP and ECN bits
  wire::IcrcMode icrc = wire::IcrcMode::kFull;
};

class FrameBuilder {
 public:
  static constexpr size_t kRefused = 0;

  explicit FrameBuilder(const FrameBuilderConfig& config);

  // Where the application writes, in bytes from the start of the frame.
  [[nodiscard]] size_t payload_offset(wire::Kind kind = wire::Kind::kData) const {
    return header_bytes_ + wire::transport_header_bytes(kind);
  }
  // What fits one packet: the path MTU without the transport header.
  [[nodiscard]] size_t room_bytes(wire::Kind kind = wire::Kind::kData) const {
    return path_mtu_ - wire::transport_header_bytes(kind);
  }
  // What a buffer must hold for that many bytes of payload, pad and ICRC included.
  [[nodiscard]] size_t buffer_bytes(size_t payload_bytes) const {
    return payload_offset() + payload_bytes + wire::kMaxPadBytes + wire::kIcrcBytes;
  }

  // Makes the frame around a message of `application_bytes` that stands at frame +
  // payload_offset(), in a buffer of at least buffer_bytes(application_bytes). Returns the frame's
  // bytes without FCS, or kRefused, with no number used and nothing written, for more than
  // room_bytes().
  [[nodiscard]] size_t prepare(uint8_t* frame, size_t application_bytes, uint32_t group,
                               wire::Qos qos, uint64_t now_ns);

  // prepare() in two halves, for bursts and for every kind of packet: lay() all frames of a burst,
  // then seal() them. The headers then have left the store buffer when the ICRC reads them back;
  // sealed one by one, each frame waits for its own stores. `info` says what goes out
  // (packet_info.h); its payload_bytes <= room_bytes(info.kind). lay() returns the frame's bytes.
  [[nodiscard]] size_t lay(uint8_t* frame, const PacketInfo& info, uint64_t now_ns) {
    const auto number = sequencer_.next(info.qos != wire::Qos::kUnreliable);
    transport_.store(frame + header_bytes_, info, number.frame_seq, number.rel_seq, now_ns);
    return frame_template_.lay(frame, wire::transport_header_bytes(info.kind) + info.payload_bytes,
                               number.psn, static_cast<uint16_t>(number.frame_seq));
  }
  // lay() of a frame sent before: a new transmission of the same rel_seq.
  [[nodiscard]] size_t lay_repair(uint8_t* frame, const PacketInfo& info, uint64_t rel_seq,
                                  uint64_t now_ns) {
    const auto number = sequencer_.next(false);
    transport_.store(frame + header_bytes_, info, number.frame_seq, rel_seq, now_ns);
    TransportTemplate::mark_repair(frame + header_bytes_);
    return frame_template_.lay(frame, wire::transport_header_bytes(info.kind) + info.payload_bytes,
                               number.psn, static_cast<uint16_t>(number.frame_seq));
  }
  void seal(uint8_t* frame, size_t frame_bytes) const { frame_template_.seal(frame, frame_bytes); }

  [[nodiscard]] const rate_control::TransmitSequencer& sequencer() const { return sequencer_; }

 private:
  rate_control::TransmitSequencer sequencer_;
  size_t header_bytes_;  // Ethernet to DETH
  size_t path_mtu_;
  TransportTemplate transport_;
  wire::FrameTemplate frame_template_;
};

}  // namespace lambdacast::node
