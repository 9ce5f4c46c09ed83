// SPDX-License-Identifier: BSD-3-Clause
// Members that all have more to send than the others take (flooding.h).

#include "flooding.h"
#include "scripted.h"

namespace lambdacast::sim {
namespace {

// Data of a node in a time, bit/s on the wire.
uint64_t sent_bps(const Log& log, size_t node, uint64_t begin_ns, uint64_t end_ns) {
  uint64_t bytes = 0;
  for (const OnWire& frame : log.wire) {
    if (log.lives[frame.life].node == node && frame.data && frame.at_ns >= begin_ns &&
        frame.at_ns < end_ns)
      bytes += frame.bytes;
  }
  return bytes * 8 * 1'000 * kMega / (end_ns - begin_ns);
}

TEST(Rates, all_have_more_to_send_than_others_take__expect_each_to_send_an_equal_share) {
  const Outcome run = run_checked(flood());
  for (size_t node = 0; node < kFlooding; ++node) {
    EXPECT_GT(sent_bps(run.log, node, 20 * kMilli, kFloodEnds), 290 * kMega) << node;
    EXPECT_LE(sent_bps(run.log, node, 20 * kMilli, kFloodEnds), 314 * kMega) << node;
  }
}

// It has room for the three of them as before.
TEST(Rates, one_needs_little__expect_the_others_to_keep_the_shares_that_its_room_gives) {
  Scenario scenario = flood();
  scenario.actions.push_back({20 * kMilli, 0, Action::What::kNeed, 40 * kMega});
  const Outcome run = run_checked(scenario);
  EXPECT_LE(sent_bps(run.log, 0, 30 * kMilli, kFloodEnds), 41 * kMega);
  for (size_t node = 1; node < kFlooding; ++node)
    EXPECT_GT(sent_bps(run.log, node, 30 * kMilli, kFloodEnds), 290 * kMega) << node;
}

// Its share is back 1.5 suspect_after, a ballot and a settlement behind its last word.
TEST(Rates, one_is_excluded_unheard__expect_its_share_kept_for_its_lease_and_then_in_use) {
  const Outcome run = run_checked(excluded_unheard());
  EXPECT_EQ(run.seen.excluded, 1u);
  for (size_t node = 0; node < 3; ++node) {
    EXPECT_LE(sent_bps(run.log, node, 16 * kMilli, 27 * kMilli), 314 * kMega) << node;
    EXPECT_GT(sent_bps(run.log, node, 32 * kMilli, 40 * kMilli), 430 * kMega) << node;
  }
}

TEST(Rates, one_wakes_and_hears_the_past__expect_it_to_send_as_without_a_share) {
  const Outcome run = run_checked(woken_in_the_past());
  EXPECT_LE(sent_bps(run.log, 3, 23 * kMilli, 40 * kMilli), 6 * kMega);
}

TEST(Rates, one_hears_words_older_than_a_lease__expect_it_to_send_as_without_a_share) {
  const Outcome run = run_checked(behind_its_port());
  EXPECT_LE(sent_bps(run.log, 3, 14 * kMilli, 50 * kMilli), 6 * kMega);
}

}  // namespace
}  // namespace lambdacast::sim
