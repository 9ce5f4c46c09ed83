// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_random.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/random.h"
#include "sim/fabrics/graphs_figures.h"

namespace lambdacast::sim::fabrics {

namespace {

using base::SplitMix64;
using congest::Graph;
using congest::Link;
using congest::NodeId;

constexpr int kTrials = 64;  // draws until the figures are given up

// The links so far, and which nodes they join.
class Links {
 public:
  [[nodiscard]] bool may_join(NodeId a, NodeId b) const {
    return a != b && !joined_.contains(key(a, b));
  }
  void add(NodeId a, NodeId b) {
    joined_.insert(key(a, b));
    links_.push_back({a, b});
  }
  // Link `i` joins others than before. Its old ends are free again.
  void replace(size_t i, NodeId a, NodeId b) {
    joined_.erase(key(links_[i].a, links_[i].b));
    joined_.insert(key(a, b));
    links_[i] = {a, b};
  }
  [[nodiscard]] size_t size() const { return links_.size(); }
  [[nodiscard]] const Link& operator[](size_t i) const { return links_[i]; }
  [[nodiscard]] std::vector<Link> take() { return std::move(links_); }

 private:
  static uint64_t key(NodeId a, NodeId b) {
    return uint64_t{std::min(a, b)} << 32 | std::max(a, b);
  }
  std::vector<Link> links_;
  std::unordered_set<uint64_t> joined_;
};

template <typename T>
void shuffle(std::vector<T>& values, SplitMix64& random) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

// Two calls of draw() with one generator differ, so that a trial that failed is no reason to give
// up.
template <typename Draw>
base::Result<Graph> try_often(uint32_t nodes, uint64_t seed, Draw&& draw) {
  SplitMix64 random(seed);
  for (int trial = 0; trial < kTrials; ++trial) {
    std::optional<std::vector<Link>> links = draw(random);
    if (!links) continue;
    Graph graph(nodes, std::move(*links));
    if (unreachable(graph) == congest::kNone) return graph;
  }
  return base::fail("no connected graph came out of " + std::to_string(kTrials) +
                    " draws: choose other figures");
}

// Ends are paired at random. A pair that would be a loop or a second link trades an end with a
// random link before it.
std::optional<std::vector<Link>> pair_ends(std::vector<NodeId> ends, SplitMix64& random) {
  constexpr int kTrades = 10'000;
  shuffle(ends, random);
  Links links;
  for (size_t i = 0; i + 1 < ends.size(); i += 2) {
    const NodeId a = ends[i], b = ends[i + 1];
    if (links.may_join(a, b)) {
      links.add(a, b);
      continue;
    }
    if (links.size() == 0) return std::nullopt;
    int trades = 0;
    for (; trades < kTrades; ++trades) {
      const size_t other = random.below(links.size());
      const Link link = links[other];
      if (!links.may_join(a, link.a) || !links.may_join(b, link.b)) continue;
      if (std::minmax(a, link.a) == std::minmax(b, link.b)) continue;
      links.replace(other, a, link.a);
      links.add(b, link.b);
      break;
    }
    if (trades == kTrades) return std::nullopt;
  }
  return links.take();
}

}  // namespace

base::Result<Graph> draw_jellyfish(uint32_t nodes, uint32_t links, uint64_t seed) {
  std::vector<NodeId> ends;
  ends.reserve(2 * size_t{links});
  for (size_t i = 0; i < 2 * size_t{links}; ++i) ends.push_back(static_cast<NodeId>(i % nodes));
  return try_often(nodes, seed, [&](SplitMix64& random) { return pair_ends(ends, random); });
}

base::Result<Graph> draw_random(uint32_t nodes, uint32_t links, uint64_t seed) {
  SplitMix64 random(seed);
  std::vector<NodeId> order(nodes);
  for (NodeId node = 0; node < nodes; ++node) order[node] = node;
  shuffle(order, random);
  Links drawn;
  for (uint32_t i = 1; i < nodes; ++i) drawn.add(order[i], order[random.below(i)]);
  // If most pairs are linked, the pairs that are not are drawn instead.
  const uint64_t pairs = uint64_t{nodes} * (nodes - 1) / 2;
  if (links <= pairs / 2) {
    while (drawn.size() < links) {
      const auto a = static_cast<NodeId>(random.below(nodes));
      const auto b = static_cast<NodeId>(random.below(nodes));
      if (drawn.may_join(a, b)) drawn.add(a, b);
    }
    return Graph(nodes, drawn.take());
  }
  std::vector<Link> others;
  for (NodeId a = 0; a < nodes; ++a) {
    for (NodeId b = a + 1; b < nodes; ++b) {
      if (drawn.may_join(a, b)) others.push_back({a, b});
    }
  }
  shuffle(others, random);
  for (size_t i = 0; drawn.size() < links; ++i) drawn.add(others[i].a, others[i].b);
  return Graph(nodes, drawn.take());
}

namespace {

class WanDraw {
 public:
  WanDraw(uint32_t nodes, uint32_t links, uint32_t diameter, uint32_t degree, SplitMix64& random)
      : nodes_(nodes), links_(links), diameter_(diameter), most_(degree), random_(random) {}

  std::optional<std::vector<Link>> draw() {
    at_.resize(diameter_ + 1);
    for (uint32_t place = 0; place <= diameter_; ++place) {
      put(place);
      if (place != 0) join(place - 1, place);  // the first nodes are their places
    }
    for (NodeId node = diameter_ + 1; node < nodes_; ++node) {
      if (!put_anywhere()) return std::nullopt;
    }
    // One node gets the greatest degree before chance has used up its neighbours' ports.
    const auto hub = static_cast<NodeId>(random_.below(nodes_));
    for (int trial = 0; trial < kLinkTrials && degree_[hub] < most_; ++trial) link_from(hub);
    if (degree_[hub] != most_) return std::nullopt;
    for (int trial = 0; trial < kLinkTrials && drawn_.size() < links_; ++trial)
      link_from(static_cast<NodeId>(random_.below(nodes_)));
    if (drawn_.size() != links_) return std::nullopt;
    return drawn_.take();
  }

 private:
  static constexpr int kLinkTrials = 200'000;

  NodeId put(uint32_t place) {
    const auto node = static_cast<NodeId>(place_.size());
    place_.push_back(place);
    degree_.push_back(0);
    at_[place].push_back(node);
    return node;
  }
  void join(NodeId a, NodeId b) {
    drawn_.add(a, b);
    ++degree_[a];
    ++degree_[b];
  }
  [[nodiscard]] bool middle(uint32_t place) const {
    return place == diameter_ / 2 || place == (diameter_ + 1) / 2;
  }
  [[nodiscard]] NodeId any_at(uint32_t place) {
    return at_[place][random_.below(at_[place].size())];
  }
  // A node at a place that is not the middle, with a link towards it.
  bool put_anywhere() {
    for (int trial = 0; trial < kLinkTrials; ++trial) {
      const auto place = static_cast<uint32_t>(random_.below(diameter_ + 1));
      if (middle(place)) continue;
      const NodeId parent = any_at(place < diameter_ / 2 ? place + 1 : place - 1);
      if (degree_[parent] >= most_) continue;
      join(parent, put(place));
      return true;
    }
    return false;
  }
  void link_from(NodeId node) {
    const uint32_t place = place_[node];
    const bool up = place == 0 || (place != diameter_ && random_.below(2) == 0);
    const NodeId other = any_at(up ? place + 1 : place - 1);
    if (degree_[node] < most_ && degree_[other] < most_ && drawn_.size() < links_ &&
        drawn_.may_join(node, other))
      join(node, other);
  }

  uint32_t nodes_, links_, diameter_, most_;
  SplitMix64& random_;
  std::vector<uint32_t> place_;          // by node
  std::vector<uint32_t> degree_;         // by node
  std::vector<std::vector<NodeId>> at_;  // by place
  Links drawn_;
};

}  // namespace

base::Result<Graph> draw_wan(uint32_t nodes, uint32_t links, uint32_t diameter, uint32_t degree,
                             uint64_t seed) {
  return try_often(nodes, seed, [&](SplitMix64& random) {
    return WanDraw(nodes, links, diameter, degree, random).draw();
  });
}

}  // namespace lambdacast::sim::fabrics
