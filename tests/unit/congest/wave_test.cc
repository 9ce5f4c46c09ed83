// SPDX-License-Identifier: BSD-3-Clause
#include "congest/wave.h"

#include <gtest/gtest.h>

#include "congest/synchronous_run.h"

namespace lambdacast::congest {
namespace wave_test {

TEST(Wave, two_waves_on_a_path__expect_the_lesser_key_and_its_initiator_to_know_the_end) {
  const Graph graph(4, {{0, 1}, {1, 2}, {2, 3}});
  const auto run = run_synchronously<Wave>(LiveGraph(graph), {{7, kNone, kNone, 5}}, 1);
  for (NodeId node = 0; node < 4; ++node) {
    EXPECT_EQ(run.results[node]->key, 5u);
    EXPECT_EQ(run.results[node]->won, node == 3);
  }
  EXPECT_EQ(run.results[3]->nodes, 4u);
  EXPECT_EQ(run.results[3]->depth, 3u);
  EXPECT_EQ(run.results[0]->place.parent, 0u);
}

TEST(Wave, triangle__expect_neighbours_with_the_same_parent_to_answer_each_other) {
  const Graph graph(3, {{0, 1}, {0, 2}, {1, 2}});
  const auto run = run_synchronously<Wave>(LiveGraph(graph), {{0, kNone, kNone}}, 1);
  EXPECT_EQ(FilterPorts::count(run.results[0]->place.children), 2u);
  EXPECT_EQ(run.results[0]->depth, 1u);
  // Two waves out, one each way between the others, two echoes, two words of the end.
  EXPECT_EQ(run.messages, 8u);
}

TEST(Wave, one_switch_alone__expect_it_to_win_at_once) {
  const Graph graph(1, {});
  const auto run = run_synchronously<Wave>(LiveGraph(graph), {{9}}, 1);
  EXPECT_TRUE(run.results[0]->won);
  EXPECT_EQ(run.results[0]->nodes, 1u);
}

}  // namespace wave_test
}  // namespace lambdacast::congest
