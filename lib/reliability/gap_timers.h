// When to ask for what is missing of one stream. A timer a position of the receive window, used
// only while the position is missing: all of them are bounded by the window, and neither runs that
// merge nor runs that split need keeping.
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
  explicit GapTimers(uint32_t positions) : mask_(positions - 1), gaps_(positions) {}

  void reveal(uint64_t position, uint64_t now_ns, uint64_t lived_ns, uint64_t due_ns) {
    gaps_[position & mask_] = {now_ns, lived_ns, due_ns, 0, 0};
    next_due_ns_ = std::min(next_due_ns_, due_ns);
  }

  // Somebody else has asked for it: ours can wait as long as an answer takes. True: that spared us
  // asking.
  bool heard(uint64_t position, uint64_t now_ns, uint64_t answer_ns) {
    Gap& gap = gaps_[position & mask_];
    gap.asked_ns = now_ns;
    const bool spared = gap.due_ns < now_ns + answer_ns;
    gap.due_ns = std::max(gap.due_ns, now_ns + answer_ns);
    return spared;
  }
  [[nodiscard]] bool asked_by_us(uint64_t position) const {
    return gaps_[position & mask_].tries != 0;
  }

  [[nodiscard]] bool due(uint64_t position, uint64_t now_ns) const {
    return gaps_[position & mask_].due_ns <= now_ns;
  }
  // Would asking along make sense?
  [[nodiscard]] bool worth_asking(uint64_t position, uint64_t now_ns, uint64_t along_ns) const {
    const Gap& gap = gaps_[position & mask_];
    return gap.due_ns <= now_ns || (gap.asked_ns != 0 && now_ns >= gap.asked_ns + along_ns);
  }
  void asked(uint64_t position, uint64_t now_ns, uint64_t retry_ns) {
    Gap& gap = gaps_[position & mask_];
    gap.due_ns = now_ns + backed_off(retry_ns, gap.tries);
    gap.asked_ns = now_ns;
    if (gap.tries < kMaxDoublings) ++gap.tries;
  }

  // 0: it was never missing.
  [[nodiscard]] uint64_t revealed_ns(uint64_t position) const {
    return gaps_[position & mask_].revealed_ns;
  }
  [[nodiscard]] uint64_t revealed_lived_ns(uint64_t position) const {
    return gaps_[position & mask_].lived_ns;
  }
  [[nodiscard]] uint64_t due_ns(uint64_t position) const { return gaps_[position & mask_].due_ns; }
  void forget(uint64_t position) { gaps_[position & mask_].revealed_ns = 0; }
  void reset() {
    std::fill(gaps_.begin(), gaps_.end(), Gap{});
    next_due_ns_ = kNever;
  }

  // Not after the earliest due time; set anew after a look at all gaps.
  [[nodiscard]] uint64_t next_due_ns() const { return next_due_ns_; }
  void set_next_due_ns(uint64_t at_ns) { next_due_ns_ = at_ns; }
  static constexpr uint64_t kNever = ~uint64_t{0};

 private:
  // Doubling ends at 4 times: longer, and at 5 % loss repairs lost in a row were a stall of more
  // than 20 round trips (tests/sim).
  static constexpr uint8_t kMaxDoublings = 2;

  struct Gap {
    uint64_t revealed_ns = 0;
    uint64_t lived_ns = 0;  // at that time
    uint64_t due_ns = 0;
    uint64_t asked_ns = 0;  // by anybody; 0: not yet
    uint8_t tries = 0;      // by us
  };
  [[nodiscard]] static uint64_t backed_off(uint64_t retry_ns, uint8_t tries) {
    return retry_ns << tries;
  }

  uint64_t mask_;
  uint64_t next_due_ns_ = kNever;
  std::vector<Gap> gaps_;
};

}  // namespace lambdacast::reliability
