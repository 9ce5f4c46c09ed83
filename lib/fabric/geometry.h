// SPDX-License-Identifier: BSD-3-Clause
// The shape of a fabric: how many wavelengths, how deep each ring, how long the longest frame.
// The first process to open a fabric fixes it; everybody else must agree (fabric.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace lambdacast::fabric {

struct Geometry {
  uint32_t wavelengths = 40;    // 1 .. 80: transmitters the coupler can carry
  uint32_t slots = 1024;        // frames a ring holds; a power of two, 64 .. 1 048 576
  uint32_t frame_bytes = 4464;  // longest frame without FCS, 64 .. 16 384 bytes
  // Spacing of the DWDM channels that the wavelengths' indices stand for: 100 or 50 GHz. Says
  // nothing about the memory, but two processes must mean the same channel by one index.
  uint32_t grid_ghz = 100;

  bool operator==(const Geometry&) const = default;

  // Distance between slots. An odd multiple of 128 bytes: never a multiple of 4096 (all slots would
  // fall into the same cache sets), and a slot never shares a prefetched line pair with the next.
  [[nodiscard]] std::size_t slot_stride_bytes() const;
  // Distance between rings: one slot more than it holds, so that equal slots of different rings
  // do not meet in the same cache sets.
  [[nodiscard]] std::size_t ring_stride_bytes() const;
  [[nodiscard]] std::size_t ring_offset(uint32_t wavelength) const;
  [[nodiscard]] std::size_t control_offset(uint32_t wavelength) const;
  [[nodiscard]] std::size_t segment_bytes() const;  // whole 2 MiB pages
  [[nodiscard]] std::string text() const;
};

inline constexpr uint32_t kMaxWavelengths = 80;  // what DWDM modules offer (ODBSS 2019, II.A)
inline constexpr uint32_t kMinSlots = 64;        // must exceed twice the largest transmit burst
inline constexpr uint32_t kMaxSlots = 1u << 20;
inline constexpr uint32_t kMinFrameBytes = 64;
inline constexpr uint32_t kMaxFrameBytes = 16384;

// An error names the field, its value and what is allowed.
[[nodiscard]] base::Result<Geometry> validate(const Geometry& geometry);

}  // namespace lambdacast::fabric
