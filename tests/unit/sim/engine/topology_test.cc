// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/topology.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace lambdacast::sim {
namespace {

std::vector<uint32_t> out_of(const Topology& topology, uint32_t node) {
  const auto links = topology.out_of(node);
  return {links.begin(), links.end()};
}

TEST(Topology, links__expect_their_numbers_and_ends_by_node) {
  const Topology topology(4, {{2, 0}, {0, 1}, {2, 3}, {0, 3}, {2, 2}});
  EXPECT_EQ(topology.nodes(), 4u);
  EXPECT_EQ(topology.links(), 5u);
  EXPECT_EQ(out_of(topology, 0), (std::vector<uint32_t>{1, 3}));
  EXPECT_EQ(out_of(topology, 1), (std::vector<uint32_t>{}));
  EXPECT_EQ(out_of(topology, 2), (std::vector<uint32_t>{0, 2, 4}));
  EXPECT_EQ(topology.at(2).from, 2u);
  EXPECT_EQ(topology.at(2).to, 3u);
}

TEST(Topology, cables__expect_two_links_each) {
  const std::vector<Hop> cables{{0, 1}, {1, 2}};
  const Topology topology = Topology::of_cables(3, cables);
  EXPECT_EQ(topology.links(), 4u);
  EXPECT_EQ(out_of(topology, 1), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(topology.at(3).from, 2u);
  EXPECT_EQ(topology.at(3).to, 1u);
}

TEST(Topology, an_end_that_is_no_node__expect_it_refused) {
  EXPECT_THROW(Topology(2, {{0, 2}}), std::out_of_range);
  EXPECT_THROW(Topology(2, {{2, 0}}), std::out_of_range);
  EXPECT_EQ(Topology(1, {}).links(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
