// SPDX-License-Identifier: BSD-3-Clause
// No synchroniser: a switch goes on as soon as a message has come, whatever its neighbours do. Its
// next step waits for nothing but room at its ports. An algorithm that is right without rounds
// (right_under.h) tells by `finished()` that this switch has done its part; the switch has ended
// when all that it has sent is acknowledged, too.
#pragma once

#include <cstddef>

#include "congest/algorithm.h"
#include "congest/step.h"

namespace lambdacast::congest {

class FreeRunning {
 public:
  static constexpr bool kRounds = false;
  static constexpr bool kSteps = false;
  static constexpr bool kSaysNothing = false;
  struct Config {};

  FreeRunning(const NodeView& self, const Config& /*config*/) : none_(self.ports()) {}

  [[nodiscard]] bool begins() const { return true; }
  [[nodiscard]] const Filter& children() const { return none_; }
  [[nodiscard]] size_t parent() const { return kNoPort; }

  void round_begins() {
    running_ = true;
    news_ = false;
  }
  // What has sent something, or wants to go on by itself, gets another step.
  void note(bool changed, bool /*more*/) { news_ |= changed; }
  void child_completed(const Frame& /*frame*/) {}
  void heard(bool /*next_round*/) { news_ = true; }
  void finished(bool finished) { finished_ = finished; }

  template <typename Transport>
  [[nodiscard]] Step next(const Transport& transport) const {
    if (!running_ || !transport.room()) return Step::kWait;
    if (news_) return Step::kNextRound;
    return finished_ && transport.safe() ? Step::kEnd : Step::kWait;
  }
  [[nodiscard]] Frame complete() { return {}; }
  void end() { running_ = false; }

 private:
  const Filter none_;
  bool running_ = false;
  bool news_ = false;  // since the last step began
  bool finished_ = false;
};

}  // namespace lambdacast::congest
