// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/water_level.h"

#include <algorithm>
#include <optional>

namespace lambdacast::sim {
namespace {

class Levels {
 public:
  explicit Levels(const Sharing& sharing) : of_(sharing), stopped_(sharing.cap.size()) {}

  std::vector<uint64_t> run() {
    const uint64_t highest = *std::max_element(of_.cap.begin(), of_.cap.end());
    while (true) {
      if (overflowing(highest).empty()) return at(highest);
      uint64_t below = 0;
      uint64_t above = highest;
      while (above - below > 1) {
        const uint64_t level = below + (above - below) / 2;
        (overflowing(level).empty() ? below : above) = level;
      }
      // A sender stops when a receiver that hears it could not take a bit more, or at its cap.
      for (const size_t full : overflowing(above)) {
        for (size_t sender = 0; sender < of_.cap.size(); ++sender) {
          if (sender != full && !stopped_[sender])
            stopped_[sender] = std::min(of_.cap[sender], below);
        }
      }
    }
  }

 private:
  [[nodiscard]] std::vector<uint64_t> at(uint64_t level) const {
    std::vector<uint64_t> rates;
    for (size_t sender = 0; sender < of_.cap.size(); ++sender)
      rates.push_back(stopped_[sender].value_or(std::min(of_.cap[sender], level)));
    return rates;
  }
  // The members that hear more than they have room for if all that rise are at that level.
  [[nodiscard]] std::vector<size_t> overflowing(uint64_t level) const {
    std::vector<size_t> full;
    const std::vector<uint64_t> rates = at(level);
    unsigned __int128 sum = 0;
    for (const uint64_t rate : rates) sum += rate;
    for (size_t member = 0; member < rates.size(); ++member) {
      if (of_.room[member] != ~uint64_t{0} && sum - rates[member] > of_.room[member])
        full.push_back(member);
    }
    return full;
  }

  const Sharing& of_;
  std::vector<std::optional<uint64_t>> stopped_;  // by sender: where it rises no more
};

}  // namespace

std::vector<uint64_t> water_levels(const Sharing& sharing) {
  return sharing.cap.empty() ? std::vector<uint64_t>() : Levels(sharing).run();
}

}  // namespace lambdacast::sim
