// SPDX-License-Identifier: BSD-3-Clause
// Synchroniser alpha: in each round a switch says something to each neighbour, be it "nothing", and
// begins the next one when it has heard all neighbours. No neighbour is so ever more than one round
// away, and the parity of a round tells which of the two a message belongs to.
//
// Nobody knows when all have done: an algorithm brings its bound.
#pragma once

#include <cstddef>
#include <cstdint>

#include "congest/algorithm.h"
#include "congest/step.h"

namespace lambdacast::congest {

class Alpha {
 public:
  static constexpr bool kRounds = true;
  static constexpr bool kSteps = false;
  static constexpr bool kSaysNothing = true;
  struct Config {
    uint32_t rounds = 1;  // of a phase
    uint32_t phases = 1;
  };

  Alpha(const NodeView& self, const Config& config)
      : config_(config), neighbors_(self.degree()), none_(self.ports()) {}

  [[nodiscard]] bool begins() const { return true; }
  [[nodiscard]] const Filter& children() const { return none_; }
  [[nodiscard]] size_t parent() const { return kNoPort; }

  void round_begins() {
    heard_ = heard_early_;
    heard_early_ = 0;
    if (running_) ++done_;
    running_ = true;
  }
  void note(bool /*changed*/, bool /*more*/) {}
  void child_completed(const Frame& /*frame*/) {}
  // A neighbour has spoken, in this round or already in the next one.
  void heard(bool next_round) { ++(next_round ? heard_early_ : heard_); }

  template <typename Transport>
  [[nodiscard]] Step next(const Transport& transport) const {
    if (!running_ || heard_ < neighbors_ || !transport.room()) return Step::kWait;
    const uint64_t done = done_ + 1;
    if (done == uint64_t{config_.rounds} * config_.phases) return Step::kEnd;
    return done % config_.rounds == 0 ? Step::kNextPhase : Step::kNextRound;
  }
  [[nodiscard]] Frame complete() { return {}; }
  void end() { running_ = false; }

 private:
  const Config config_;
  const size_t neighbors_;
  const Filter none_;
  uint64_t done_ = 0;  // rounds
  size_t heard_ = 0;
  size_t heard_early_ = 0;
  bool running_ = false;
};

}  // namespace lambdacast::congest
