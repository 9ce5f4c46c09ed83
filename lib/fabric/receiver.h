// SPDX-License-Identifier: BSD-3-Clause
// The reading end of one wavelength's ring: a cursor of its own, and nothing shared. One thread
// owns it. Reads are checked: a frame counts as received only if its slot still held it after the
// copy. A reader that the transmitter has lapped resumes half a ring behind it and knows exactly
// how many frames it has missed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "fabric/copy.h"
#include "fabric/geometry.h"
#include "fabric/layout.h"

namespace lambdacast::fabric {

enum class Peek : uint8_t { kEmpty, kFrame, kOverrun };

class Receiver {
 public:
  Receiver() = default;
  // Listens from the present head on. `segment` is mapped for reading and outlives this.
  Receiver(const uint8_t* segment, const Geometry& geometry, uint32_t wavelength);

  // How many frames are known to be there, `wanted` at most. Looks for more only if fewer are.
  [[nodiscard]] uint32_t available(uint32_t wanted) {
    if (cursor_ + wanted > known_head_) look();
    if (cursor_ >= known_head_) return 0;
    return static_cast<uint32_t>(std::min<uint64_t>(known_head_ - cursor_, wanted));
  }

  // Is the next frame there? On kFrame, length() and copy_to() speak of it until advance().
  // kOverrun: it was overwritten; call resume().
  [[nodiscard]] Peek peek() {
    const uint64_t state = next_->state.load(std::memory_order_acquire);
    if (state != complete_state(cursor_)) [[unlikely]] {
      return state < complete_state(cursor_) ? Peek::kEmpty : Peek::kOverrun;
    }
    // Until the copy has been checked this may be a later frame's length: keep it inside the slot.
    length_ = std::min(length_of(next_->frame.load(std::memory_order_relaxed)), max_frame_bytes_);
    return Peek::kFrame;
  }

  // Bytes of the peeked frame. Bounded by the geometry even when the slot is being overwritten.
  [[nodiscard]] uint32_t length() const { return length_; }

  // When the peeked frame left its transmitter; what it says is as good as still_there() is after.
  [[nodiscard]] uint64_t departure(uint64_t now_ticks) const {
    return departure_of(next_->frame.load(std::memory_order_relaxed), now_ticks);
  }

  // Is its last bit out? Frames are in the ring before that.
  [[nodiscard]] bool has_left(uint64_t now_ticks, uint64_t ticks_hz) const {
    const uint64_t word = next_->frame.load(std::memory_order_relaxed);
    return fabric::has_left(word, now_ticks, ticks_hz);
  }

  // Copies the peeked frame. `to` has room for length(), and at least for kCopyBlockBytes.
  // False: it was overwritten meanwhile, what was copied is worthless; call resume().
  [[nodiscard]] bool copy_to(uint8_t* to) const {
    copy_frame(to, reinterpret_cast<const uint8_t*>(next_ + 1), length_);
    return still_there();
  }

  // Copies `bytes` from `offset` of the peeked frame, unchecked: ask still_there() after the last.
  // offset + bytes <= length(); `to` has room as for copy_to().
  void copy_part(uint8_t* to, uint32_t offset, uint32_t bytes) const {
    copy_frame(to, reinterpret_cast<const uint8_t*>(next_ + 1) + offset, bytes);
  }

  // Was the length of a frame that is passed over without a copy the true one?
  [[nodiscard]] bool still_there() const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return next_->state.load(std::memory_order_relaxed) == complete_state(cursor_);
  }

  void advance() { move_to(cursor_ + 1); }

  // Moves to half a ring behind the transmitter after an overrun. Returns the frames missed.
  uint64_t resume() {
    known_head_ = control_->head.load(std::memory_order_acquire);
    const uint64_t target = known_head_ - std::min<uint64_t>(known_head_, (mask_ + 1) / 2);
    const uint64_t next = std::max(cursor_ + 1, target);
    const uint64_t missed = next - cursor_;
    move_to(next);
    return missed;
  }

  // Fetches the next frame and `ahead` more, as far as they are known to be there and have not been
  // fetched yet. They are expected to be as long as the last one.
  void prefetch(uint32_t ahead) {
    const uint64_t end = std::min(cursor_ + ahead + 1, known_head_);
    const uint32_t bytes = prefetched_bytes(length_);
    for (fetched_ = std::max(fetched_, cursor_); fetched_ < end; ++fetched_) {
      const auto* slot = reinterpret_cast<const uint8_t*>(slot_at(fetched_));
      for (uint32_t at = 0; at < bytes; at += base::kCacheLineBytes) __builtin_prefetch(slot + at);
    }
  }

  // Index of the next frame to read: frames consumed or missed since the ring began.
  [[nodiscard]] uint64_t cursor() const { return cursor_; }
  [[nodiscard]] bool lit() const { return control_->epoch.load(std::memory_order_acquire) != 0; }
  [[nodiscard]] uint64_t epoch() const { return control_->epoch.load(std::memory_order_acquire); }
  [[nodiscard]] uint64_t head() const { return control_->head.load(std::memory_order_acquire); }

 private:
  [[nodiscard]] const SlotHeader* slot_at(uint64_t index) const {
    return reinterpret_cast<const SlotHeader*>(ring_ + (index & mask_) * stride_);
  }

  [[nodiscard]] bool complete(uint64_t index) const {
    return slot_at(index)->state.load(std::memory_order_relaxed) >= complete_state(index);
  }

  // Bursts are waited for at the head: a slot that is looked at before it is written changes caches
  // twice more, once to here and once back, and between many cores that takes longer than a frame's
  // work. Where frames come one by one, the slot tells of the next one sooner.
  void look() {
    if (one_by_one_ && !complete(cursor_)) return;
    if (one_by_one_ && !complete(cursor_ + 1)) {
      known_head_ = cursor_ + 1;
      return;
    }
    known_head_ = control_->head.load(std::memory_order_acquire);
    one_by_one_ = known_head_ == cursor_ + 1;
  }

  void move_to(uint64_t index) {
    cursor_ = index;
    next_ = slot_at(index);
  }

  const SlotHeader* next_ = nullptr;  // slot_at(cursor_)
  const uint8_t* ring_ = nullptr;
  const WavelengthControl* control_ = nullptr;
  uint64_t cursor_ = 0;
  uint64_t known_head_ = 0;  // frames below this are complete (or already overwritten)
  uint64_t fetched_ = 0;     // frames below this are in the cache
  uint64_t mask_ = 0;
  std::size_t stride_ = 0;
  uint32_t max_frame_bytes_ = 0;
  uint32_t length_ = 0;
  bool one_by_one_ = false;  // the newest frame came alone
};

}  // namespace lambdacast::fabric
