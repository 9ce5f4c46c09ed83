// Faults a receiver injects on itself: seeded, and a function of (seed, wavelength, frame index)
// alone, so that a run repeats exactly however its polls fall, and two receivers with one seed lose
// the same frames (a loss at the transmitter) while two seeds are independent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.h"

namespace lambdacast::fabric {

struct FaultRates {
  double loss = 0;       // probability that a frame never arrives
  double corrupt = 0;    // probability that one bit of it is flipped
  double duplicate = 0;  // probability that it arrives twice
  uint64_t seed = 1;
};

class FaultInjector {
 public:
  FaultInjector() = default;
  FaultInjector(const FaultRates& rates, uint32_t wavelength)
      : key_(base::mix64(rates.seed) ^ base::mix64(~uint64_t{wavelength})),
        loss_(rates.loss),
        corrupt_(rates.corrupt),
        duplicate_(rates.duplicate),
        active_(loss_.possible() || corrupt_.possible() || duplicate_.possible()) {}

  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] bool loses(uint64_t index) const { return loss_.hit(draw(index, 1)); }
  [[nodiscard]] bool corrupts(uint64_t index) const { return corrupt_.hit(draw(index, 2)); }
  [[nodiscard]] bool duplicates(uint64_t index) const { return duplicate_.hit(draw(index, 3)); }

  // Flips the bit this index's draw names. bytes > 0.
  void corrupt(uint64_t index, uint8_t* frame, std::size_t bytes) const {
    const uint64_t bit = draw(index, 4) % (bytes * 8);
    frame[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
  }

 private:
  [[nodiscard]] uint64_t draw(uint64_t index, uint64_t purpose) const {
    return base::mix64(base::mix64(key_ + index) + purpose);
  }

  uint64_t key_ = 0;
  base::Chance loss_;
  base::Chance corrupt_;
  base::Chance duplicate_;
  bool active_ = false;
};

}  // namespace lambdacast::fabric
