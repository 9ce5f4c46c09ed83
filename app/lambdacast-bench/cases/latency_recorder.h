// SPDX-License-Identifier: BSD-3-Clause
// The times of messages, recorded where they arrive: each against when it was sent, and against
// when it should have been. A sender that is late then hides nothing ("coordinated omission"). And
// whose turn it is: every message is recorded once, or it is missing. Of the lcore that records;
// control reads the counters meanwhile, the rest between two slices.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/counter.h"
#include "base/histogram.h"

namespace lambdacast::bench {

// What a measured message begins with.
struct Stamp {
  uint64_t sequence = 0;
  uint64_t sent_tsc = 0;

  static Stamp read(const uint8_t* bytes) {
    Stamp stamp;
    std::memcpy(&stamp, bytes, sizeof stamp);
    return stamp;
  }
  void write(uint8_t* bytes) const { std::memcpy(bytes, this, sizeof *this); }
};

// Messages `first` to `first + count - 1`, at equal distances from start_tsc on.
struct Schedule {
  uint64_t first = 0;
  uint64_t count = 0;
  uint64_t start_tsc = 0;
  double interval_ticks = 0;

  [[nodiscard]] uint64_t end() const { return first + count; }
  [[nodiscard]] bool holds(uint64_t sequence) const { return sequence - first < count; }
  [[nodiscard]] uint64_t due_tsc(uint64_t sequence) const {
    return start_tsc +
           static_cast<uint64_t>(static_cast<double>(sequence - first) * interval_ticks);
  }
};

class LatencyRecorder {
 public:
  // ns_per_tick: of the stamps. messages: the greatest sequence is below.
  LatencyRecorder(double ns_per_tick, uint64_t messages)
      : ns_per_tick_(ns_per_tick), seen_((messages + 63) / 64) {}

  void begin(const Schedule& schedule) { schedule_ = schedule; }
  // Forgets all that was recorded, for a warm-up.
  void clear() {
    seen_.assign(seen_.size(), 0);
    sent_to_delivered_.clear();
    due_to_delivered_.clear();
    repeated_ = strange_ = negative_ = 0;
  }

  // `message`: its first bytes, at least a Stamp.
  void record(std::span<const uint8_t> message, uint64_t now_tsc) {
    const Stamp stamp =
        message.size() < sizeof(Stamp) ? Stamp{~uint64_t{0}, 0} : Stamp::read(message.data());
    if (!schedule_.holds(stamp.sequence)) [[unlikely]] {
      ++strange_;
      return;
    }
    uint64_t& word = seen_[stamp.sequence / 64];
    const uint64_t bit = uint64_t{1} << (stamp.sequence % 64);
    if ((word & bit) != 0) [[unlikely]] {
      ++repeated_;
      return;
    }
    word |= bit;
    sent_to_delivered_.record(ns_between(stamp.sent_tsc, now_tsc));
    due_to_delivered_.record(ns_between(schedule_.due_tsc(stamp.sequence), now_tsc));
    received_.add(1);
  }

  // Since construction, warm-up included; from any thread.
  [[nodiscard]] uint64_t received() const { return received_.get(); }
  [[nodiscard]] const base::Histogram& sent_to_delivered() const { return sent_to_delivered_; }
  [[nodiscard]] const base::Histogram& due_to_delivered() const { return due_to_delivered_; }
  [[nodiscard]] uint64_t repeated() const { return repeated_; }
  [[nodiscard]] uint64_t strange() const { return strange_; }    // of no message of this slice
  [[nodiscard]] uint64_t negative() const { return negative_; }  // arrived before they were sent

 private:
  uint64_t ns_between(uint64_t from_tsc, uint64_t to_tsc) {
    if (to_tsc < from_tsc) [[unlikely]] {
      ++negative_;
      return 0;
    }
    return static_cast<uint64_t>(static_cast<double>(to_tsc - from_tsc) * ns_per_tick_ + 0.5);
  }

  const double ns_per_tick_;
  Schedule schedule_;
  std::vector<uint64_t> seen_;  // a bit each message
  base::Histogram sent_to_delivered_;
  base::Histogram due_to_delivered_;
  base::Counter received_;
  uint64_t repeated_ = 0;
  uint64_t strange_ = 0;
  uint64_t negative_ = 0;
};

}  // namespace lambdacast::bench
