// SPDX-License-Identifier: BSD-3-Clause
#include "one_switch.h"

namespace lambdacast::trees {
namespace {

using TreeDetectionTest = OneSwitch;

TEST_F(TreeDetectionTest, neighbours_that_speak__expect_probes_and_no_flood) {
  run_until(1'000'000, {0, 1, 2});
  EXPECT_EQ(core.floods(), 0u);
  EXPECT_EQ(core.name(), FloodName{});
  for (size_t port = 0; port < 3; ++port) {
    const auto frames =
        std::count_if(out.begin(), out.end(), [&](const auto& each) { return each.first == port; });
    EXPECT_GE(frames, 9) << "one an interval";
  }
  EXPECT_EQ(probes(0), 0u);
}

TEST_F(TreeDetectionTest, silent_neighbour__expect_it_asked_and_then_a_flood_that_names_it) {
  run_until(300'000, {0, 1, 2});
  run_until(460'000, {0, 1});
  EXPECT_EQ(probes(2), settings.probes);
  EXPECT_TRUE(core.dead(2));
  EXPECT_EQ(core.floods(), 1u);
  EXPECT_EQ(core.name(), (FloodName{1, 0}));
  EXPECT_EQ(std::vector<NodeId>(core.failed().begin(), core.failed().end()),
            std::vector<NodeId>{3});
  EXPECT_EQ(core.index().groups(), 2u);
  EXPECT_EQ(said(0, core.name()), std::vector{RecordKind::kFlood});
  EXPECT_EQ(said(1, core.name()), std::vector{RecordKind::kFlood});
}

TEST_F(TreeDetectionTest, answer_to_a_probe__expect_no_flood) {
  run_until(300'000, {0, 1, 2});
  run_until(420'000, {0, 1});
  ASSERT_GE(probes(2), 1u);
  core.on_frame(2, {.answers = true}, now_ns, *this);
  run_until(500'000, {0, 1, 2});
  EXPECT_FALSE(core.dead(2));
  EXPECT_EQ(core.floods(), 0u);
}

TEST_F(TreeDetectionTest, probe__expect_an_answer_at_once) {
  core.on_frame(1, {.asks = true}, 1'000, *this);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].first, 1u);
  EXPECT_TRUE(out[0].second.answers);
}

TEST_F(TreeDetectionTest, dead_neighbour_that_speaks__expect_silence) {
  run_until(300'000, {0, 1, 2});
  run_until(460'000, {0, 1});
  ASSERT_TRUE(core.dead(2));
  out.clear();
  core.on_frame(2, {.asks = true}, now_ns, *this);
  EXPECT_TRUE(
      std::none_of(out.begin(), out.end(), [](const auto& each) { return each.first == 2; }));
}

}  // namespace
}  // namespace lambdacast::trees
