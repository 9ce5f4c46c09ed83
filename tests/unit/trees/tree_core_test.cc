// SPDX-License-Identifier: BSD-3-Clause
#include "one_switch.h"

namespace lambdacast::trees {
namespace {

using TreeCoreTest = OneSwitch;

TEST_F(TreeCoreTest, flood_of_another__expect_it_followed_and_passed_on) {
  run_until(200'000, {0, 1, 2});
  const FloodName name{1, 4};
  give(0, name, flood_of(3, false));
  EXPECT_EQ(core.name(), name);
  EXPECT_EQ(core.father(), 0u);
  EXPECT_EQ(said(0, name).front(), RecordKind::kFlood) << "its answer, as a child";
  EXPECT_EQ(said(1, name), std::vector{RecordKind::kFlood});
  EXPECT_FALSE(core.mended()) << "two neighbours have not answered";
}

TEST_F(TreeCoreTest, echo__expect_it_behind_all_answers_and_the_pieces_of_all_children) {
  run_until(200'000, {0, 1, 2});
  const FloodName name{1, 4};
  give(0, name, flood_of(3, false));
  give(1, name, flood_of(3, true));
  give(2, name, flood_of(3, false));  // it lives: a link of its own has failed
  EXPECT_FALSE(core.mended()) << "the child's bitmap is missing";
  EXPECT_EQ(said(0, name), std::vector{RecordKind::kFlood});
  // Below the child are one switch and the group with number 1.
  give(1, name, {3, 0, 0, 1, 0, 0, 2, 1, 0, 0, 0, 2});
  EXPECT_TRUE(core.mended());
  EXPECT_EQ(core.is_son(1), TreeCore::Words{2});
  EXPECT_EQ(core.is_son(2), TreeCore::Words{});
  EXPECT_EQ(said(0, name),
            (std::vector{RecordKind::kFlood, RecordKind::kSubtree, RecordKind::kBits}));
  for (const auto& [port, frame] : out) {
    auto body = frame.records();
    while (const auto record = take_record(body)) {
      if (port != 0 || !(frame.name == name)) continue;
      if (record->kind == RecordKind::kSubtree) {
        EXPECT_EQ(number_at(record->bytes, 0, 3), 2u) << "the child and itself";
      } else if (record->kind == RecordKind::kBits) {
        EXPECT_EQ(number_at(record->bytes, 1, 4), 3u) << "its own group and the child's";
      }
    }
  }
}

// Group 0 has members here and below the child, group 1 above.
TEST_F(TreeCoreTest, above__expect_each_child_told_of_members_elsewhere_and_packets_to_turn) {
  settings.improvements.above = true;
  run_until(200'000, {0, 1, 2});
  const FloodName name{1, 4};
  give(0, name, flood_of(3, false));
  give(1, name, flood_of(3, true));
  give(2, name, flood_of(3, false));
  give(0, name, {13, 1, 0, 0, 0, 0});
  EXPECT_TRUE(core.above(0)) << "a father that says so before it can know is not believed";
  give(1, name, {3, 0, 0, 1, 0, 0, 2, 1, 0, 0, 0, 1});
  EXPECT_TRUE(core.above(0) && core.above(1)) << "the father has not said anything";
  give(2, name, {13, 1, 0, 0, 0, 0});
  EXPECT_TRUE(core.above(0)) << "nobody but the father says so";
  give(0, name, {13, 1, 0, 0, 0, 2});
  EXPECT_FALSE(core.above(0));
  EXPECT_TRUE(core.above(1));
  EXPECT_EQ(said(1, name), (std::vector{RecordKind::kFlood, RecordKind::kAbove}));
  EXPECT_EQ(said(2, name), std::vector{RecordKind::kFlood});
  std::vector<uint32_t> told;
  for (const auto& [port, frame] : out) {
    auto body = frame.records();
    while (const auto record = take_record(body))
      if (record->kind == RecordKind::kAbove) told.push_back(number_at(record->bytes, 1, 4));
  }
  ASSERT_FALSE(told.empty());
  for (const uint32_t word : told) EXPECT_EQ(word, 3u) << "here, and above";
}

TEST_F(TreeCoreTest, father_dies__expect_a_later_flood_that_names_both) {
  run_until(200'000, {0, 1, 2});
  give(0, {1, 4}, flood_of(3, false));
  run_until(now_ns + 300'000, {1, 2});
  EXPECT_TRUE(core.dead(0));
  EXPECT_EQ(core.name(), (FloodName{2, 0}));
  EXPECT_EQ(std::vector<NodeId>(core.failed().begin(), core.failed().end()),
            (std::vector<NodeId>{1, 3}));
}

TEST_F(TreeCoreTest, older_flood_or_a_flood_whose_first_body_is_lost__expect_nothing) {
  run_until(200'000, {0, 1, 2});
  give(0, {4, 4}, flood_of(3, false));
  give(1, {3, 2}, flood_of(1, false));
  EXPECT_EQ(core.name(), (FloodName{4, 4}));
  RepairFrame frame{.name = {5, 2}, .numbered = true, .number = 1, .bytes = 1};
  frame.body[0] = static_cast<uint8_t>(RecordKind::kKeep);
  core.on_frame(1, frame, now_ns, *this);
  EXPECT_EQ(core.name(), (FloodName{4, 4}));
}

TEST_F(TreeCoreTest, install__expect_nothing_kept_of_the_flood_and_its_echoes_unheard) {
  run_until(200'000, {0, 1, 2});
  give(0, {1, 4}, flood_of(3, false));
  core.install(none);
  EXPECT_FALSE(core.name().exists());
  EXPECT_EQ(core.index().groups(), 0u);
  EXPECT_EQ(core.father(), kNoPort);
  EXPECT_TRUE(core.quiet());
  give(1, {1, 2}, flood_of(3, false));  // by one that has not been told yet
  EXPECT_FALSE(core.name().exists());
  give(1, {2, 7}, flood_of(3, false));
  EXPECT_EQ(core.name(), (FloodName{2, 7}));
}

TEST_F(TreeCoreTest, die_behind_an_installation__expect_a_flood_that_names_what_is_new_alone) {
  run_until(500'000, {1, 2});
  ASSERT_TRUE(core.dead(0));
  ASSERT_EQ(core.name(), (FloodName{1, 0}));
  core.install(none);
  run_until(now_ns + 500'000, {1});
  EXPECT_TRUE(core.dead(2));
  EXPECT_EQ(core.name(), (FloodName{3, 0}));
  EXPECT_EQ(core.failed().size(), 1u);
  // The flood of another names what this switch has been told to be routed around: no news.
  core.install(none);
  give(1, {9, 7}, flood_of(4, false));
  EXPECT_EQ(core.name(), (FloodName{9, 7}));
}

}  // namespace
}  // namespace lambdacast::trees
