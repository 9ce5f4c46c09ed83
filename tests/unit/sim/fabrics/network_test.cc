// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/network.h"

#include <gtest/gtest.h>

#include <tuple>

namespace lambdacast::sim::fabrics {
namespace {

// Hands on each number by all ports but the one that it came from, less one, until it is zero.
struct Fading {
  using Frame = int;
  using Turn = Network<Fading>::Turn;
  void on_frame(Turn& turn, size_t port, const int& left) {
    came.emplace_back(turn.now_ns(), turn.node(), left);
    if (left == 0) return;
    for (size_t other = 0; other < turn.ports(); ++other)
      if (other != port) turn.send(other, left - 1, 512);
  }
  void on_timer(Turn& turn) {
    rung.emplace_back(turn.now_ns(), turn.node());
    deadline_ns[turn.node()] = kNever;
  }
  [[nodiscard]] uint64_t next_deadline_ns(congest::NodeId node) const { return deadline_ns[node]; }

  std::vector<std::tuple<uint64_t, congest::NodeId, int>> came;
  std::vector<std::pair<uint64_t, congest::NodeId>> rung;
  std::vector<uint64_t> deadline_ns = std::vector<uint64_t>(3, kNever);
};

congest::Graph path() { return congest::Graph(3, {{0, 1}, {1, 2}}); }

TEST(FabricNetwork, frame__expect_it_hop_by_hop_a_frame_time_and_a_propagation_later) {
  const congest::Graph graph = path();
  Fading fading;
  Network<Fading> network(graph, {.loss = 0}, fading, 1);
  network.turn(0, [](auto& turn) { EXPECT_EQ(turn.send(0, 3, 512), 5120u); });
  network.run_until(5619);
  EXPECT_TRUE(fading.came.empty());
  network.run_until(1'000'000);
  EXPECT_EQ(fading.came, (std::vector<std::tuple<uint64_t, congest::NodeId, int>>{{5620, 1, 3},
                                                                                  {11'240, 2, 2}}));
  EXPECT_EQ(network.sent(), 2u);
  EXPECT_EQ(network.now_ns(), 1'000'000u);
}

TEST(FabricNetwork, deadlines_that_move__expect_each_switch_woken_at_the_last_of_them_once) {
  const congest::Graph graph = path();
  Fading fading;
  fading.deadline_ns = {100, 200, kNever};
  Network<Fading> network(graph, {}, fading, 1);
  network.run_until(50);
  network.turn(0, [&](auto&) { fading.deadline_ns[0] = 300; });
  network.turn(1, [&](auto&) { fading.deadline_ns[1] = 150; });
  network.turn(2, [&](auto&) { fading.deadline_ns[2] = 10; });  // past: at once
  network.run_until(1000);
  EXPECT_EQ(fading.rung,
            (std::vector<std::pair<uint64_t, congest::NodeId>>{{50, 2}, {150, 1}, {300, 0}}));
  EXPECT_TRUE(network.idle());
}

TEST(FabricNetwork, failures__expect_frames_on_their_way_lost_and_the_dead_silent) {
  const congest::Graph graph = path();
  Fading fading;
  fading.deadline_ns[1] = 20'000;
  Network<Fading> network(graph, {.loss = 0}, fading, 1);
  network.turn(0, [](auto& turn) { turn.send(0, 3, 512); });
  network.run_until(6000);
  ASSERT_EQ(fading.came.size(), 1u);
  network.fail_link(1);
  network.turn(0, [](auto& turn) { turn.send(0, 0, 512); });
  network.run_until(15'000);
  EXPECT_EQ(fading.came.size(), 2u);
  network.fail_node(1);
  network.run_until(100'000);
  EXPECT_EQ(fading.came.size(), 2u);
  EXPECT_TRUE(fading.rung.empty());
}

TEST(FabricNetwork, watcher__expect_it_to_see_each_frame_sent) {
  const congest::Graph graph = path();
  Fading fading;
  Network<Fading> network(graph, {.loss = 1}, fading, 1);
  uint64_t bits = 0;
  network.watch([&](congest::ArcId arc, const Transit& transit, uint64_t more) {
    EXPECT_EQ(arc, graph.arc(0, 0));
    EXPECT_EQ(transit.copies, 0u);
    bits += more;
  });
  network.turn(0, [](auto& turn) { turn.send(0, 3, 512); });
  EXPECT_EQ(bits, 512u);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
