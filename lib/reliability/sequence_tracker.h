// SPDX-License-Identifier: BSD-3-Clause
// Which frames of one stream arrived: exact loss accounting over 64-bit frame sequences.
//
// A stream is (source GID, source QPN, incarnation); its sender numbers every transmission with
// consecutive `frame_seq` values (doc/decisions/0006-two-sequences.md). On an ODBSS one transmitter
// is one wavelength and arrives in order, so a gap is a loss (ODBSS 2019, III); `late` frames occur
// only on other networks or with an injected delay.
//
// Invariant, at every moment:  received + missing = highest - first + 1  (both 0 before the first).
//
// The window holds one bit for each of the newest kWindow positions, indexed by sequence modulo
// kWindow. Further back a duplicate cannot be told from a late frame: `too_old`, refused, and a
// position that left the window unfilled stays missing for good.
//
// A jump of more than kMaxJump is refused, `too_far_ahead`: no receiver sleeps for hours of line
// rate and keeps its state, and one mad frame must not turn all later ones into old ones.
//
// Shapes and ranges: sequences start anywhere in [0, kMaxSequence] and never wrap at 64 bits (at
// 100 Mpps from 2^63 that takes 2900 years). Not thread-safe: one lcore owns it.
#pragma once

#include <array>
#include <cstdint>

#include "base/bit_runs.h"

namespace lambdacast::reliability {

enum class Verdict : uint8_t {
  kFirst,      // opened the stream
  kInOrder,    // highest + 1
  kGap,        // beyond highest + 1: `opened` positions have just become missing
  kLate,       // filled an earlier gap, or lies just before the first frame seen: a reorder
  kDuplicate,  // arrived before
  kTooOld,     // behind the window: cannot tell a duplicate from a late frame
  kTooFarAhead,
};

struct Arrival {
  Verdict verdict;
  uint64_t opened;  // positions that became missing, with kGap or a kLate before the first frame
};

struct SequenceCounters {
  uint64_t received = 0;       // distinct sequences accepted
  uint64_t missing = 0;        // between first and highest, not received (so far, or for good)
  uint64_t gaps = 0;           // runs of missing positions that opened at the front
  uint64_t late = 0;           // accepted out of order
  uint64_t duplicates = 0;     // refused: received before
  uint64_t too_old = 0;        // refused: behind the window
  uint64_t too_far_ahead = 0;  // refused: a jump beyond kMaxJump or kMaxSequence

  SequenceCounters& operator+=(const SequenceCounters& other);
  bool operator==(const SequenceCounters&) const = default;
};

// Layout: the fast path (in order) touches the first 8 bytes and one of the 16 bitmap words; the
// rest changes only when something went wrong. 192 bytes, three cache lines.
class alignas(64) SequenceTracker {
 public:
  static constexpr uint64_t kWindow = 1024;                // positions; a power of two
  static constexpr uint64_t kMaxJump = uint64_t{1} << 40;  // 3.7 hours at 81 Mpps
  static constexpr uint64_t kMaxSequence = ~uint64_t{0} - 2;

  [[nodiscard]] Arrival accept(uint64_t sequence) {
    if (sequence == next_ && sequence <= kMaxSequence) [[likely]] {
      mark(sequence);
      next_ = sequence + 1;
      return {Verdict::kInOrder, 0};
    }
    return accept_out_of_order(sequence);
  }

  // Are those the next sequences?
  [[nodiscard]] bool is_next(uint64_t first, uint64_t count) const {
    return first == next_ && count < kWindow && first <= kMaxSequence - count;
  }
  void accept_run(uint64_t first, uint64_t count);  // accept() of all of them, if that holds

  // The sender's first sequence, once known: everything from it on counts, so a lost head is
  // missing like any other frame. May come before the first frame or at the end; at most
  // kMaxSequence.
  void begin(uint64_t first_sequence);

  // The sender's last sequence, once known: accounts the tail that no later frame revealed.
  // A tracker that neither began nor received anything stays empty: use begin() first. At most
  // kMaxSequence.
  void finish(uint64_t last_sequence);

  void reset() { *this = SequenceTracker(); }
  [[nodiscard]] bool started() const { return next_ != kNoSequence; }
  [[nodiscard]] uint64_t first() const { return first_; }       // valid if started()
  [[nodiscard]] uint64_t highest() const { return next_ - 1; }  // valid if received() != 0
  [[nodiscard]] uint64_t received() const { return next_ - first_ - missing_; }
  [[nodiscard]] uint64_t missing() const { return missing_; }
  [[nodiscard]] SequenceCounters counters() const {
    return {received(), missing_, gaps_, late_, duplicates_, too_old_, too_far_ahead_};
  }

 private:
  static constexpr uint64_t kWords = kWindow / 64;
  static constexpr uint64_t kNoSequence = ~uint64_t{0};

  [[nodiscard]] static constexpr uint64_t word_of(uint64_t sequence) {
    return (sequence / 64) % kWords;
  }
  [[nodiscard]] static constexpr uint64_t bit_of(uint64_t sequence) {
    return uint64_t{1} << (sequence % 64);
  }
  void mark(uint64_t sequence) { seen_[word_of(sequence)] |= bit_of(sequence); }
  [[nodiscard]] bool marked(uint64_t sequence) const {
    return (seen_[word_of(sequence)] & bit_of(sequence)) != 0;
  }

  Arrival accept_out_of_order(uint64_t sequence);
  Arrival accept_behind(uint64_t sequence);
  void unmark_range(uint64_t from, uint64_t count);

  uint64_t next_ = kNoSequence;  // highest + 1: kNoSequence matches no frame, so "first" is slow
  uint64_t first_ = kNoSequence;
  uint64_t missing_ = 0;
  uint64_t gaps_ = 0;
  uint64_t late_ = 0;
  uint64_t duplicates_ = 0;
  uint64_t too_old_ = 0;
  uint64_t too_far_ahead_ = 0;
  std::array<uint64_t, kWords> seen_{};  // bit set: received; window (next_ - kWindow, next_ - 1]
};

static_assert(sizeof(SequenceTracker) == 3 * 64);

inline void SequenceTracker::accept_run(uint64_t first, uint64_t count) {
  base::for_each_word(first, count,
                      [&](uint64_t word, uint64_t bits) { seen_[word % kWords] |= bits; });
  next_ = first + count;
}

}  // namespace lambdacast::reliability
