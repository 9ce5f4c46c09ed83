// SPDX-License-Identifier: BSD-3-Clause
#include "one_core.h"

namespace lambdacast::clock_sync {
namespace {

TEST_F(Core, wave_comes__expect_it_set_and_the_child_told_one_hop_more) {
  start();
  come(0, wave(), 10'000);
  EXPECT_DOUBLE_EQ(core->time().now(10'000), 77'620);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].first, 1u);
  EXPECT_EQ(sent[0].second.hops, 2);
  EXPECT_DOUBLE_EQ(sent[0].second.age_ns, 620);
}

TEST_F(Core, copy_of_a_wave_comes__expect_no_wave_of_it_and_the_next_one_passed_on) {
  start();
  come(0, wave(), 10'000);
  come(0, wave(), 40'000);
  run_until(60'000);
  EXPECT_EQ(core->time_changes(), 1u);
  EXPECT_EQ(count(1, [](const Frame& frame) { return frame.has_time; }), 1u);
  come(0, wave(177'000), 110'000);
  EXPECT_EQ(core->time_changes(), 2u);
  EXPECT_EQ(count(1, [](const Frame& frame) { return frame.has_time; }), 2u);
}

TEST_F(Core, wave_of_another_tree_or_from_a_child__expect_it_not_taken) {
  start();
  Frame other = wave();
  other.tag ^= 1;
  come(0, other, 10'000);
  come(1, wave(), 10'000);
  Frame passing = wave();
  passing.optimised = false;
  come(0, passing, 10'000);
  EXPECT_EQ(core->time_changes(), 0u);
}

TEST_F(Core, floods_of_one_generation__expect_the_earliest_in_force_and_no_earlier_generation) {
  start();
  const auto name = [](uint32_t generation, int64_t time_ns, NodeId address) {
    return TreeName{.generation = generation, .time_ns = time_ns, .address = address, .failed = 2};
  };
  come(2, flood(name(1, 500, 9)), 1'000);
  EXPECT_EQ(core->tree().name.address, 9u);
  come(1, flood(name(1, 400, 7)), 2'000);
  EXPECT_EQ(core->tree().name.address, 7u);
  come(2, flood(name(1, 450, 9)), 3'000);
  EXPECT_EQ(core->tree().name.address, 7u);
  come(2, flood(name(2, 900, 9)), 4'000);
  EXPECT_EQ(core->tree().name.address, 9u);
  come(1, flood(name(1, 1, 7)), 5'000);
  EXPECT_EQ(core->tree().name.address, 9u);
}

TEST_F(Core, published__expect_the_latest_flood_in_force) {
  settings.improvements = {};
  start();
  come(2, flood({.time_ns = 500, .address = 9, .failed = 2}), 1'000);
  come(1, flood({.time_ns = 400, .address = 7, .failed = 2}), 2'000);
  EXPECT_EQ(core->tree().name.address, 9u);
  come(1, flood({.time_ns = 600, .address = 7, .failed = 2}), 3'000);
  EXPECT_EQ(core->tree().name.address, 7u);
}

}  // namespace
}  // namespace lambdacast::clock_sync
