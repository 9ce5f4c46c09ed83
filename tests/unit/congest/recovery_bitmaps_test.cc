// SPDX-License-Identifier: BSD-3-Clause
#include "congest/recovery_bitmaps.h"

#include <gtest/gtest.h>

#include "congest/synchronous_run.h"

namespace lambdacast::congest {
namespace recovery_bitmaps_test {

TreePlace place(size_t ports, size_t parent, std::vector<size_t> children) {
  TreePlace place{parent, Filter(ports)};
  for (const size_t port : children) place.children.set(port);
  return place;
}

// 0 is the root; 1 hangs below it, and 2 below 1. Four words are two pieces.
TEST(RecoveryBitmaps, path_of_three__expect_what_hangs_below_each_port) {
  const Graph graph(3, {{0, 1}, {1, 2}});
  const RecoveryBitmaps::Config config{{place(1, kNoPort, {0}), place(2, 0, {1}), place(1, 0, {})},
                                       {{1, 0, 0, 0}, {0, 2, 0, 0x80000000}, {4, 0, 0, 8}}};
  const auto run = run_synchronously<RecoveryBitmaps>(LiveGraph(graph), config, 1);
  using Words = RecoveryBitmaps::Words;
  EXPECT_EQ(run.results[2]->in_tree, (Words{4, 0, 0, 8}));
  EXPECT_EQ(run.results[1]->is_son[1], (Words{4, 0, 0, 8}));
  EXPECT_TRUE(run.results[1]->is_son[0].empty());
  EXPECT_EQ(run.results[0]->is_son[0], (Words{4, 2, 0, 0x80000008}));
  EXPECT_EQ(run.results[0]->in_tree, (Words{5, 2, 0, 0x80000008}));
  EXPECT_EQ(run.messages, 4u);
}

}  // namespace recovery_bitmaps_test
}  // namespace lambdacast::congest
