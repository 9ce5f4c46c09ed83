// SPDX-License-Identifier: BSD-3-Clause
// The layout of a fabric's shared memory, byte for byte. Any change bumps kLayoutVersion.
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

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cacheline.h"
#include "fabric/geometry.h"

namespace lambdacast::fabric {

inline constexpr uint64_t kMagic = 0x53534244'4f202020u;
inline constexpr uint32_t kLayoutVersion = 3;

struct ControlFile {
  uint64_t magic;
  uint32_t layout_version;
  uint32_t wavelengths;
  uint32_t slots;
  uint32_t frame_bytes;
  char data_path[248];  // NUL-terminated
  uint32_t grid_ghz;    // spacing of the channels that the wavelengths' indices stand for
  uint32_t reserved;
};

struct alignas(base::kCacheLinePairBytes) SegmentHeader {
  uint64_t magic;
  uint32_t layout_version;
  uint32_t reserved;
  // Rises whenever a wavelength is claimed: readers look for newly lit wavelengths only then.
  std::atomic<uint64_t> lit_generation;
};

// The owner of a wavelength, and whether that process lives. `lock` is a robust futex (futex(2),
// set_robust_list(2)): the kernel marks it as soon as the thread that holds it ends, before it
// takes the process's memory and files down. The file lock that says who may claim the wavelength
// goes with the files, milliseconds later.
inline constexpr std::size_t kOwnerNameBytes = 24;
struct alignas(base::kCacheLinePairBytes) OwnerControl {
  std::atomic<uint32_t> lock;     // 0: nobody yet; a thread's id; FUTEX_OWNER_DIED: it has ended
  std::atomic<uint32_t> version;  // odd while the rest is written
  std::atomic<uint64_t> epoch;    // WavelengthControl's of the owner that the name is of
  std::array<std::atomic<uint64_t>, kOwnerNameBytes / 8> name;  // what its listeners know it by
};

struct alignas(base::kCacheLinePairBytes) WavelengthControl {
  // Frames published so far = index of the next frame: where readers look for more. Stored once per
  // burst, so it may lag the slots by up to a burst; never runs ahead of them.
  std::atomic<uint64_t> head;
  // Owners so far; 0 = never lit. A reader sees a new transmitter by a higher epoch.
  std::atomic<uint64_t> epoch;
  OwnerControl owner;  // its lines change when an owner does
};

// Precedes each frame in its slot. `state` tells which frame index n the slot holds:
//   2(n+1) - 1   the transmitter is writing frame n
//   2(n+1)       frame n is complete
// It only ever rises, so one load tells a reader "not yet", "here" or "overrun", and the same load
// after the copy proves that what was copied is frame n.
struct SlotHeader {
  std::atomic<uint64_t> state;
  std::atomic<uint64_t> frame;  // frame_word()
};
static_assert(sizeof(SlotHeader) == 16);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// Length and departure of a frame in one word, since they cost one store so: the length in bytes
// below, above it when the frame left its transmitter, in ticks of the machine's clock (the TSC)
// modulo 2^49, two days at 3 GHz. Readers that inject no fault in time never look at it.
inline constexpr uint32_t kLengthBits = 15;
inline constexpr uint64_t kLengthMask = (uint64_t{1} << kLengthBits) - 1;
static_assert(kMaxFrameBytes <= kLengthMask);

[[nodiscard]] constexpr uint64_t frame_word(uint32_t bytes, uint64_t departure_ticks) {
  return departure_ticks << kLengthBits | bytes;
}
[[nodiscard]] constexpr uint32_t length_of(uint64_t word) {
  return static_cast<uint32_t>(word & kLengthMask);
}
// The departure that the word says, as the time nearest to `now_ticks`, before or after it.
[[nodiscard]] constexpr uint64_t departure_of(uint64_t word, uint64_t now_ticks) {
  const uint64_t age = (now_ticks << kLengthBits) - (word & ~kLengthMask);
  return now_ticks - static_cast<uint64_t>(static_cast<int64_t>(age) >> kLengthBits);
}

// A departure further ahead is none: it is a frame of days ago.
inline constexpr uint64_t kFarthestAheadSeconds = 60;
[[nodiscard]] constexpr bool has_left(uint64_t word, uint64_t now_ticks, uint64_t ticks_hz) {
  const uint64_t ahead = departure_of(word, now_ticks) - now_ticks;  // of one that has: 0, or huge
  return ahead - 1 >= kFarthestAheadSeconds * ticks_hz;
}

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
