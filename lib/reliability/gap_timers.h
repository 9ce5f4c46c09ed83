// SPDX-License-Identifier: BSD-3-Clause
// The times at which to ask for the missing positions of one stream. Each position of the receive
// window has a timer, used only while it is missing: the window bounds them all, and neither runs
// that merge nor runs that split need keeping.
//
// A NACK names every gap that is due, and those besides whose last asking is a retry time old: a
// frame that goes out anyway costs nothing more (one NACK frame per receiver, sender and round
// trip).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lambdacast::reliability {

class GapTimers {
 public:
  // positions: a power of two, at least 64.
  explicit GapTimers(uint32_t positions)
      : mask_(positions - 1), revealed_(positions / 64), gaps_(positions) {}

  void reveal(uint64_t position, uint64_t now_ns, uint64_t uptime_ns, uint64_t due_ns) {
    gaps_[position & mask_] = {.revealed_ns = now_ns, .uptime_ns = uptime_ns, .due_ns = due_ns};
    word_of(position) |= bit_of(position);
    next_due_ns_ = std::min(next_due_ns_, due_ns);
  }

  // A peer has asked for it: ours can wait as long as an answer takes. If the repair is lost for
  // all, that peer asks again, and those that did not ask wait `listening_ns` longer. True: this
  // spared us asking.
  bool heard(uint64_t position, uint64_t now_ns, uint64_t retry_ns, uint64_t listening_ns) {
    Gap& gap = gaps_[position & mask_];
    if (gap.by_us && !begins_round(gap, now_ns, retry_ns)) return false;
    const uint64_t until_ns = now_ns + ask(gap, now_ns, retry_ns) + (gap.by_us ? 0 : listening_ns);
    const bool spared = gap.due_ns < until_ns;
    gap.due_ns = std::max(gap.due_ns, until_ns);
    return spared;
  }
  // A NACK of ours or of a peer has named it.
  [[nodiscard]] bool asked_for(uint64_t position) const {
    return gaps_[position & mask_].rounds != 0;
  }
  void put_off(uint64_t position, uint64_t due_ns) { gaps_[position & mask_].due_ns = due_ns; }

  [[nodiscard]] bool due(uint64_t position, uint64_t now_ns) const {
    return gaps_[position & mask_].due_ns <= now_ns;
  }
  // Would asking along make sense?
  [[nodiscard]] bool worth_asking(uint64_t position, uint64_t now_ns, uint64_t along_ns) const {
    const Gap& gap = gaps_[position & mask_];
    return gap.due_ns <= now_ns || (gap.rounds != 0 && now_ns >= gap.round_ns + along_ns);
  }
  void asked(uint64_t position, uint64_t now_ns, uint64_t retry_ns) {
    Gap& gap = gaps_[position & mask_];
    gap.due_ns = now_ns + ask(gap, now_ns, retry_ns);
    gap.by_us = true;
  }

  // Is it missing, or was it until now? What comes behind a gap asks this as well: a bit each.
  [[nodiscard]] bool was_missing(uint64_t position) const {
    return (revealed_[(position & mask_) / 64] & bit_of(position)) != 0;
  }
  [[nodiscard]] uint64_t revealed_ns(uint64_t position) const {
    return gaps_[position & mask_].revealed_ns;
  }
  [[nodiscard]] uint64_t revealed_uptime_ns(uint64_t position) const {
    return gaps_[position & mask_].uptime_ns;
  }
  [[nodiscard]] uint64_t due_ns(uint64_t position) const { return gaps_[position & mask_].due_ns; }
  void forget(uint64_t position) { word_of(position) &= ~bit_of(position); }
  void reset() {
    std::fill(revealed_.begin(), revealed_.end(), 0);
    next_due_ns_ = kNever;
  }

  // A time not after the earliest due time. It is set anew after a look at all gaps.
  [[nodiscard]] uint64_t next_due_ns() const { return next_due_ns_; }
  void set_next_due_ns(uint64_t at_ns) { next_due_ns_ = at_ns; }
  static constexpr uint64_t kNever = ~uint64_t{0};

 private:
  // Doubling ends at 4 times: longer, and at 5 % loss repairs lost in a row were a stall of more
  // than 20 round trips (tests/sim).
  static constexpr uint8_t kMostRounds = 3;

  struct Gap {
    uint64_t revealed_ns = 0;
    uint64_t uptime_ns = 0;  // at that time
    uint64_t due_ns = 0;
    uint64_t round_ns = 0;  // when the last round of asking began
    uint8_t rounds = 0;     // all NACKs within a round trip are one round, whoever sent them
    bool by_us = false;     // a NACK of ours named it, at some time
  };
  [[nodiscard]] static bool begins_round(const Gap& gap, uint64_t now_ns, uint64_t retry_ns) {
    return gap.rounds == 0 || now_ns >= gap.round_ns + retry_ns * 2 / 3;
  }
  // Somebody asks at `now_ns`: how long until that should be done again.
  [[nodiscard]] static uint64_t ask(Gap& gap, uint64_t now_ns, uint64_t retry_ns) {
    if (begins_round(gap, now_ns, retry_ns)) {
      gap.round_ns = now_ns;
      if (gap.rounds < kMostRounds) ++gap.rounds;
    }
    return retry_ns << (gap.rounds - 1);
  }

  [[nodiscard]] uint64_t& word_of(uint64_t position) { return revealed_[(position & mask_) / 64]; }
  [[nodiscard]] static uint64_t bit_of(uint64_t position) { return uint64_t{1} << position % 64; }

  uint64_t mask_;
  uint64_t next_due_ns_ = kNever;
  std::vector<uint64_t> revealed_;  // a bit a position
  std::vector<Gap> gaps_;
};

}  // namespace lambdacast::reliability
