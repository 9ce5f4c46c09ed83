// SPDX-License-Identifier: BSD-3-Clause
#include "one_core.h"

namespace lambdacast::clock_sync {
namespace {

TEST_F(Core, half_an_interval_behind_a_wave__expect_a_report_to_the_father) {
  start();
  come(0, wave(), 10'000);
  run_until(59'999);
  EXPECT_EQ(count(0, [](const Frame& frame) { return frame.reports; }), 0u);
  run_until(60'000);
  EXPECT_EQ(count(0, [](const Frame& frame) { return frame.reports && !frame.leaf; }), 1u);
}

TEST_F(Core, two_frames_due_at_a_port__expect_a_frame_time_between_them) {
  settings.improvements = {};
  start();
  come(1, {.asks = true}, 1'000);
  come(0, wave(), 1'000);
  EXPECT_EQ(count(1, [](const Frame&) { return true; }), 1u);
  EXPECT_EQ(core->next_deadline_ns(), 1'000 + settings.frame_ns);
  run_until(1'000 + settings.frame_ns);
  EXPECT_EQ(count(1, [](const Frame&) { return true; }), 2u);
}

TEST_F(Core, two_probes_come_a_frame_time_apart__expect_two_answers) {
  start();
  come(1, {.asks = true}, 1'000);
  come(1, {.asks = true}, 1'000 + settings.frame_ns);
  EXPECT_EQ(count(1, [](const Frame& frame) { return frame.answers; }), 2u);
}

TEST_F(Core, lost_flood__expect_it_in_each_frame_with_state_until_it_is_acknowledged) {
  start();
  come(2, flood({.generation = 1, .time_ns = 500, .address = 9, .failed = 4}), 1'000);
  const auto floods = [&] { return count(1, [](const Frame& frame) { return frame.has_flood; }); };
  EXPECT_EQ(floods(), 1u);
  Frame wave_of_another = {.items = 1, .number = 2, .tag = core->tree().name.tag()};
  wave_of_another.item[0] = {.kind = ItemKind::kWave, .root = 8, .first = 1};
  come(2, wave_of_another, 2'000);
  run_until(1'000 + settings.frame_ns);
  EXPECT_EQ(floods(), 2u);
  EXPECT_EQ(count(1, [](const Frame& frame) { return frame.items == 1; }), 1u);
}

TEST_F(Core, published__expect_one_thing_a_frame_and_one_frame_unacknowledged) {
  settings.improvements = {};
  start();
  come(2, flood({.time_ns = 500, .address = 9, .failed = 4}), 1'000);
  Frame wave_of_another = {.items = 1, .number = 2, .tag = core->tree().name.tag()};
  wave_of_another.item[0] = {.kind = ItemKind::kWave, .root = 8, .first = 1};
  come(2, wave_of_another, 2'000);
  run_until(30'000);
  EXPECT_EQ(count(1, [](const Frame& frame) { return frame.numbered(); }), 1u);
  come(1, {.acknowledges = true, .last = 0}, 31'000);
  run_until(32'000);
  EXPECT_EQ(count(1, [](const Frame& frame) { return frame.items == 1 && !frame.has_flood; }), 1u);
}

}  // namespace
}  // namespace lambdacast::clock_sync
