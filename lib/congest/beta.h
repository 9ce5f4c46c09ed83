// SPDX-License-Identifier: BSD-3-Clause
// Synchroniser beta: SYNC comes down a tree when a round begins; a switch is safe when all its
// frames are acknowledged; COMPLETE goes up when it and all below it are. Whoever begins a round so
// knows that all messages of the round before have come. The root ends the run, or the phase, when
// nobody has sent a message or wants another round.
#pragma once

#include <cstddef>
#include <cstdint>

#include "congest/algorithm.h"
#include "congest/step.h"

namespace lambdacast::congest {

class Beta {
 public:
  static constexpr bool kRounds = true;
  static constexpr bool kSteps = false;
  static constexpr bool kSaysNothing = false;  // silence is no frame
  using Config = TreePlace;                    // of the switch

  Beta(const NodeView& /*self*/, const Config& place)
      : place_(place), children_(FilterPorts::count(place.children)) {}

  [[nodiscard]] bool begins() const { return place_.parent == kNoPort; }
  [[nodiscard]] const Filter& children() const { return place_.children; }
  [[nodiscard]] size_t parent() const { return place_.parent; }

  void round_begins() {
    completed_ = 0;
    told_ = changed_ = more_ = false;
    running_ = true;
  }
  // Tells what the switch itself has done in this round.
  void note(bool changed, bool more) {
    changed_ |= changed;
    more_ |= more;
  }
  void child_completed(const Frame& frame) {
    ++completed_;
    note(frame.changed, frame.more);
  }
  void heard(bool /*next_round*/) {}

  template <typename Transport>
  [[nodiscard]] Step next(const Transport& transport) const {
    if (!running_ || told_ || completed_ < children_ || !transport.safe()) return Step::kWait;
    if (place_.parent != kNoPort) return Step::kTellParent;
    return changed_ ? Step::kNextRound : more_ ? Step::kNextPhase : Step::kEnd;
  }
  [[nodiscard]] Frame complete() {
    told_ = true;
    return {.frame_class = FrameClass::kSynchroniser,
            .action = Action::kComplete,
            .changed = changed_,
            .more = more_};
  }
  void end() { running_ = false; }

 private:
  TreePlace place_;
  size_t children_;
  size_t completed_ = 0;  // children
  bool running_ = false;
  bool told_ = false;  // the parent, in this round
  bool changed_ = false;
  bool more_ = false;
};

}  // namespace lambdacast::congest
