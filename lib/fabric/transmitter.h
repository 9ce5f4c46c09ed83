// SPDX-License-Identifier: BSD-3-Clause
// The writing end of a wavelength's ring. One thread owns it. A send costs the same whatever the
// number of listeners: nothing here reads or writes a line that a reader owns.
//
//   uint8_t* frame = transmitter.begin_frame();   // where the frame goes; gather segments into it
//   transmitter.end_frame(bytes, departure);      // readers can see it from here on
//   transmitter.end_burst();                      // publishes the head, once per burst
#pragma once

#include <atomic>
#include <cstdint>

#include "fabric/geometry.h"
#include "fabric/layout.h"

namespace lambdacast::fabric {

class Transmitter {
 public:
  Transmitter() = default;
  // `segment` is mapped for writing and outlives this. Continues where the last owner stopped: a
  // slot it left half written was never complete, so no reader took it, and it is written afresh
  // as the same index (no void is needed).
  Transmitter(uint8_t* segment, const Geometry& geometry, uint32_t wavelength);

  [[nodiscard]] uint8_t* begin_frame() {
    SlotHeader* slot = slot_at(next_);
    slot->state.store(writing_state(next_), std::memory_order_relaxed);
    // Readers that see any byte of the new frame must also see that the old one is gone.
    std::atomic_thread_fence(std::memory_order_release);
    return reinterpret_cast<uint8_t*>(slot + 1);
  }

  // bytes <= max_frame_bytes(). departure_ticks: when the last bit leaves, by the machine's clock
  // (the TSC); never before the last frame's.
  void end_frame(uint32_t bytes, uint64_t departure_ticks) {
    SlotHeader* slot = slot_at(next_);
    slot->frame.store(frame_word(bytes, departure_ticks), std::memory_order_relaxed);
    slot->state.store(complete_state(next_), std::memory_order_release);
    ++next_;
  }

  void end_burst() { control_->head.store(next_, std::memory_order_release); }

  // Asks for the lines of the slot `ahead` frames from now, for writing a frame of that length:
  // they were last in some reader's cache, and the store buffer is too short to wait for them.
  void prefetch(uint32_t ahead, uint32_t frame_bytes) const {
    const auto* slot = reinterpret_cast<const uint8_t*>(slot_at(next_ + ahead));
    const uint32_t bytes = prefetched_bytes(frame_bytes);
    for (uint32_t at = 0; at < bytes; at += base::kCacheLineBytes) __builtin_prefetch(slot + at, 1);
  }

  [[nodiscard]] uint64_t next_index() const { return next_; }
  [[nodiscard]] uint32_t max_frame_bytes() const { return max_frame_bytes_; }
  [[nodiscard]] uint64_t epoch() const { return epoch_; }

 private:
  [[nodiscard]] SlotHeader* slot_at(uint64_t index) const {
    return reinterpret_cast<SlotHeader*>(ring_ + (index & mask_) * stride_);
  }

  uint8_t* ring_ = nullptr;
  WavelengthControl* control_ = nullptr;
  uint64_t next_ = 0;  // index of the frame to be written next
  uint64_t mask_ = 0;
  std::size_t stride_ = 0;
  uint32_t max_frame_bytes_ = 0;
  uint64_t epoch_ = 0;
};

}  // namespace lambdacast::fabric
