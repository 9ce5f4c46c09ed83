// SPDX-License-Identifier: BSD-3-Clause
// Leader election: the least number floods. Rounds: the diameter and two.
#pragma once

#include <algorithm>
#include <cstddef>

#include "congest/algorithm.h"

namespace lambdacast::congest {

class Leader {
 public:
  static constexpr const char* kName = "leader";
  static constexpr unsigned kBytes = 4;
  struct Config {};
  struct Result {
    NodeId leader = kNone;
    bool operator==(const Result&) const = default;
  };

  Leader(const NodeView& self, const Config& /*config*/) : least_(self.id()) {}
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
  [[nodiscard]] Result result() const { return {least_}; }

 private:
  NodeId least_;
  NodeId told_ = kNone;
};

}  // namespace lambdacast::congest
