// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/network.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace lambdacast::sim {
namespace {

// A number of links out of each node, to others drawn at random, and a ring through all.
Topology drawn(uint32_t nodes, uint32_t degree, uint64_t seed) {
  base::SplitMix64 random(seed);
  std::vector<Hop> cables;
  for (uint32_t node = 0; node < nodes; ++node) {
    cables.push_back({node, (node + 1) % nodes});
    for (uint32_t i = 1; i < degree; ++i)
      cables.push_back({node, static_cast<uint32_t>(random.below(nodes))});
  }
  return Topology::of_cables(nodes, cables);
}

std::vector<uint32_t> distances(const Topology& topology, uint32_t from) {
  std::vector<uint32_t> distance(topology.nodes(), ~uint32_t{0});
  std::deque<uint32_t> next{from};
  distance[from] = 0;
  for (; !next.empty(); next.pop_front()) {
    for (const uint32_t link : topology.out_of(next.front())) {
      const uint32_t to = topology.at(link).to;
      if (distance[to] != ~uint32_t{0}) continue;
      distance[to] = distance[next.front()] + 1;
      next.push_back(to);
    }
  }
  return distance;
}

// Node 0 says something at its time; who hears it for the first time tells all others.
class Flood {
 public:
  struct Frame {};
  Flood(const Topology& topology, uint64_t at_ns)
      : heard_ns(topology.nodes(), kNever), topology_(topology), at_ns_(at_ns) {}
  void on_frame(uint32_t, const Frame&, Network<Flood>::Turn& turn) { tell(turn); }
  void on_timer(Network<Flood>::Turn& turn) { tell(turn); }
  [[nodiscard]] uint64_t next_deadline_ns(uint32_t node) const {
    return node == 0 && heard_ns[0] == kNever ? at_ns_ : kNever;
  }
  std::vector<uint64_t> heard_ns;

 private:
  void tell(Network<Flood>::Turn& turn) {
    if (heard_ns[turn.node()] != kNever) return;
    heard_ns[turn.node()] = turn.now_ns();
    for (const uint32_t link : topology_.out_of(turn.node())) turn.send(link, {}, 512);
  }
  const Topology& topology_;
  const uint64_t at_ns_;
};

TEST(Network, flood_a_hundred_thousand_links__expect_each_node_at_its_distance) {
  const Topology topology = drawn(20'000, 3, 1);
  ASSERT_EQ(topology.links(), 120'000u);
  Flood flood(topology, 1'000);
  Network<Flood> network(topology, {.latency_ns = 500}, flood, 1);
  network.run_until(1'000'000);
  const auto distance = distances(topology, 0);
  for (uint32_t node = 0; node < topology.nodes(); ++node)
    ASSERT_EQ(flood.heard_ns[node], 1'000 + 500 * uint64_t{distance[node]}) << node;
  EXPECT_EQ(network.frames(), topology.links());
  EXPECT_EQ(network.now_ns(), 1'000'000u);
}

TEST(Network, equal_seeds__expect_equal_traces_and_different_ones_otherwise) {
  const Topology topology = drawn(100, 3, 1);
  const auto hash = [&](uint64_t seed) {
    Flood flood(topology, 1'000);
    Network<Flood> network(topology, {.latency_ns = 500, .loss = 0.3}, flood, seed);
    network.run_until(1'000'000);
    return network.trace().hash();
  };
  EXPECT_EQ(hash(7), hash(7));
  EXPECT_NE(hash(7), hash(8));
}

// Node 0 sends a number again until node 1 has answered it, and then the next one.
class StopAndWait {
 public:
  using Frame = uint32_t;
  static constexpr uint64_t kRetryNs = 3'000;
  void on_frame(uint32_t, const Frame& number, Network<StopAndWait>::Turn& turn) {
    if (turn.node() == 1) {
      if (number == taken) ++taken;
      turn.send(1, number, 64);
    } else if (number == next) {
      ++next;
      deadline_ns = turn.now_ns();
    }
  }
  void on_timer(Network<StopAndWait>::Turn& turn) {
    ++sent;
    deadline_ns = turn.now_ns() + kRetryNs;
    turn.send(0, next, 64);
  }
  [[nodiscard]] uint64_t next_deadline_ns(uint32_t node) const {
    return node == 0 && next < 100 ? deadline_ns : kNever;
  }
  uint32_t next = 0;
  uint32_t taken = 0;
  uint32_t sent = 0;
  uint64_t deadline_ns = 10;
};

TEST(Network, a_timer_is_put_off_by_each_answer__expect_no_frame_too_many) {
  const Topology topology(2, {{0, 1}, {1, 0}});
  StopAndWait sound;
  Network<StopAndWait> network(topology, {.latency_ns = 1'000}, sound, 1);
  network.run_until(1'000'000);
  EXPECT_EQ(sound.taken, 100u);
  EXPECT_EQ(sound.sent, 100u) << "no timer of before has fired";
  StopAndWait lossy;
  Network<StopAndWait> losing(topology, {.latency_ns = 1'000, .loss = 0.3}, lossy, 1);
  losing.run_until(10'000'000);
  EXPECT_EQ(lossy.taken, 100u);
  EXPECT_GT(lossy.sent, 150u);
}

TEST(Network, a_link_is_cut_while_a_frame_is_on_its_way__expect_it_sent_again) {
  const Topology topology(2, {{0, 1}, {1, 0}});
  StopAndWait protocol;
  Network<StopAndWait> network(topology, {.latency_ns = 1'000}, protocol, 1);
  network.run_until(500);
  network.links().cut(0);
  network.links().mend(0);
  network.run_until(2'500);
  EXPECT_EQ(protocol.taken, 0u);
  network.run_until(10 + StopAndWait::kRetryNs + 1'000);
  EXPECT_EQ(protocol.taken, 1u);
}

TEST(Network, a_deadline_changes_outside_a_turn__expect_it_kept_when_poked) {
  const Topology topology(2, {{0, 1}, {1, 0}});
  StopAndWait protocol;
  protocol.deadline_ns = 900'000;
  Network<StopAndWait> network(topology, {.latency_ns = 1'000}, protocol, 1);
  protocol.deadline_ns = 100;
  network.poke(0);
  network.run_until(200);
  EXPECT_EQ(protocol.sent, 1u);
}

}  // namespace
}  // namespace lambdacast::sim
