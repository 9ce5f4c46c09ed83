// SPDX-License-Identifier: BSD-3-Clause
// What one stream's receiver knows of the newest positions (rel_seq): which came, which were
// declared lost, and the packets that wait for an earlier one.
//
//        delivered      complete, waits for room    gaps among received       not sent yet
//   ----------------|---------------------------|---------------------------|------------->
//                deliver()                    next()                    highest()
//                   |<----------------- positions of the window ----------------->|
//
// A packet that nothing holds back is never kept: place() says `deliver` and the caller still has
// it. Bounded: a position beyond the window is refused (kTooNew), the sender's window never lets
// it out; and what may be kept at a time is the caller's budget.
//
// positions: a power of two, at least 64. Not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/bit_runs.h"
#include "base/packet_handle.h"
#include "reliability/loss_reason.h"

namespace lambdacast::reliability {

using base::PacketHandle;

enum class Placed : uint8_t {
  kAppended,      // the position behind the highest
  kInserted,      // filled a gap
  kGap,           // beyond the position behind the highest: those in between are missing
  kDuplicate,     // came before, or was declared lost
  kTooOld,        // before the stream was opened here
  kTooNew,        // beyond the window
  kSlowConsumer,  // would have to be kept, and the budget is used up: to be asked for again
};

class ReceiveWindow {
 public:
  explicit ReceiveWindow(uint32_t positions)
      : mask_(positions - 1), came_(positions / 64), slots_(positions), lost_(positions) {}

  // Begins the stream at position `first`. What was kept must have been taken out before.
  void open(uint64_t first) { first_ = deliver_ = next_ = end_ = first; }

  struct Outcome {
    Placed placed;
    bool deliver = false;  // hand it on at once; else, if it was taken, the window has it
  };

  // `ordered`: it waits for all earlier positions. `budget`: may it be kept?
  Outcome place(uint64_t position, bool ordered, PacketHandle packet, bool budget) {
    if (position == next_ && next_ == deliver_ && next_ == end_) [[likely]] {
      next_ = deliver_ = end_ = position + 1;
      return {Placed::kAppended, true};
    }
    // Under loss most packets come in order behind a gap.
    if (position == end_ && next_ != end_ && ordered && budget && position - deliver_ < positions())
        [[likely]] {
      end_ = position + 1;
      keep(position, packet);
      return {Placed::kAppended};
    }
    return place_disturbed(position, ordered, packet, budget);
  }

  // place() of packets at consecutive positions, all of which may be kept, if they are the next
  // ones of a stream that holds and misses nothing, or of one that misses something before them and
  // are ordered. Otherwise `placed` is not kAppended, and nothing happened.
  Outcome place_run(uint64_t first, bool ordered, std::span<const PacketHandle> packets) {
    const uint64_t end = first + packets.size();
    if (first != end_ || end - deliver_ > positions()) return {Placed::kGap};
    if (next_ == end_ && deliver_ == end_) {
      next_ = deliver_ = end_ = end;
      return {Placed::kAppended, true};
    }
    if (next_ == end_ || !ordered) return {Placed::kGap};
    base::for_each_word(first, packets.size(), [&](uint64_t word, uint64_t bits) {
      came_[word & (came_.size() - 1)] |= bits;
    });
    for (size_t i = 0; i < packets.size(); ++i) slots_[index(first + i)] = packets[i];
    kept_ += static_cast<uint32_t>(packets.size());
    end_ = end;
    return {Placed::kAppended};
  }

  // The sender has sent up to `position`. Returns the first position that this revealed; it is
  // end() if none was. Positions beyond the window are not revealed yet.
  uint64_t reveal(uint64_t position) {
    const uint64_t from = end_;
    const uint64_t window_end = deliver_ + positions();
    if (position >= end_) end_ = position >= window_end ? window_end : position + 1;
    return from;
  }

  // Nobody will send what is missing before `position`.
  void declare_lost_before(uint64_t position, LossReason reason) {
    if (position > end_) position = end_;
    for (uint64_t at = next_; at < position; ++at) {
      if (!came(at)) declare_lost(at, reason);
    }
    absorb();
  }
  void declare_one_lost(uint64_t position, LossReason reason) {
    if (position < next_ || position >= end_ || came(position)) return;
    declare_lost(position, reason);
    absorb();
  }

  // Hands on what is complete, in order: sink.deliver(position, PacketHandle) for a kept packet;
  // for a run of lost positions sink.gap(first, count, reason), which may refuse for now (false).
  // Stops after `most` of both together; returns how many.
  template <typename Sink>
  uint32_t drain(uint32_t most, Sink&& sink) {
    if (kept_ == 0 && losses_ == 0) {
      deliver_ = next_;
      return 0;
    }
    uint32_t done = 0;
    while (deliver_ < next_ && done < most) {
      done += drain_kept(most - done, sink);
      if (deliver_ == next_ || done == most) break;
      const LossReason reason = lost_[index(deliver_)];
      if (reason == LossReason::kNone) {  // was handed on at once
        ++deliver_;
        continue;
      }
      const uint64_t count = lost_run();
      if (!sink.gap(deliver_, count, reason)) return done;
      forget_lost(count);
      ++done;
    }
    return done;
  }

  // Gives every packet kept to discard(PacketHandle), and forgets the window.
  template <typename Discard>
  void clear(Discard&& discard) {
    for (uint64_t at = deliver_; at < end_; ++at) {
      const size_t i = index(at);
      if (slots_[i] != PacketHandle::kNone) discard(slots_[i]);
      slots_[i] = PacketHandle::kNone;
      lost_[i] = LossReason::kNone;
      unmark(at);
    }
    kept_ = losses_ = 0;
    open(0);
  }

  // visit(position) for each missing one in [from, end()), in order, until it returns false. It may
  // declare that one lost.
  template <typename Visitor>
  void for_each_missing(uint64_t from, Visitor&& visit) const {
    uint64_t at = from < next_ ? next_ : from;
    while (at < end_) {
      // Skips what came, a word at a time.
      const uint64_t word = came_[(at & mask_) / 64] >> (at % 64);
      const auto ones = static_cast<uint64_t>(std::countr_one(word));
      if (ones != 0) {
        at += ones;
        continue;
      }
      if (!visit(at)) return;
      at = at < next_ ? next_ : at + 1;
    }
  }

  [[nodiscard]] bool missing(uint64_t position) const {
    return position >= next_ && position < end_ && !came(position);
  }
  [[nodiscard]] bool complete() const { return next_ == end_; }
  [[nodiscard]] bool backlog() const { return deliver_ != next_; }
  [[nodiscard]] uint64_t first() const { return first_; }
  [[nodiscard]] uint64_t deliver() const { return deliver_; }
  [[nodiscard]] uint64_t next() const { return next_; }
  [[nodiscard]] uint64_t end() const { return end_; }  // highest + 1
  [[nodiscard]] uint32_t kept() const { return kept_; }
  [[nodiscard]] uint32_t positions() const { return static_cast<uint32_t>(mask_ + 1); }
  // How far beyond next() - 1 the sender may go.
  [[nodiscard]] uint32_t room() const {
    return static_cast<uint32_t>(deliver_ + positions() - next_);
  }

 private:
  [[gnu::noinline]] Outcome place_disturbed(uint64_t position, bool ordered, PacketHandle packet,
                                            bool budget) {
    if (position < next_) return {position < first_ ? Placed::kTooOld : Placed::kDuplicate};
    if (position >= deliver_ + positions()) return {Placed::kTooNew};
    if (position < end_ && came(position)) return {Placed::kDuplicate};
    const bool at_once = !ordered || (position == next_ && next_ == deliver_);
    if (!at_once && !budget) return {Placed::kSlowConsumer};
    Placed placed = Placed::kInserted;
    if (position >= end_) {
      placed = position == end_ ? Placed::kAppended : Placed::kGap;
      end_ = position + 1;
    }
    if (at_once)
      mark(position);
    else
      keep(position, packet);
    if (position == next_) absorb();
    if (at_once && position == deliver_) ++deliver_;
    return {placed, at_once};
  }

  // The run of kept packets at deliver_.
  template <typename Sink>
  uint32_t drain_kept(uint32_t most, Sink&& sink) {
    const uint64_t from = deliver_;
    const uint64_t end = std::min(next_, from + most);
    PacketHandle* const slots = slots_.data();
    const uint64_t mask = mask_;
    uint64_t at = from;
    for (; at < end; ++at) {
      PacketHandle& slot = slots[at & mask];
      if (slot == PacketHandle::kNone) break;
      sink.deliver(at, std::exchange(slot, PacketHandle::kNone));
    }
    const auto count = static_cast<uint32_t>(at - from);
    deliver_ = at;
    kept_ -= count;
    return count;
  }
  void keep(uint64_t position, PacketHandle packet) {
    mark(position);
    slots_[index(position)] = packet;
    ++kept_;
  }
  void declare_lost(uint64_t position, LossReason reason) {
    mark(position);
    lost_[index(position)] = reason;
    ++losses_;
  }
  // next_ moves over what came, a word at a time; the bits behind it are cleared for the window's
  // next turn.
  void absorb() {
    while (next_ < end_) {
      uint64_t& word = came_[index(next_) / 64];
      const uint64_t from = next_ % 64;
      const auto ones = static_cast<uint64_t>(std::countr_one(word >> from));
      if (ones == 0) return;
      word &= ~(~uint64_t{0} >> (64 - ones) << from);
      next_ += ones;
      if (from + ones != 64) return;
    }
  }
  [[nodiscard]] uint64_t lost_run() const {
    uint64_t count = 1;
    while (deliver_ + count < next_ && lost_[index(deliver_ + count)] == lost_[index(deliver_)])
      ++count;
    return count;
  }
  void forget_lost(uint64_t count) {
    for (; count != 0; --count, --losses_) lost_[index(deliver_++)] = LossReason::kNone;
  }

  [[nodiscard]] size_t index(uint64_t position) const { return position & mask_; }
  [[nodiscard]] bool came(uint64_t position) const {
    return (came_[index(position) / 64] >> (position % 64) & 1) != 0;
  }
  void mark(uint64_t position) { came_[index(position) / 64] |= uint64_t{1} << (position % 64); }
  void unmark(uint64_t position) {
    came_[index(position) / 64] &= ~(uint64_t{1} << (position % 64));
  }

  // One line: all that a packet in order needs.
  uint64_t next_ = 0;     // the lowest position that neither came nor was declared lost
  uint64_t deliver_ = 0;  // the lowest position not handed on
  uint64_t end_ = 0;      // behind the highest position known to have been sent
  uint64_t mask_;
  uint64_t first_ = 0;
  uint32_t kept_ = 0;
  uint32_t losses_ = 0;         // positions declared lost in [deliver_, end_)
  std::vector<uint64_t> came_;  // a bit a position in [next_, end_): it came, or is declared lost
  std::vector<PacketHandle> slots_;  // packets kept, by position
  std::vector<LossReason> lost_;
};

}  // namespace lambdacast::reliability
