// SPDX-License-Identifier: BSD-3-Clause
// Writing RoCEv2 unreliable-datagram frames (SEND_ONLY, with or without immediate). Two ways to the
// same bytes: build_frame, complete and slow, for tests and control; FrameTemplate, for the data
// path, where a flow's headers are laid out once and only what changes is patched per frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/roce/bth.h"
#include "wire/roce/frame.h"
#include "wire/roce/gid.h"
#include "wire/roce/icrc.h"

namespace lambdacast::wire {

// The largest path MTU of InfiniBand bounds the RoCE payload, transport header included.
inline constexpr size_t kMaxPayloadBytes = 4096;
inline constexpr size_t kMaxPadBytes = 3;
// Ethernet, one VLAN tag, IPv6, UDP, BTH, DETH, ImmDt.
inline constexpr size_t kMaxHeaderBytes = 14 + 4 + 40 + 8 + 12 + 8 + 4;
inline constexpr size_t kMaxFrameBytes =
    kMaxHeaderBytes + kMaxPayloadBytes + kMaxPadBytes + kIcrcBytes;

// All that a UD frame says besides its payload; lengths, pad and checksums follow from these.
struct FrameFields {
  MacAddress destination_mac;
  MacAddress source_mac;
  bool has_vlan = false;
  uint16_t vlan_tci = 0;  // priority, DEI and VLAN id as on the wire

  // Both v4-mapped: an IPv4 packet. Neither: an IPv6 packet. One of each cannot be sent.
  Gid source_gid;
  Gid destination_gid;
  uint8_t traffic_class = 0;  // IPv4: TOS
  uint8_t hop_limit = 64;     // IPv4: TTL
  uint16_t ip_id = 0;         // IPv4 only
  bool dont_fragment = true;  // IPv4 only
  uint32_t flow_label = 0;    // IPv6 only, 20 bits
  uint16_t udp_source_port = 0xc000;

  uint16_t pkey = kDefaultPkey;
  uint32_t destination_qpn = 0;  // 24 bits, kMulticastQpn for a multicast GID
  uint32_t source_qpn = 0;       // 24 bits
  uint32_t qkey = 0;
  uint32_t psn = 0;  // 24 bits
  bool solicited = false;
  bool migration_request = false;
  bool ack_request = false;
  bool fecn = false;
  bool becn = false;
  bool has_immediate = false;
  uint32_t immediate = 0;  // host order
};

// The UDP source port that a queue pair's frames carry, 0xc000 ... 0xffff: what Linux's Soft-RoCE
// gives the same number, so that a flow keeps one port and different flows spread over ECMP paths.
[[nodiscard]] constexpr uint16_t roce_source_port(uint32_t source_qpn) {
  return static_cast<uint16_t>(0xc000u + ((source_qpn * 0x61c88647u) >> 18));
}

// The fields of a UD frame that parse_frame accepted (view.is_ud). Encoding them with the frame's
// payload gives its bytes back, if it has at most one VLAN tag and zero in all reserved bits, in
// the pad and in the UDP checksum.
[[nodiscard]] FrameFields fields_of(const uint8_t* frame, const FrameView& view);

// Writes a whole frame without FCS and returns its bytes (unpadded: below Ethernet's 60 is the
// port's affair). Returns 0 and writes nothing if the GIDs' families differ, the payload exceeds
// kMaxPayloadBytes or the frame exceeds `capacity`.
size_t build_frame(const FrameFields& fields, std::span<const uint8_t> payload, uint8_t* out,
                   size_t capacity);

// The headers of one flow, laid out once. Immutable afterwards, so that lcores may share one.
class FrameTemplate {
 public:
  // `fields.psn` and `fields.ip_id` are not used: they come with each frame. IcrcMode::kOff makes
  // frames whose ICRC is zero.
  explicit FrameTemplate(const FrameFields& fields, IcrcMode icrc = IcrcMode::kFull);

  // Where the RoCE payload begins in the frame; 0 if the GIDs' families differ: do not finish then.
  [[nodiscard]] size_t header_bytes() const { return header_bytes_; }

  // Makes a frame around a payload that stands at `frame + header_bytes()` already: writes the
  // headers before it, pad and ICRC behind it, and returns the bytes of the frame. `payload_bytes`
  // <= kMaxPayloadBytes, with room for kMaxPadBytes + kIcrcBytes behind the payload. The same
  // payload may be finished again (a repair).
  size_t finish(uint8_t* frame, size_t payload_bytes, uint32_t psn, uint16_t ip_id) const {
    const size_t frame_bytes = lay(frame, payload_bytes, psn, ip_id);
    seal(frame, frame_bytes);
    return frame_bytes;
  }

  // finish() in two halves, for bursts: lay() all frames of a burst, then seal() them. What lay()
  // stores has then left the store buffer when the ICRC reads it back; finished one by one, each
  // frame waits for its own stores.
  size_t lay(uint8_t* frame, size_t payload_bytes, uint32_t psn, uint16_t ip_id) const;
  void seal(uint8_t* frame, size_t frame_bytes) const {
    if (!makes_icrc_) return;
    const size_t icrc_offset = frame_bytes - kIcrcBytes;
    store_icrc(frame + icrc_offset, icrc(frame, l3_offset_, icrc_offset));
  }

 private:
  static constexpr size_t kHeadWords = 8;  // of 8 bytes: IPv6, UDP, BTH and half of the DETH

  // Write IP, UDP and BTH. `bytes`: from the IP header to the ICRC's place.
  void lay_ipv4(uint8_t* l3, size_t bytes, size_t pad_bytes, uint32_t psn, uint16_t ip_id) const;
  void lay_ipv6(uint8_t* l3, size_t bytes, size_t pad_bytes, uint32_t psn) const;

  std::array<uint8_t, kMaxHeaderBytes> header_{};
  // header_ from the IP header on, as 8-byte words in memory order; zero where finish() fills in.
  std::array<uint64_t, kHeadWords> head_words_{};
  uint32_t ipv4_sum_ = 0;  // of the IPv4 header's words, length, id and checksum counted as zero
  uint8_t header_bytes_ = 0;
  uint8_t l3_offset_ = 0;
  bool is_ipv6_ = false;
  bool makes_icrc_ = true;
};

}  // namespace lambdacast::wire
