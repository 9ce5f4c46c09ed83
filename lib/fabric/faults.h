// SPDX-License-Identifier: BSD-3-Clause
// Faults a receiver injects on itself: seeded, and a function of (seed, wavelength, frame index)
// alone, so that a run repeats exactly however its polls fall, and two receivers with one seed lose
// the same frames (a loss at the transmitter) while two seeds are independent. Faults in time start
// from the departure that the transmitter wrote beside the frame, not from when a poll found it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "base/result.h"
#include "base/wire_bytes.h"
#include "fabric/burst_loss.h"
#include "fabric/geometry.h"
#include "fabric/rate_queue.h"

namespace lambdacast::fabric {

// The faults that a receiver injects. They strike in this order: loss on the fibre, delay, the
// receiver's rate, and then corruption and duplication of the frames that are taken.
struct FaultRates {
  double loss = 0;       // probability that a frame never arrives; outside bursts of loss
  double corrupt = 0;    // probability that one bit of it is flipped
  double duplicate = 0;  // probability that it arrives twice
  uint64_t seed = 1;
  // Gilbert-Elliott (burst_loss.h): loss is that of the good state, burst_loss that of the bad.
  double burst_enter = 0;    // probability, each frame, that a burst begins; 0 .. 0.5
  double burst_leave = 0.1;  // probability, each frame, that it ends; 1e-6 .. 1
  double burst_loss = 1;
  // Each wavelength is a fibre: its frames come in order, so that a frame waits for a later one.
  uint64_t delay_ns = 0;   // from departure to arrival; 0 .. kMaxDelayNs
  uint64_t jitter_ns = 0;  // and up to so much more, drawn for each frame; 0 .. kMaxDelayNs
  // All wavelengths together, bytes on the wire (rate_queue.h): what overflows the buffer is lost.
  uint64_t rx_rate_bps = 0;              // 0: unlimited; else kMinRateBps .. kMaxRateBps
  uint64_t rx_buffer_bytes = 256 << 10;  // kMinRxBufferBytes .. kMaxQueueBytes

  [[nodiscard]] bool any() const {
    return loss > 0 || corrupt > 0 || duplicate > 0 || burst_enter > 0 || delay_ns != 0 ||
           jitter_ns != 0 || rx_rate_bps != 0;
  }
  // True if the faults are losses alone, so that no frame waits and none is changed.
  [[nodiscard]] bool only_loses() const {
    return corrupt <= 0 && duplicate <= 0 && delay_ns == 0 && jitter_ns == 0 && rx_rate_bps == 0;
  }
  bool operator==(const FaultRates&) const = default;
};

inline constexpr uint64_t kMaxDelayNs = 100'000'000;  // of 20 000 km of fibre
inline constexpr uint64_t kMinRxBufferBytes = kMaxFrameBytes + base::kWireOverheadBytes;

// An error names the field, its value and what is allowed.
[[nodiscard]] base::Result<FaultRates> validate(const FaultRates& rates);

class FaultInjector {
 public:
  FaultInjector() = default;
  FaultInjector(const FaultRates& rates, uint32_t wavelength)
      : key_(base::mix64(rates.seed) ^ base::mix64(~uint64_t{wavelength})),
        loss_(rates.loss),
        burst_loss_(rates.burst_loss),
        corrupt_(rates.corrupt),
        duplicate_(rates.duplicate),
        jitter_ns_(rates.jitter_ns),
        bursts_(rates.burst_enter, rates.burst_leave, base::mix64(key_)) {}

  // Cheap for indices that follow one another; right for any.
  [[nodiscard]] bool loses(uint64_t index) {
    if (index / kBlock != drawn_) [[unlikely]]
      draw_losses(index / kBlock);
    return (lost_ >> index % kBlock & 1) != 0;
  }
  [[nodiscard]] bool corrupts(uint64_t index) const { return corrupt_.hit(draw(index, 2)); }
  [[nodiscard]] bool duplicates(uint64_t index) const { return duplicate_.hit(draw(index, 3)); }

  // Flips the bit this index's draw names. bytes > 0.
  void corrupt(uint64_t index, uint8_t* frame, std::size_t bytes) const {
    const uint64_t bit = draw(index, 4) % (bytes * 8);
    frame[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
  }

  // Uniform in 0 .. jitter_ns.
  [[nodiscard]] uint64_t jitter_ns(uint64_t index) const {
    return jitter_ns_ == 0 ? 0 : draw(index, 5) % (jitter_ns_ + 1);
  }

 private:
  [[nodiscard]] uint64_t draw(uint64_t index, uint64_t purpose) const {
    return base::mix64(base::mix64(key_ + index) + purpose);
  }

  // Losses are drawn for so many frames at a time: the processor draws several at once, and who
  // measures what a loss costs does not measure the draws.
  static constexpr uint64_t kBlock = 64;
  void draw_losses(uint64_t block);

  uint64_t drawn_ = ~uint64_t{0};  // block that lost_ is of, a bit a frame
  uint64_t lost_ = 0;
  uint64_t key_ = 0;
  base::Chance loss_;
  base::Chance burst_loss_;
  base::Chance corrupt_;
  base::Chance duplicate_;
  uint64_t jitter_ns_ = 0;
  BurstChain bursts_;
};

}  // namespace lambdacast::fabric
