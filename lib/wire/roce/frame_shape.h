// SPDX-License-Identifier: BSD-3-Clause
// The shape that nearly every frame has, of data and of control alike - untagged, IPv4 without
// options or IPv6, UDP 4791, UD SEND_ONLY, to one destination and with its keys - recognised by
// comparing masked words, as a NIC's flow rule does it. Whatever is not of the shape goes to
// parse_frame and through all checks: a shape never refuses a frame, it only saves the parsing of
// most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/roce/gid.h"

namespace lambdacast::wire {

// The part of parse_frame's result for a frame of the shape that a receiver needs.
struct ShapedFrame {
  Gid source_gid;
  uint32_t source_qpn;  // 24 bits
  uint32_t psn;         // 24 bits
  uint16_t payload_offset;
  uint16_t payload_bytes;  // without pad
  uint16_t icrc_offset;
};

// Immutable, so that lcores may share one.
class FrameShape {
 public:
  struct Destination {
    Gid gid;  // its family is the frames'
    uint32_t qpn = 0;
    uint16_t pkey = 0;  // the receiver's: frames carry it with the bit of full members
    uint32_t qkey = 0;
  };
  explicit FrameShape(const Destination& destination);

  // True: parse_frame gives kNone, an untagged UD SEND_ONLY view and the values in `out`; the
  // destination GID and queue pair and both keys are the Destination's (IBTA vol. 1, 10.9.3 for the
  // P_Key). The ICRC and the source are still to be checked. False: anything, also a frame of the
  // shape now and then. Never reads beyond `bytes`.
  [[nodiscard]] bool matches(const uint8_t* frame, size_t bytes, ShapedFrame& out) const {
    return is_ipv6_ ? matches_ipv6(frame, bytes, out) : matches_ipv4(frame, bytes, out);
  }

 private:
  static constexpr size_t kMaxWords = 9;  // from the Ethertype to the end of the DETH, IPv6

  [[nodiscard]] bool matches_ipv4(const uint8_t* frame, size_t bytes, ShapedFrame& out) const;
  [[nodiscard]] bool matches_ipv6(const uint8_t* frame, size_t bytes, ShapedFrame& out) const;

  std::array<uint64_t, kMaxWords> expected_{};  // 8 bytes each, as they lie in memory
  std::array<uint64_t, kMaxWords> mask_{};
  size_t least_bytes_ = 0;  // what is read of every frame that is compared
  bool is_ipv6_ = false;
};

}  // namespace lambdacast::wire
