// SPDX-License-Identifier: BSD-3-Clause
#include "one_core.h"

namespace lambdacast::clock_sync {
namespace {

TEST_F(Core, father_silent_and_probes_too__expect_a_flood_of_the_next_generation) {
  start();
  come(0, wave(), 10'000);
  come(1, {.reports = true}, 65'000);
  run_until(112'000);
  EXPECT_EQ(count(0, [](const Frame& frame) { return frame.asks; }), 1u);
  run_until(112'000 + settings.frame_ns + settings.reply_ns - 1);
  EXPECT_EQ(core->floods(), 0u);
  run_until(112'000 + settings.frame_ns + settings.reply_ns);
  EXPECT_EQ(core->floods(), 1u);
  EXPECT_EQ(core->tree().name.generation, 1u);
  EXPECT_EQ(core->tree().name.failed, 2u);
  EXPECT_EQ(count(0, [](const Frame& frame) { return frame.has_flood; }), 0u);
  EXPECT_EQ(count(1, [](const Frame& frame) { return frame.has_flood && frame.has_time; }), 1u);
  EXPECT_EQ(count(2, [](const Frame& frame) { return frame.has_flood && frame.has_time; }), 1u);
}

TEST_F(Core, answer_to_the_second_probe__expect_no_flood) {
  start();
  come(0, wave(), 10'000);
  come(1, {.reports = true}, 65'000);
  run_until(120'000);
  come(0, {.answers = true}, 125'000);
  run_until(200'000);
  EXPECT_EQ(core->floods(), 0u);
}

TEST_F(Core, child_asks_just_before_the_verdict__expect_the_flood_to_answer_it) {
  const uint64_t verdict_ns = 112'000 + settings.frame_ns + settings.reply_ns;
  const auto answers = [](const Frame& frame) { return frame.answers; };
  const auto floods = [](const Frame& frame) { return frame.has_flood; };
  for (const bool defers : {false, true}) {
    sent.clear();
    settings.improvements.defers = defers;
    start();
    come(0, wave(), 10'000);
    come(1, {.reports = true}, 65'000);
    const uint64_t late_ns = defers ? settings.hop_slack_ns : 0;  // one hop from the root
    run_until(verdict_ns + late_ns - 1'000);
    come(1, {.asks = true}, verdict_ns + late_ns - settings.answer_wait_ns);
    EXPECT_EQ(count(1, answers), defers ? 0u : 1u);
    run_until(verdict_ns + late_ns);
    EXPECT_EQ(count(1, answers), 1u);
    EXPECT_EQ(count(1, floods), defers ? 1u : 0u) << "its port is busy with the answer";
  }
}

TEST_F(Core, child_asks_before_a_verdict_that_is_not_at_hand_or_does_not_come__expect_an_answer) {
  settings.improvements.defers = true;
  const uint64_t verdict_ns =
      112'000 + settings.hop_slack_ns + settings.frame_ns + settings.reply_ns;
  const auto answers = [](const Frame& frame) { return frame.answers; };
  start();
  come(0, wave(), 10'000);
  come(1, {.reports = true}, 65'000);
  run_until(verdict_ns - 10'000);
  come(1, {.asks = true}, verdict_ns - 7'000);
  EXPECT_EQ(count(1, answers), 1u) << "it is some way off";
  come(1, {.asks = true}, verdict_ns - 50);
  come(0, {.answers = true}, verdict_ns - 30);
  run_until(verdict_ns);
  EXPECT_EQ(count(1, answers), 2u) << "the father lives";
  EXPECT_EQ(core->floods(), 0u);
}

TEST_F(Core, child_with_others_below_is_silent__expect_a_flood_but_none_for_a_leaf) {
  for (const bool leaf : {false, true}) {
    sent.clear();
    start();
    uint64_t now_ns = 10'000;
    for (; now_ns < 400'000; now_ns += 100'000) {
      come(0, wave(static_cast<double>(now_ns)), now_ns);
      if (now_ns == 10'000) come(1, {.reports = true, .leaf = leaf}, now_ns + 61'000);
      run_until(now_ns + 99'999);
    }
    EXPECT_EQ(core->floods(), leaf ? 0u : 1u);
    EXPECT_EQ(core->has_child(1), false);
  }
}

TEST_F(Core, flood_names_a_neighbour__expect_it_asked_at_once) {
  start();
  come(2, flood({.generation = 1, .time_ns = 500, .address = 9, .failed = 2}), 1'000);
  EXPECT_EQ(count(0, [](const Frame& frame) { return frame.asks; }), 1u);
}

}  // namespace
}  // namespace lambdacast::clock_sync
