// SPDX-License-Identifier: BSD-3-Clause
// Synchroniser beta, an iteration at a time (FRANCIS, appendix D): SYNC comes down the tree where
// an iteration, a phase of the algorithm, begins. Within it a switch goes on as soon as a message
// has come, as under FreeRunning. COMPLETE goes up when a switch has done its part of the
// iteration, all its frames are acknowledged, and the switches below it have completed. The root
// ends the run when nobody wants another iteration.
//
// An algorithm is right under it if each switch knows by itself when it has done its part
// (`iterated()`), and if no neighbour says more than one thing to a switch that has not begun the
// iteration.
#pragma once

#include <cstddef>

#include "congest/algorithm.h"
#include "congest/step.h"

namespace lambdacast::congest {

class ByIteration {
 public:
  static constexpr bool kRounds = true;
  static constexpr bool kSteps = true;  // rounds of a phase that nobody else is told of
  static constexpr bool kSaysNothing = false;
  using Config = TreePlace;  // of the switch

  ByIteration(const NodeView& /*self*/, const Config& place)
      : place_(place), children_(FilterPorts::count(place.children)) {}

  [[nodiscard]] bool begins() const { return place_.parent == kNoPort; }
  [[nodiscard]] const Filter& children() const { return place_.children; }
  [[nodiscard]] size_t parent() const { return place_.parent; }

  void round_begins() { running_ = true; }
  void phase_begins() {
    completed_ = 0;
    told_ = iterated_ = more_ = more_below_ = false;
  }
  // A step that has sent something gets another one.
  void note(bool changed, bool /*more*/) { news_ = changed; }
  void child_completed(const Frame& frame) {
    ++completed_;
    more_below_ |= frame.more;
  }
  void heard(bool next_phase) { news_ |= !next_phase; }
  void iterated(bool done, bool more) {
    iterated_ = done;
    more_ = more;
  }

  template <typename Transport>
  [[nodiscard]] Step next(const Transport& transport) const {
    if (!running_) return Step::kWait;
    if (news_) return transport.room() ? Step::kStep : Step::kWait;
    if (!iterated_ || told_ || completed_ < children_ || !transport.safe()) return Step::kWait;
    if (place_.parent != kNoPort) return Step::kTellParent;
    return more_ || more_below_ ? Step::kNextPhase : Step::kEnd;
  }
  [[nodiscard]] Frame complete() {
    told_ = true;
    return {.frame_class = FrameClass::kSynchroniser,
            .action = Action::kComplete,
            .more = more_ || more_below_};
  }
  void end() { running_ = false; }

 private:
  TreePlace place_;
  size_t children_;
  size_t completed_ = 0;  // children
  bool running_ = false;
  bool news_ = false;  // since the last step began
  bool iterated_ = false;
  bool told_ = false;  // the parent, in this phase
  bool more_ = false;
  bool more_below_ = false;
};

}  // namespace lambdacast::congest
