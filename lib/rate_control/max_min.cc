// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/max_min.h"

#include <algorithm>
#include <array>

namespace lambdacast::rate_control {
namespace {

using base::NodeSet;

class Filling {
 public:
  Filling(const FillInput& input, std::span<FilledShare> out) : input_(input), out_(out) {
    rising_ = NodeSet::first(input.cap.size());
    std::copy(input.room.begin(), input.room.end(), room_.begin());
    for (size_t j = 0; j < input.room.size(); ++j)
      rising_at_[j] = (input.hears[j] & rising_).count();
  }

  void run() {
    while (!rising_.empty()) {
      const uint64_t level = next_level();
      const NodeSet at_cap = those_with_cap_through(level);
      if (!at_cap.empty())
        at_cap.for_each([&](size_t i) { stop(i, {input_.cap[i], FilledShare::kByCap}); });
      else
        stop_at_full_receivers(level);
    }
  }

 private:
  // The level at which the transmitters that still rise fill receiver j.
  [[nodiscard]] uint64_t level_at(size_t j) const {
    if (rising_at_[j] == 0 || input_.room[j] == kUnlimitedBps) return kUnlimitedBps;
    return room_[j] / rising_at_[j];
  }
  [[nodiscard]] uint64_t next_level() const {
    uint64_t level = kUnlimitedBps;
    for (size_t j = 0; j < input_.room.size(); ++j) level = std::min(level, level_at(j));
    return level;
  }
  [[nodiscard]] NodeSet those_with_cap_through(uint64_t level) const {
    NodeSet found;
    rising_.for_each([&](size_t i) {
      if (input_.cap[i] <= level) found.add(i);
    });
    return found;
  }
  // All of them are full at the level as it is now, whichever is looked at first.
  void stop_at_full_receivers(uint64_t level) {
    NodeSet full;
    for (size_t j = 0; j < input_.room.size(); ++j) {
      if (level_at(j) == level) full.add(j);
    }
    full.for_each([&](size_t j) {
      (input_.hears[j] & rising_).for_each([&](size_t i) {
        stop(i, {level, static_cast<uint16_t>(j)});
      });
    });
  }
  void stop(size_t i, const FilledShare& share) {
    out_[i] = share;
    rising_.remove(i);
    for (size_t j = 0; j < input_.room.size(); ++j) {
      if (!input_.hears[j].contains(i)) continue;
      if (input_.room[j] != kUnlimitedBps) room_[j] -= share.bps;
      --rising_at_[j];
    }
  }

  const FillInput& input_;
  std::span<FilledShare> out_;
  NodeSet rising_;
  std::array<uint64_t, NodeSet::kCapacity> room_{};       // by receiver: what is left
  std::array<uint64_t, NodeSet::kCapacity> rising_at_{};  // by receiver: how many of its share it
};

}  // namespace

void fill(const FillInput& input, std::span<FilledShare> out) { Filling(input, out).run(); }

}  // namespace lambdacast::rate_control
