// What lies in the shared memory of a fabric, byte for byte. Any change bumps kLayoutVersion.
//
//   control file (tmpfs, mode 0600)      ControlFile: who may attach, where the data lies
//   data segment (hugetlbfs or tmpfs)    SegmentHeader
//                                        WavelengthControl x wavelengths
//                                        ring x wavelengths: slot x (slots + 1, the last unused)
//
// Ownership: a wavelength's WavelengthControl and ring are written by its one transmitter alone;
// SegmentHeader::lit_generation by whoever has just claimed a wavelength. Readers write nothing:
// they map the segment read-only.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cacheline.h"

namespace lambdacast::fabric {

inline constexpr uint64_t kMagic = 0x53534244'4f202020u;
inline constexpr uint32_t kLayoutVersion = 1;

struct ControlFile {
  uint64_t magic;
  uint32_t layout_version;
  uint32_t wavelengths;
  uint32_t slots;
  uint32_t frame_bytes;
  char data_path[256];  // NUL-terminated
};

struct alignas(base::kCacheLinePairBytes) SegmentHeader {
  uint64_t magic;
  uint32_t layout_version;
  uint32_t reserved;
  // Rises whenever a wavelength is claimed: readers look for newly lit wavelengths only then.
  std::atomic<uint64_t> lit_generation;
};

struct alignas(base::kCacheLinePairBytes) WavelengthControl {
  // Frames published so far = index of the next frame. Stored once per burst, so it may lag the
  // slots by up to a burst; never runs ahead of them.
  std::atomic<uint64_t> head;
  // Owners so far; 0 = never lit. A reader sees a new transmitter by a higher epoch.
  std::atomic<uint64_t> epoch;
};

// Precedes each frame in its slot. `state` tells which frame index n the slot holds:
//   2(n+1) - 1   the transmitter is writing frame n
//   2(n+1)       frame n is complete
// It only ever rises, so one load tells a reader "not yet", "here" or "overrun", and the same load
// after the copy proves that what was copied is frame n.
struct SlotHeader {
  std::atomic<uint64_t> state;
  std::atomic<uint32_t> length;  // bytes of the frame
  uint32_t reserved;             // for departure times (delay, line rate)
};
static_assert(sizeof(SlotHeader) == 16);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// How much of a slot to fetch ahead for a frame of that length: every line of a short one, since a
// single line that is not fetched costs more than all the others; the processor follows a long one.
[[nodiscard]] constexpr uint32_t prefetched_bytes(uint32_t frame_bytes) {
  constexpr uint32_t kAtMost = 512;
  const uint32_t bytes = static_cast<uint32_t>(sizeof(SlotHeader)) + frame_bytes;
  return bytes < kAtMost ? bytes : kAtMost;
}

[[nodiscard]] constexpr uint64_t writing_state(uint64_t index) { return 2 * index + 1; }
[[nodiscard]] constexpr uint64_t complete_state(uint64_t index) { return 2 * index + 2; }

}  // namespace lambdacast::fabric
