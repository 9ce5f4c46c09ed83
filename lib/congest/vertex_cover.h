// SPDX-License-Identifier: BSD-3-Clause
// A vertex cover of weight at most 2 + epsilon times the least, by Ben-Basat, Even, Kawarabayashi
// and Schwartzman ("Optimal distributed covering algorithms"): a primal-dual algorithm whose rounds
// hang on the degree alone. Beside each weight w(v) goes the sum of what the edges of v have paid;
// each edge adds its bid in each round. With beta = epsilon / (2 + epsilon), in each round v
//
//   is in the cover if its edges have paid (1 - beta) w(v), rounded up;
//   else goes up a level l, and its open bids halve, while they have paid more than
//   w(v) (1 - 2^-(l + 1));
//   and says "raise" if its open bids, times alpha, are at most 2^-(l + 1) w(v), else "stuck".
//
// A bid grows alpha times if both its ends say "raise". An edge is open until an end is in the
// cover. A switch judges its bids before its neighbours' halvings of that round: it says "stuck"
// once too often at worst, and one message a round is enough.
//
// Numbers are fixed-point, and a bid is the first one times a power of two, rounded down: no weight
// is ever overpaid, so that the bound holds exactly, be the first bid's quotient approximate or not
// (approximate.h). The first message has weight and degree, eight
// bytes; all others have one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "congest/algorithm.h"
#include "congest/approximate.h"
#include "congest/incremental.h"

namespace lambdacast::congest {

template <typename Arithmetic>
class VertexCoverBy {
 public:
  static constexpr const char* kName = "cover";
  static constexpr unsigned kBytes = 1;
  static constexpr unsigned kFraction = 40;  // bits behind the point
  struct Config {
    std::vector<uint32_t> weights;  // by node: 1 ... 2^20
    uint32_t epsilon_permille = 100;
    uint32_t alpha_log2 = 1;
  };
  struct Result {
    bool in = false;
    std::vector<uint64_t> paid;  // by port, fixed-point
    bool operator==(const Result&) const = default;
  };

  VertexCoverBy(const NodeView& self, const Config& config)
      : weight_(uint64_t{config.weights[self.id()]} << kFraction),
        tight_(threshold(weight_, config.epsilon_permille)),
        alpha_log2_(config.alpha_log2),
        degree_(self.degree()),
        open_(self.alive()),
        edges_(self.ports()),
        bids_(self.ports()),
        paid_(self.ports()) {
    open_count_ = degree_;
  }

  void on_round(Round& round) {
    first_ = round.number() == 0;
    if (open_count_ == 0) return;
    if (first_) {
      round.broadcast({{static_cast<uint32_t>(weight_ >> kFraction),  //
                        static_cast<uint32_t>(degree_)}});
      return;
    }
    if (paid_.value() >= tight_) {
      in_ = true;
      open_count_ = 0;
      round.multicast(open_, {{kCovered}});
      open_.clear();
      return;
    }
    uint32_t halvings = 0;
    for (; paid_.value() > weight_ - (weight_ >> (level_ + 1)); ++level_) ++halvings;
    // The bids are kept without this switch's own halvings, and 2^-l stands on both sides.
    raises_ = bids_.value() <= weight_ >> (1 + alpha_log2_);
    round.multicast(open_, {{halvings | (raises_ ? kRaise : 0)}});
  }
  void on_message(size_t port, const Message& message) {
    Edge& edge = edges_[port];
    if (first_) {
      const uint64_t other = uint64_t{message.words[0]} << kFraction;
      edge.first_bid = std::min(Arithmetic::quotient_below(weight_, 2 * degree_),
                                Arithmetic::quotient_below(other, 2 * message.words[1]));
      bids_.set(port, edge.first_bid);
      paid_.set(port, edge.first_bid);
      return;
    }
    if (!open_.test(port)) return;
    if (message.words[0] & kCovered) {
      open_.reset(port);
      --open_count_;
      bids_.set(port, 0);
      return;
    }
    edge.power -= static_cast<int32_t>(message.words[0] & kHalvings);
    if (raises_ && (message.words[0] & kRaise)) edge.power += static_cast<int32_t>(alpha_log2_);
    bids_.set(port, scaled(edge.first_bid, edge.power));
    const uint64_t bid = scaled(edge.first_bid, edge.power - static_cast<int32_t>(level_));
    paid_.set(port, paid_.at(port) + bid);
  }
  [[nodiscard]] bool active() const { return false; }
  [[nodiscard]] bool more() const { return false; }
  [[nodiscard]] Result result() const {
    Result result{in_, {}};
    for (size_t port = 0; port < edges_.size(); ++port) result.paid.push_back(paid_.at(port));
    return result;
  }

 private:
  static constexpr uint32_t kHalvings = 0x3f;
  static constexpr uint32_t kRaise = 0x40;
  static constexpr uint32_t kCovered = 0x80;
  struct Edge {
    uint64_t first_bid = 0;
    int32_t power = 0;  // of two, by raises and the neighbour's halvings
  };
  // (1 - beta) weight = 2 weight / (2 + epsilon), rounded up.
  [[nodiscard]] static uint64_t threshold(uint64_t weight, uint32_t epsilon_permille) {
    const unsigned __int128 above = static_cast<unsigned __int128>(weight) * 2000;
    const uint64_t below = 2000 + epsilon_permille;
    return static_cast<uint64_t>((above + below - 1) / below);
  }
  [[nodiscard]] static uint64_t scaled(uint64_t value, int32_t power) {
    if (power >= 0) return value << power;
    return power <= -64 ? 0 : value >> -power;
  }

  const uint64_t weight_;
  const uint64_t tight_;
  const uint32_t alpha_log2_;
  const size_t degree_;
  Filter open_;
  size_t open_count_ = 0;
  std::vector<Edge> edges_;  // by port
  Sum bids_;                 // open ones, without this switch's own halvings
  Sum paid_;
  uint32_t level_ = 0;
  bool first_ = true;
  bool raises_ = false;
  bool in_ = false;
};

using VertexCover = VertexCoverBy<Exact>;
using ApproximateVertexCover = VertexCoverBy<Approximate>;

}  // namespace lambdacast::congest
