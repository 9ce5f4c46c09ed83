// SPDX-License-Identifier: BSD-3-Clause
// A maximal independent set, by Luby: in each iteration of three rounds the switches that are
// undecided draw 16 bits; whose draw is less than those of all undecided neighbours is in, ties by
// number; whose neighbour is in is out. Iterations: logarithmic in the nodes, with high
// probability.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "congest/algorithm.h"

namespace lambdacast::congest {

class IndependentSet {
 public:
  static constexpr const char* kName = "mis";
  static constexpr unsigned kBytes = 2;
  struct Config {
    uint32_t draw_bits = 16;  // tests take fewer, for ties
  };
  struct Result {
    bool in = false;
    bool operator==(const Result&) const = default;
  };

  IndependentSet(const NodeView& self, const Config& config)
      : self_(self.id()),
        mask_((1u << config.draw_bits) - 1),
        neighbors_(self.ports()),
        undecided_(self.alive()) {
    for (size_t port = 0; port < self.ports(); ++port) neighbors_[port] = self.neighbor(port);
  }

  void on_round(Round& round) {
    step_ = static_cast<Step>(round.number() % 3);
    if (state_ != State::kUndecided) return;
    switch (step_) {
      case Step::kDraw:
        draw_ = static_cast<uint32_t>(round.random()) & mask_;
        beaten_ = false;
        round.multicast(undecided_, {{draw_}});
        break;
      case Step::kIn:
        if (beaten_) break;
        state_ = State::kIn;
        round.multicast(undecided_, {});
        break;
      case Step::kOut:
        if (!beside_one_) break;
        state_ = State::kOut;
        round.multicast(undecided_, {});
        break;
    }
  }
  void on_message(size_t port, const Message& message) {
    if (step_ == Step::kDraw) {
      beaten_ |= std::pair(message.words[0], neighbors_[port]) < std::pair(draw_, self_);
      return;
    }
    undecided_.reset(port);
    beside_one_ |= step_ == Step::kIn;
  }
  [[nodiscard]] bool active() const { return state_ == State::kUndecided; }
  [[nodiscard]] bool more() const { return false; }
  [[nodiscard]] Result result() const { return {state_ == State::kIn}; }

 private:
  enum class Step : uint8_t { kDraw, kIn, kOut };
  enum class State : uint8_t { kUndecided, kIn, kOut };

  const NodeId self_;
  const uint32_t mask_;
  std::vector<NodeId> neighbors_;  // by port
  Filter undecided_;               // neighbours
  Step step_ = Step::kDraw;
  State state_ = State::kUndecided;
  uint32_t draw_ = 0;
  bool beaten_ = false;
  bool beside_one_ = false;  // a neighbour is in
};

}  // namespace lambdacast::congest
