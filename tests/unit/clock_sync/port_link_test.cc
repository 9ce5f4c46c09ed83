// SPDX-License-Identifier: BSD-3-Clause
#include "clock_sync/port_link.h"

#include <gtest/gtest.h>

#include <deque>

#include "base/random.h"
#include "clock_sync/kept_time.h"

namespace lambdacast::clock_sync {
namespace {

TEST(PortLink, random_losses__expect_each_bit_taken_by_the_other_end_in_the_end) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::SplitMix64 random(seed);
    PortLink sender, receiver;
    uint64_t added = 0, taken = 0, now_ns = 0;
    for (int step = 0; step < 400 || !sender.quiet(); ++step) {
      ASSERT_LT(step, 4000) << seed;
      now_ns += 10;
      if (step < 400 && random.below(3) == 0) {
        const uint64_t bit = uint64_t{1} << random.below(50);
        sender.add(bit);
        added |= bit;
      }
      if (sender.may_send(PortLink::kWindow)) {
        const uint64_t bits = sender.due() & random();
        const uint64_t sent = bits != 0 ? bits : sender.due();
        const uint8_t number = sender.sent(sent, now_ns);
        if (random.below(3) != 0) {
          taken |= sent;
          receiver.accepted(number);
        }
      }
      sender.time_out(now_ns, 50);
      if (random.below(3) == 0) {
        Frame acknowledgement;
        receiver.put_acknowledgement(acknowledgement);
        if (acknowledgement.acknowledges) sender.acknowledged(acknowledgement);
      }
    }
    EXPECT_EQ(taken, added) << seed;
  }
}

TEST(PortLink, frame_acknowledged_behind_one_that_is_not__expect_the_lost_one_due_at_once) {
  PortLink link, other;
  link.add(1);
  (void)link.sent(1, 0);
  link.add(2);
  other.accepted(link.sent(2, 10));
  Frame acknowledgement;
  other.put_acknowledgement(acknowledgement);
  link.acknowledged(acknowledgement);
  EXPECT_EQ(link.due(), 1u);
  EXPECT_EQ(link.unacknowledged(), 0u);
}

TEST(PortLink, two_probes_reach_a_port_with_one_frame_on_its_way__expect_one_answer_due) {
  PortLink link;
  link.free_ns = 1000 + 5120;  // a frame has begun at 1000
  link.asked_by_other(2000, 5120, 5620);
  EXPECT_FALSE(link.answer_due);
  link.asked_by_other(7120, 5120, 5620);
  EXPECT_TRUE(link.answer_due);
}

TEST(PortLink, probes_without_an_answer__expect_a_verdict_behind_the_last_alone) {
  PortLink link;
  link.ask();
  link.asked(2, 100);
  EXPECT_EQ(link.verdict_ns(), kNever);
  EXPECT_TRUE(link.ask_due(2));
  link.asked(2, 200);
  EXPECT_EQ(link.verdict_ns(), 200u);
  EXPECT_FALSE(link.ask_due(2));
  link.heard();
  EXPECT_EQ(link.verdict_ns(), kNever);
  EXPECT_FALSE(link.asking());
}

TEST(Settings, least_probes__expect_the_least_number_that_keeps_the_target) {
  EXPECT_EQ(least_probes(0, 5119, 100'000), 1u);
  // 2 x 5119 edges, 1e4 waves a second: 2 false alarms a second by one probe, 1.5 an hour by two.
  EXPECT_EQ(least_probes(1e-4, 5119, 100'000), 2u);
  EXPECT_EQ(least_probes(1e-4, 22527, 100'000), 3u);
  EXPECT_EQ(least_probes(1, 10, 100'000), 64u);
}

TEST(KeptTime, set_by_a_wave__expect_uncertainty_by_hops_and_by_the_waves_age) {
  KeptTime time;
  time.set(5000, 300, 3, 1000);
  EXPECT_DOUBLE_EQ(time.now(1500), 5500);
  EXPECT_DOUBLE_EQ(time.epsilon(1500, 5, 1e-3), 5 * 3 + 1e-3 * 800);
  time.lead();
  EXPECT_DOUBLE_EQ(time.epsilon(9000, 5, 1e-3), 0);
  EXPECT_DOUBLE_EQ(time.now(1500), 5500);
  time.follow(2000);
  EXPECT_DOUBLE_EQ(time.epsilon(2100, 5, 1e-3), 1e-3 * 100);
}

}  // namespace
}  // namespace lambdacast::clock_sync
