// SPDX-License-Identifier: BSD-3-Clause
#include "congest/synchronous_run.h"

#include <gtest/gtest.h>

#include "congest/leader.h"

namespace lambdacast::congest {
namespace {

Graph path() { return Graph(3, {{0, 1}, {1, 2}}); }

TEST(SynchronousRun, leader_on_a_path__expect_the_rounds_and_messages_of_its_flood) {
  const Graph graph = path();
  const auto run = run_synchronously<Leader>(LiveGraph(graph), {}, 1);
  EXPECT_EQ(run.results[2]->leader, 0u);
  EXPECT_EQ(run.rounds, 4u);    // all tell; 1 and 2 tell anew; 2 tells; silence
  EXPECT_EQ(run.messages, 8u);  // 4, 3 and 1
  EXPECT_EQ(run.phases, 1u);
}

TEST(SynchronousRun, node_that_has_failed__expect_no_result_and_nothing_through_it) {
  const Graph graph = path();
  LiveGraph live(graph);
  live.fail_node(0);
  const auto run = run_synchronously<Leader>(live, {}, 1);
  EXPECT_FALSE(run.results[0]);
  EXPECT_EQ(run.results[2]->leader, 1u);
}

// Never ends, and says two things to one neighbour if told to.
struct Restless {
  struct Config {
    bool twice = false;
  };
  using Result = bool;
  Restless(const NodeView&, const Config& config) : twice(config.twice) {}
  void on_round(Round& round) const {
    round.broadcast({});
    if (twice) round.broadcast({});
  }
  void on_message(size_t, const Message&) {}
  [[nodiscard]] bool active() const { return true; }
  [[nodiscard]] bool more() const { return false; }
  [[nodiscard]] Result result() const { return true; }
  bool twice;
};

TEST(SynchronousRun, algorithm_without_end_or_with_two_messages__expect_it_refused) {
  const Graph graph = path();
  const LiveGraph live(graph);
  EXPECT_THROW((void)run_synchronously<Restless>(live, {}, 1, MessageOrder::kByPort, 10),
               std::length_error);
  EXPECT_THROW((void)run_synchronously<Restless>(live, {.twice = true}, 1), std::logic_error);
}

TEST(Round, randomness__expect_it_to_hang_on_seed_node_phase_and_round) {
  const Filter none;
  const Graph graph = path();
  detail::ArcSink sink(graph);
  const auto draw = [&](RoundNumber at, uint64_t seed, NodeId node) {
    return Round(at, seed, node, none, sink).random();
  };
  const uint64_t one = draw({1, 2}, 3, 4);
  EXPECT_EQ(one, draw({1, 2}, 3, 4));
  EXPECT_NE(one, draw({2, 1}, 3, 4));
  EXPECT_NE(one, draw({1, 3}, 3, 4));
  EXPECT_NE(one, draw({1, 2}, 4, 4));
  EXPECT_NE(one, draw({1, 2}, 3, 5));
}

}  // namespace
}  // namespace lambdacast::congest
