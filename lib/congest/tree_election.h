// SPDX-License-Identifier: BSD-3-Clause
// The election of one of several trees: the one with the least height, and of equal ones that with
// the least root, floods. Rounds: the diameter and two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "congest/algorithm.h"

namespace lambdacast::congest {

class TreeElection {
 public:
  static constexpr const char* kName = "election";
  static constexpr unsigned kBytes = 4;
  static constexpr unsigned kRootBits = 20;  // the other twelve are the height's
  struct Candidate {
    NodeId root = 0;
    uint32_t height = 0;
  };
  struct Config {
    std::vector<Candidate> candidates;  // a root knows its own alone
  };
  struct Result {
    NodeId root = kNone;
    uint32_t height = 0;
    bool operator==(const Result&) const = default;
  };

  TreeElection(const NodeView& self, const Config& config) {
    for (const Candidate& candidate : config.candidates)
      if (candidate.root == self.id())
        least_ = std::min(least_, candidate.height << kRootBits | candidate.root);
  }
  void on_round(Round& round) {
    if (told_ == least_) return;
    told_ = least_;
    round.broadcast({{least_}});
  }
  void on_message(size_t /*port*/, const Message& message) {
    least_ = std::min(least_, message.words[0]);
  }
  [[nodiscard]] bool active() const { return false; }
  [[nodiscard]] bool more() const { return false; }
  [[nodiscard]] Result result() const {
    return {least_ & ((1u << kRootBits) - 1), least_ >> kRootBits};
  }

 private:
  uint32_t least_ = kNone;
  uint32_t told_ = kNone;
};

}  // namespace lambdacast::congest
