// SPDX-License-Identifier: BSD-3-Clause
// How many of this endpoint's own recoverable packets of data, counted in the order of sending, are
// stable: known to be with everybody whom they are for:
//
// - what is not ordered: every receiver of the stream, as StreamSender knows it (with membership
//   each member of the view is one), has it, or has declared it lost to its application;
// - totally ordered and above: it has been delivered here, and every member has acknowledged its
//   mark, and so holds both; or the view that it was delivered in has ended: whoever goes on has
//   delivered it as well.
//
// Marks are not counted. The count has no gap: a packet counts when all before it do. Out of the
// view for good (end()) nothing more gets stable: who waits hears so by the view event.
//
// A ring over positions (rel_seq) from the first that is not stable; room() says how many more
// there may be. Not thread-safe: the lcore of rate_control owns it. Allocates at construction only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambdacast::node {

class Stability {
 public:
  // So many positions at a time at least. `last`: the position before the first one.
  Stability(size_t positions, uint64_t last)
      : slots_(std::bit_ceil(positions)), front_(last + 1), end_(last + 1) {}

  // Packets that may still be sent behind the position `last` (marks among what was sent count).
  [[nodiscard]] uint64_t room(uint64_t last) const {
    if (front_ == end_ || ended_) return slots_.size();
    const uint64_t used = last + 1 - front_;
    return used < slots_.size() ? slots_.size() - used : 0;
  }

  // A packet of data goes out for the first time, at a position above all before it; there is room.
  // `ordered`: totally ordered or above, so that delivered() follows.
  void sent(uint64_t rel_seq, bool ordered) {
    if (ended_) return;
    if (front_ == end_) front_ = end_ = rel_seq;
    for (; end_ < rel_seq; ++end_) at(end_) = {};  // marks
    at(end_++) = {0, ordered ? State::kWaits : State::kPlain, 0};
  }

  // An ordered one has been delivered here, by the mark at that position of the sequencer's stream;
  // 0: by the end of its view, unmarked.
  void delivered(uint64_t rel_seq, size_t sequencer, uint64_t mark) {
    if (rel_seq < front_ || rel_seq >= end_ || at(rel_seq).state != State::kWaits) return;
    at(rel_seq) = {mark == 0 ? ~uint64_t{0} : mark, State::kMarked,
                   static_cast<uint8_t>(sequencer)};
  }
  // The next view begins: what was delivered belongs to those before.
  void view_begins() {
    for (uint64_t position = front_; position < end_; ++position) {
      if (at(position).state == State::kMarked) at(position).state = State::kSettled;
    }
  }
  // This endpoint is out of the view: there is always room.
  void end() { ended_ = true; }

  // Is anything not stable?
  [[nodiscard]] bool waits() const { return front_ != end_ && !ended_; }
  // Every receiver has everything up to `stable_through`, and every member what is ordered up to
  // the mark at marks_stable(sequencer), of the view's sequencers by rank.
  template <typename MarksStable>
  void advance(uint64_t stable_through, MarksStable&& marks_stable) {
    for (; would_advance(stable_through, marks_stable); ++front_)
      stable_ += at(front_).state != State::kNone ? 1 : 0;
  }
  // Does advance() change anything?
  template <typename MarksStable>
  [[nodiscard]] bool would_advance(uint64_t stable_through, MarksStable&& marks_stable) const {
    if (!waits()) return false;
    const Slot& slot = at(front_);
    switch (slot.state) {
      case State::kWaits:
        return false;
      case State::kMarked:
        return slot.mark <= marks_stable(slot.sequencer);
      case State::kPlain:
        return front_ <= stable_through;
      default:
        return true;
    }
  }
  // How many of the packets of data sent are stable, counted from the first one on.
  [[nodiscard]] uint64_t stable() const { return stable_; }

 private:
  enum class State : uint8_t {
    kNone,     // no packet of data
    kPlain,    // not ordered
    kWaits,    // ordered, not delivered here
    kMarked,   // delivered
    kSettled,  // delivered, in a view that has ended
  };
  struct Slot {  // 16 bytes
    uint64_t mark = 0;
    State state = State::kNone;
    uint8_t sequencer = 0;  // rank
  };
  [[nodiscard]] Slot& at(uint64_t position) { return slots_[position & (slots_.size() - 1)]; }
  [[nodiscard]] const Slot& at(uint64_t position) const {
    return slots_[position & (slots_.size() - 1)];
  }

  std::vector<Slot> slots_;  // a power of two
  uint64_t front_;           // the first that is not stable
  uint64_t end_;             // behind the last one sent
  uint64_t stable_ = 0;
  bool ended_ = false;
};

}  // namespace lambdacast::node
