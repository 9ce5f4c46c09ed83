// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/geometry.h"

#include <bit>

#include "base/cacheline.h"
#include "fabric/layout.h"

namespace lambdacast::fabric {
namespace {

constexpr std::size_t kHugepageBytes = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

base::Result<Geometry> out_of_range(const char* field, uint32_t value, const char* allowed) {
  return base::fail(std::string(field) + "=" + std::to_string(value) +
                    " is not allowed; allowed: " + allowed);
}

}  // namespace

std::size_t Geometry::slot_stride_bytes() const {
  const std::size_t pairs = round_up(sizeof(SlotHeader) + frame_bytes, base::kCacheLinePairBytes) /
                            base::kCacheLinePairBytes;
  return (pairs | 1) * base::kCacheLinePairBytes;
}

std::size_t Geometry::ring_stride_bytes() const {
  return (std::size_t{slots} + 1) * slot_stride_bytes();
}

std::size_t Geometry::control_offset(uint32_t wavelength) const {
  return sizeof(SegmentHeader) + wavelength * sizeof(WavelengthControl);
}

std::size_t Geometry::ring_offset(uint32_t wavelength) const {
  return round_up(control_offset(wavelengths), 4096) + wavelength * ring_stride_bytes();
}

std::size_t Geometry::segment_bytes() const {
  return round_up(ring_offset(wavelengths), kHugepageBytes);
}

std::string Geometry::text() const {
  return "wavelengths=" + std::to_string(wavelengths) + ",slots=" + std::to_string(slots) +
         ",frame_bytes=" + std::to_string(frame_bytes) + ",grid=" + std::to_string(grid_ghz) +
         "GHz";
}

base::Result<Geometry> validate(const Geometry& g) {
  if (g.wavelengths < 1 || g.wavelengths > kMaxWavelengths)
    return out_of_range("wavelengths", g.wavelengths, "1 to 80");
  if (g.slots < kMinSlots || g.slots > kMaxSlots || !std::has_single_bit(g.slots))
    return out_of_range("slots", g.slots, "a power of two from 64 to 1048576");
  if (g.frame_bytes < kMinFrameBytes || g.frame_bytes > kMaxFrameBytes)
    return out_of_range("frame_bytes", g.frame_bytes, "64 to 16384 bytes");
  if (g.grid_ghz != 100 && g.grid_ghz != 50) {
    return base::fail("grid=" + std::to_string(g.grid_ghz) +
                      "GHz is not allowed; allowed: 100GHz or 50GHz");
  }
  return g;
}

}  // namespace lambdacast::fabric
