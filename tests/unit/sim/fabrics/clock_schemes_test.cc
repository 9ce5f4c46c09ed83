// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_schemes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace {

TEST(ClockSchemes, ours_without_any_improvement__expect_the_frames_of_published) {
  const Fabric fabric = *parse_graph("fat-tree:4", 1);
  const ClockTree tree = lowest_tree(fabric);
  const auto schemes = schemes_named({"published"}, {}, {});
  const auto without = schemes_named({"ours"}, {}, clock_improvement_names());
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    ClockScenario scenario{.failures = draw_failures(fabric, tree, 2, false, seed), .seed = seed};
    const auto run = [&](const ClockScheme& scheme) {
      scenario.improvements = scheme.improvements;
      scenario.speaks = scheme.speaks;
      return run_scheme(scheme, fabric, tree, scenario);
    };
    const ClockRun published = run(schemes.front()), ours = run(without.front());
    EXPECT_EQ(ours.trace, published.trace);
    EXPECT_EQ(ours.full_ns, published.full_ns);
  }
}

TEST(ClockSchemes, with_and_without__expect_them_changed_and_named) {
  const auto schemes = schemes_named({"published", "ours", "ptp"}, {"reports"}, {"timed"});
  EXPECT_TRUE(schemes[0].improvements.reports);
  EXPECT_FALSE(schemes[0].improvements.sharing);
  EXPECT_EQ(schemes[0].name, "published+reports-timed");
  EXPECT_FALSE(schemes[1].improvements.timed);
  EXPECT_TRUE(schemes[1].improvements.sharing);
  EXPECT_EQ(schemes[2].name, "ptp");
}

TEST(ClockSchemes, ablation__expect_ours_and_published_with_one_change_each) {
  const auto schemes = ablation_schemes();
  EXPECT_EQ(schemes.size(), 2 + 2 * clock_improvement_names().size());
  EXPECT_EQ(schemes.front().name, "ours");
  EXPECT_EQ(schemes.back().name, "published");
}

TEST(ClockSchemes, ptp_within_ten_megabits__expect_it_refused) {
  const auto ptp = schemes_named({"ptp"}, {}, {}).front();
  EXPECT_NE(scheme_refuses(ptp, 10'000'000), "");
  EXPECT_EQ(scheme_refuses(ptp, 100'000'000), "");
}

TEST(ClockSchemes, failures__expect_the_root_first_and_others_apart) {
  const Fabric fabric = *parse_graph("fat-tree:8", 1);
  const ClockTree tree = lowest_tree(fabric);
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const auto failures = draw_failures(fabric, tree, 2, false, seed);
    ASSERT_EQ(failures.size(), 2u);
    EXPECT_EQ(failures[0].node, tree.root);
    const auto near = fabric.graph.neighbors(tree.root);
    EXPECT_EQ(std::count(near.begin(), near.end(), failures[1].node), 0);
  }
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
