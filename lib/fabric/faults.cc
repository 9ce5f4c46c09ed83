// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/faults.h"

#include <cstdio>
#include <string>

namespace lambdacast::fabric {
namespace {

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", value);
  return digits;
}
std::string text(uint64_t value) { return std::to_string(value); }

template <typename T>
base::Result<FaultRates> refuse(const char* field, T value, const std::string& allowed) {
  return base::fail(std::string(field) + "=" + text(value) +
                    " is not allowed; allowed: " + allowed);
}

}  // namespace

base::Result<FaultRates> validate(const FaultRates& r) {
  // Comparisons are written so that NaN, which compares false with everything, is refused.
  const auto in = [](double value, double least, double most) {
    return value >= least && value <= most;
  };
  const std::string probability = "a probability from 0 to 1";
  if (!in(r.loss, 0, 1)) return refuse("loss", r.loss, probability);
  if (!in(r.corrupt, 0, 1)) return refuse("corrupt", r.corrupt, probability);
  if (!in(r.duplicate, 0, 1)) return refuse("duplicate", r.duplicate, probability);
  if (!in(r.burst_enter, 0, kMaxBurstEnter))
    return refuse("burst_enter", r.burst_enter, "a probability from 0 to 0.5");
  if (!in(r.burst_leave, kMinBurstLeave, 1))
    return refuse("burst_leave", r.burst_leave, "a probability from 1e-6 to 1");
  if (!in(r.burst_loss, 0, 1)) return refuse("burst_loss", r.burst_loss, probability);
  const std::string delay = "0 to " + text(kMaxDelayNs) + " ns";
  if (r.delay_ns > kMaxDelayNs) return refuse("delay_ns", r.delay_ns, delay);
  if (r.jitter_ns > kMaxDelayNs) return refuse("jitter_ns", r.jitter_ns, delay);
  if (r.rx_rate_bps != 0 && (r.rx_rate_bps < kMinRateBps || r.rx_rate_bps > kMaxRateBps))
    return refuse("rx_rate", r.rx_rate_bps, "0, or 1000000 to 1600000000000 bit/s");
  if (r.rx_buffer_bytes < kMinRxBufferBytes || r.rx_buffer_bytes > kMaxQueueBytes)
    return refuse("rx_buffer", r.rx_buffer_bytes,
                  text(kMinRxBufferBytes) + " to " + text(kMaxQueueBytes) + " bytes");
  return r;
}

void FaultInjector::draw_losses(uint64_t block) {
  const uint64_t first = block * kBlock;
  uint64_t lost = 0;
  if (bursts_.possible()) {
    for (uint64_t i = 0; i < kBlock; ++i) {
      const base::Chance& chance = bursts_.bad(first + i) ? burst_loss_ : loss_;
      lost |= uint64_t{chance.hit(draw(first + i, 1))} << i;
    }
  } else if (loss_.possible()) {
    for (uint64_t i = 0; i < kBlock; ++i) lost |= uint64_t{loss_.hit(draw(first + i, 1))} << i;
  }
  drawn_ = block;
  lost_ = lost;
}

}  // namespace lambdacast::fabric
