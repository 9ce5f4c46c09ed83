// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/demand.h"

namespace lambdacast::rate_control {
namespace {

// The next value of which 64 make a power of two or more: equal uses give equal needs.
uint64_t up_to_64th(uint64_t bps) {
  if (bps < 64) return bps;
  const int shift = 63 - __builtin_clzll(bps) - 6;
  const uint64_t step = uint64_t{1} << std::max(shift, 0);
  return (bps + step - 1) / step * step;
}

}  // namespace

bool Demand::pass(uint64_t now_ns) {
  if (!begun_) {
    begun_ = true;
    period_begin_ns_ = up_begin_ns_ = now_ns;
  }
  if (now_ns - period_begin_ns_ >= config_.period_ns) end_period(now_ns);
  if (now_ns - up_begin_ns_ < kLookUpNs) return false;
  const bool pressed = waited_ * 2 > polls_;
  up_begin_ns_ = now_ns;
  polls_ = waited_ = 0;
  return pressed;
}

bool Demand::may_say(const Standing& standing, uint64_t now_ns) const {
  const uint64_t between_ns = 10'000'000 + 10'000'000 * standing.members / 8;
  return standing.settled && (!said_ || now_ns - said_ns_ >= between_ns);
}

std::optional<uint64_t> Demand::say(uint64_t wanted_bps, const Standing& standing,
                                    uint64_t now_ns) {
  if (wanted_bps == standing.need_bps || !may_say(standing, now_ns)) return std::nullopt;
  said_ = true;
  said_ns_ = now_ns;
  return wanted_bps;
}

void Demand::end_period(uint64_t now_ns) {
  const unsigned __int128 bits = static_cast<unsigned __int128>(period_bytes_) * 8 * 1'000'000'000;
  use_bps_[periods_++ % kPeriods] = static_cast<uint64_t>(bits / (now_ns - period_begin_ns_));
  period_bytes_ = 0;
  period_begin_ns_ = now_ns;
}

uint64_t Demand::up(const Standing& standing, uint64_t greedy_bps) {
  const uint64_t twice =
      standing.need_bps > ~uint64_t{0} / 2 ? ~uint64_t{0} : 2 * standing.need_bps;
  return std::min(std::max({twice, greedy_bps / 2, kFloorBps}), standing.line_bps);
}

// The need as it is, if the use does not call for less.
uint64_t Demand::down(const Standing& standing) const {
  if (periods_ < kPeriods) return standing.need_bps;
  const uint64_t peak = *std::max_element(use_bps_.begin(), use_bps_.end());
  if (peak >= standing.need_bps / 10 * 7) return standing.need_bps;
  const uint64_t wanted = std::max(up_to_64th(peak + peak / 4), kFloorBps);
  return std::min({wanted, standing.need_bps, standing.line_bps});
}

}  // namespace lambdacast::rate_control
