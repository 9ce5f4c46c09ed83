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

TEST_F(Core, child_with_others_below_is_silent__expect_a_flood_but_none_for_a_leaf) {
  for (const bool leaf : {false, true}) {
    sent.clear();
    start();
    uint64_t now_ns = 10'000;
    for (; now_ns < 400'000; now_ns += 100'000) {
      come(0, wave(), now_ns);
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
