// SPDX-License-Identifier: BSD-3-Clause
// Copies of frames on their way from one lcore to the capture's writer: a bounded ring of bytes
// with one producer and one consumer. The producer stages copies behind the published ones and
// publishes as many of them as prove worth it (frames that the port has taken); it never waits.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "base/cacheline.h"
#include "capture/pcapng.h"

namespace lambdacast::capture {

struct CapturedFrame {
  uint64_t time_ns = 0;         // of the rack's clock
  uint32_t original_bytes = 0;  // without FCS
  uint32_t captured_bytes = 0;  // of them, those that are here
  uint32_t interface = 0;
  pcapng::Direction direction = pcapng::Direction::kIn;
};

class CaptureRing {
 public:
  // The ring has `bytes`, or the power of two below. valid() says whether there was memory for it.
  explicit CaptureRing(size_t bytes)
      : size_(std::bit_floor(bytes)),
        mask_(size_ - 1),
        bytes_(new (std::nothrow) uint8_t[size_]()) {}
  [[nodiscard]] bool valid() const { return bytes_ != nullptr; }

  // --- producer -------------------------------------------------------------------------------
  // Where to write frame.captured_bytes, behind what is staged; null if the ring is full.
  [[nodiscard]] uint8_t* stage(const CapturedFrame& frame) {
    const size_t needed = record_bytes(frame.captured_bytes);
    const size_t to_the_end = size_ - (staged_ & mask_);
    const size_t skipped = needed > to_the_end ? to_the_end : 0;  // records do not wrap
    if (!has_room(skipped + needed)) return nullptr;
    if (skipped != 0) at(staged_).captured_bytes = kSkip;
    staged_ += skipped;
    at(staged_) = frame;
    uint8_t* data = bytes_.get() + (staged_ & mask_) + sizeof(CapturedFrame);
    staged_ += needed;
    return data;
  }
  // A place in the ring: everything staged so far lies before it.
  [[nodiscard]] uint64_t staged() const { return staged_; }
  // Gives what lies before `place` to the consumer, and takes back what was staged behind it.
  void publish(uint64_t place) {
    staged_ = place;
    published_.store(place, std::memory_order_release);
  }

  // --- consumer -------------------------------------------------------------------------------
  // The place up to which the producer has published by now.
  [[nodiscard]] uint64_t published() const { return published_.load(std::memory_order_acquire); }
  // The next frame before `published`, or null.
  [[nodiscard]] const CapturedFrame* front(uint64_t published) {
    uint64_t place = consumed_.load(std::memory_order_relaxed);
    if (place == published) return nullptr;
    if (at(place).captured_bytes == kSkip) {
      place += size_ - (place & mask_);
      consumed_.store(place, std::memory_order_release);
    }
    return &at(place);
  }
  [[nodiscard]] static std::span<const uint8_t> data_of(const CapturedFrame& front) {
    return {reinterpret_cast<const uint8_t*>(&front + 1), front.captured_bytes};
  }
  void pop(const CapturedFrame& front) {
    consumed_.store(consumed_.load(std::memory_order_relaxed) + record_bytes(front.captured_bytes),
                    std::memory_order_release);
  }

 private:
  static constexpr uint32_t kSkip = ~uint32_t{0};
  // A record is its CapturedFrame and the bytes, in multiples of the former: at the end of the ring
  // there is always room for a CapturedFrame that says skip.
  static constexpr size_t record_bytes(size_t captured_bytes) {
    constexpr size_t kUnit = 32;
    static_assert(sizeof(CapturedFrame) <= kUnit);
    return (sizeof(CapturedFrame) + captured_bytes + kUnit - 1) / kUnit * kUnit;
  }
  [[nodiscard]] CapturedFrame& at(uint64_t place) {
    return *reinterpret_cast<CapturedFrame*>(bytes_.get() + (place & mask_));
  }
  // Looks at the consumer's line only if the ring seems full.
  [[nodiscard]] bool has_room(size_t needed) {
    if (staged_ + needed - consumed_seen_ <= size_) return true;
    consumed_seen_ = consumed_.load(std::memory_order_acquire);
    return staged_ + needed - consumed_seen_ <= size_;
  }

  const size_t size_;
  const uint64_t mask_;
  const std::unique_ptr<uint8_t[]> bytes_;
  // Places only rise; their low bits are the offset. Each side on lines of its own.
  alignas(base::kCacheLinePairBytes) uint64_t staged_ = 0;
  uint64_t consumed_seen_ = 0;
  std::atomic<uint64_t> published_{0};
  alignas(base::kCacheLinePairBytes) std::atomic<uint64_t> consumed_{0};
};

}  // namespace lambdacast::capture
