// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/groups_headers.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace {

struct Measured {
  explicit Measured(const std::string& spec,
                    const HeaderConfig& config = {.spanner_k = 2, .check = true})
      : fabric(*parse_graph(spec, 1)),
        groups({.racks = static_cast<uint32_t>(fabric.racks.size()),
                .groups = 500,
                .tenants = 20,
                .mean_size = 20}),
        run(fabric, groups, config) {}
  Fabric fabric;
  Groups groups;
  HeaderRun run;
};

TEST(GroupsHeaders, small_graphs__expect_headers_that_say_their_trees) {
  for (const char* spec : {"fat-tree:8", "spine-leaf:30,4", "jellyfish:60,200", "hamming:4,3"}) {
    SCOPED_TRACE(spec);
    const Measured of(spec);
    const HeaderFigures found = of.run.measure(0, 500);
    EXPECT_GT(found.groups, 300u);
    for (size_t i = 0; i < kHeaderSchemes; ++i) {
      EXPECT_EQ(found.sizes[i].wrong, 0u) << kHeaderSchemeNames[i];
      EXPECT_EQ(found.sizes[i].headers + found.sizes[i].unsaid, found.groups);
      const bool orca = i == static_cast<size_t>(HeaderScheme::kOrca);
      EXPECT_EQ(found.sizes[i].unsaid, orca && !of.fabric.fat_tree() ? found.groups : 0u)
          << kHeaderSchemeNames[i];
    }
    EXPECT_GE(found.stretch, static_cast<double>(found.receivers));
    EXPECT_LE(found.most_stretch, 3) << "2k - 1";
  }
}

TEST(GroupsHeaders, blocks__expect_the_sums_of_one_block) {
  const Measured of("fat-tree:8");
  const HeaderFigures whole = of.run.measure(0, 500);
  HeaderFigures parts;
  for (size_t first = 0; first < 500; first += 77) parts += of.run.measure(first, 77);
  EXPECT_EQ(parts.groups, whole.groups);
  EXPECT_EQ(parts.graph_links, whole.graph_links);
  EXPECT_EQ(parts.on_spanner.by_node, whole.on_spanner.by_node);
  EXPECT_EQ(parts.on_graph.by_link, whole.on_graph.by_link);
  for (size_t i = 0; i < kHeaderSchemes; ++i)
    EXPECT_EQ(parts.sizes[i].by_bytes, whole.sizes[i].by_bytes);
}

// Every link of a tree affects the group once, and so does every switch.
TEST(GroupsHeaders, affected__expect_a_count_for_each_link_and_switch_of_each_tree) {
  const Measured of("fat-tree:8");
  const HeaderFigures found = of.run.measure(0, 500);
  const auto sum = [](const std::vector<uint32_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  };
  EXPECT_EQ(sum(found.on_graph.by_link), found.graph_links);
  EXPECT_EQ(sum(found.on_graph.by_node), found.graph_links + found.groups);
  EXPECT_EQ(sum(found.on_spanner.by_link), found.spanner_links);
}

TEST(GroupsHeaders, sizes__expect_mean_and_percentiles_of_whole_bytes) {
  HeaderSizes sizes;
  for (const size_t bits : {1u, 8u, 9u, 25u}) sizes.add(bits);
  EXPECT_DOUBLE_EQ(sizes.mean_bytes(), (1 + 1 + 2 + 4) / 4.0);
  EXPECT_EQ(sizes.percentile(0.5), 1u);
  EXPECT_EQ(sizes.percentile(0.75), 2u);
  EXPECT_EQ(sizes.percentile(1), 4u);
  EXPECT_EQ(sizes.bits, 43u);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
