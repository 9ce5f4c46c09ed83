// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/sequence_tracker.h"

namespace lambdacast::reliability {

SequenceCounters& SequenceCounters::operator+=(const SequenceCounters& other) {
  received += other.received;
  missing += other.missing;
  gaps += other.gaps;
  late += other.late;
  duplicates += other.duplicates;
  too_old += other.too_old;
  too_far_ahead += other.too_far_ahead;
  return *this;
}

Arrival SequenceTracker::accept_out_of_order(uint64_t sequence) {
  if (sequence > kMaxSequence) {
    ++too_far_ahead_;
    return {Verdict::kTooFarAhead, 0};
  }
  if (!started()) {
    first_ = sequence;
    next_ = sequence + 1;
    mark(sequence);
    return {Verdict::kFirst, 0};
  }
  if (sequence < next_) return accept_behind(sequence);
  const uint64_t opened = sequence - next_;
  if (opened > kMaxJump) {
    ++too_far_ahead_;
    return {Verdict::kTooFarAhead, 0};
  }
  unmark_range(next_, opened);
  mark(sequence);
  missing_ += opened;
  ++gaps_;
  next_ = sequence + 1;
  return {Verdict::kGap, opened};
}

// next_ - sequence is in [1, kWindow] inside the window. Positions before first_ were never marked
// since the reset, or were overwritten by positions inside the window: so inside the window a clear
// bit always means "not received".
Arrival SequenceTracker::accept_behind(uint64_t sequence) {
  if (next_ - sequence > kWindow) {
    ++too_old_;
    return {Verdict::kTooOld, 0};
  }
  if (marked(sequence)) {
    ++duplicates_;
    return {Verdict::kDuplicate, 0};
  }
  mark(sequence);
  ++late_;
  if (sequence >= first_) {
    --missing_;
    return {Verdict::kLate, 0};
  }
  const uint64_t opened = first_ - sequence - 1;  // the stream began earlier than we thought
  missing_ += opened;
  first_ = sequence;
  return {Verdict::kLate, opened};
}

void SequenceTracker::begin(uint64_t first_sequence) {
  if (first_sequence > kMaxSequence) return;
  if (!started()) {
    first_ = next_ = first_sequence;
  } else if (first_sequence < first_) {
    missing_ += first_ - first_sequence;
    first_ = first_sequence;
  }
}

void SequenceTracker::finish(uint64_t last_sequence) {
  if (!started() || last_sequence < next_ || last_sequence > kMaxSequence) return;
  const uint64_t opened = last_sequence - next_ + 1;
  unmark_range(next_, opened);
  missing_ += opened;
  ++gaps_;
  next_ = last_sequence + 1;
}

void SequenceTracker::unmark_range(uint64_t from, uint64_t count) {
  if (count >= kWindow) {
    seen_.fill(0);
    return;
  }
  base::for_each_word(from, count,
                      [&](uint64_t word, uint64_t bits) { seen_[word % kWords] &= ~bits; });
}

}  // namespace lambdacast::reliability
