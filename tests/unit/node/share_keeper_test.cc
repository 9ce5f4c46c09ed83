// SPDX-License-Identifier: BSD-3-Clause
#include "node/share_keeper.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::node {
namespace share_keeper_test {

constexpr uint64_t kMega = 1'000'000;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kFrame = 1'000;

RateSetting setting(uint64_t need_bps, uint64_t limit_bps) {
  RateSetting setting;
  setting.config.policy = rate_control::Policy::kFair;
  setting.config.need_bps = need_bps;
  setting.config.limit_bps = limit_bps;
  setting.config.capacity_bps = 100 * kMega;
  setting.longest_frame = kFrame;
  setting.lease_ns = 1'000 * kMs;
  setting.gap_ns = 20 * kMs;
  return setting;
}

// Rank 0 of two. The other member, played by the test, takes 97 Mbit/s.
class ShareKeeperTest : public ::testing::Test {
 protected:
  explicit ShareKeeperTest(const RateSetting& of = setting(8 * kMega, 0)) : rates_(of, watch_) {}

  void begin() {
    const RateShares::Member members[] = {{}, {}};
    rates_.view_ended(1, members, 0, std::nullopt, now_ns_);
    rates_.vouched(1, now_ns_);
    announce_other(97);
    while (rates_.speech_due()) {
      std::vector<uint8_t> payload(wire::kAnnounceBytes);
      payload.resize(rates_.write(payload.data()));
      rates_.take(0, payload);
    }
    rates_.marked(1);
    rates_.stable(1);
    EXPECT_TRUE(look());
  }
  void announce_other(uint64_t room_mbps) {
    std::vector<uint8_t> payload(wire::kAnnounceBytes);
    wire::store_rate_announcement({0, 0, room_mbps * kMega, 0, 0, 0, {}}, payload.data());
    rates_.take(1, payload);
  }
  bool look(bool port_has_all = true) { return keeper_.look(port_has_all, now_ns_); }
  // The port gives nothing more, or holds frames back.
  void poll_port(bool empty = true) {
    drain_.polled(0, received_, [&] { return empty; });
  }
  // Frames that go in a millisecond, at a turn every 10 us.
  int frames_in_a_ms() {
    int frames = 0;
    for (const uint64_t end_ns = now_ns_ + kMs; now_ns_ < end_ns; now_ns_ += 10'000) {
      (void)look();
      for (; keeper_.allows(now_ns_); ++frames) keeper_.charge(kFrame, Transmission::kFirst);
      keeper_.end_turn(true, true, now_ns_);
    }
    return frames;
  }

  uint64_t now_ns_ = 100 * kMs;
  RateWatch watch_{8};
  RateShares rates_;
  PortDrain drain_{100};
  uint64_t received_ = 7;
  StageCounters reliability_{.received = 7};
  ShareKeeper keeper_{rates_, drain_, reliability_, nullptr};
};

TEST_F(ShareKeeperTest, data_without_rest__expect_its_share_and_a_deadline) {
  begin();
  ASSERT_TRUE(keeper_.limited());
  EXPECT_NEAR(frames_in_a_ms(), 1, 1);
  EXPECT_FALSE(keeper_.allows(now_ns_));
  EXPECT_GT(keeper_.data_deadline_ns(), now_ns_);
  EXPECT_TRUE(keeper_.allows(keeper_.data_deadline_ns()));
}

// The first frame is paid from the bucket of control alone.
TEST_F(ShareKeeperTest, urgent_control__expect_data_to_pay_for_what_exceeds_its_bucket) {
  begin();
  while (keeper_.allows(now_ns_)) keeper_.charge(kFrame, Transmission::kFirst);
  const uint64_t free_ns = keeper_.data_deadline_ns();
  keeper_.charge_control(kFrame, Urgency::kUrgent, now_ns_);
  EXPECT_EQ(keeper_.data_deadline_ns(), free_ns);
  keeper_.charge_control(kFrame, Urgency::kUrgent, now_ns_);
  EXPECT_GT(keeper_.data_deadline_ns(), free_ns + kMs / 2);
}

TEST_F(ShareKeeperTest, a_mark_lowers_the_share__expect_followed_and_told_once_the_port_has_all) {
  begin();
  announce_other(4);
  rates_.marked(2);
  keeper_.follow(now_ns_);
  EXPECT_EQ(rates_.acknowledge(2), 1u);
  EXPECT_FALSE(look(false));
  EXPECT_EQ(rates_.acknowledge(2), 1u);
  EXPECT_TRUE(look(true));
  EXPECT_FALSE(look(true)) << "it knows";
  EXPECT_EQ(rates_.acknowledge(2), 2u);
}

TEST_F(ShareKeeperTest, it_did_not_run__expect_nothing_before_port_and_queue_are_empty) {
  begin();
  now_ns_ += 30 * kMs;
  (void)look();
  EXPECT_TRUE(rates_.lease().paused());
  while (keeper_.allows(now_ns_)) keeper_.charge(kFrame, Transmission::kFirst);  // a frame at most
  EXPECT_FALSE(drain_.drained(received_));
  received_ += 3;
  poll_port();
  (void)look();
  EXPECT_TRUE(rates_.lease().paused()) << "what was heard waits to be judged";
  reliability_.received += 2;
  (void)look();
  EXPECT_TRUE(rates_.lease().paused());
  ++reliability_.received;
  (void)look();
  EXPECT_FALSE(rates_.lease().paused());
  EXPECT_EQ(rates_.limits().bits_per_second, 8 * kMega);
}

TEST_F(ShareKeeperTest, another_pause__expect_the_port_to_be_asked_anew) {
  begin();
  for (int pause = 0; pause < 2; ++pause) {
    now_ns_ += 30 * kMs;
    (void)look();
    EXPECT_FALSE(drain_.drained(received_));
    EXPECT_TRUE(rates_.lease().paused());
    poll_port();
    (void)look();
    EXPECT_FALSE(rates_.lease().paused());
  }
}

// A lease is 1 s, a gap 20 ms.
TEST_F(ShareKeeperTest, the_port_is_never_emptied__expect_the_share_over_though_members_are_heard) {
  begin();
  const auto hear_for = [&](uint64_t ns, bool empty) {
    for (const uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns; now_ns_ += 10 * kMs) {
      poll_port(empty);
      rates_.vouched(1, now_ns_);
      (void)look();
    }
  };
  hear_for(3'000 * kMs, true);
  EXPECT_TRUE(rates_.lease().valid());
  hear_for(500 * kMs, false);
  EXPECT_TRUE(rates_.lease().valid());
  hear_for(2'000 * kMs, false);
  EXPECT_FALSE(rates_.lease().valid());
  hear_for(300 * kMs, true);
  EXPECT_TRUE(rates_.lease().valid());
}

TEST_F(ShareKeeperTest, lazy_kinds_want_more_than_there_is__expect_turns) {
  begin();
  std::array<int, 3> went{};
  for (int turn = 0; turn < 40'000; ++turn, now_ns_ += 10'000) {
    (void)look();
    for (const Lazy kind : {Lazy::kMarks, Lazy::kAcknowledgements, Lazy::kStatuses}) {
      if (!keeper_.may_go(kind, now_ns_)) continue;
      ++went[static_cast<size_t>(kind)];
      keeper_.charge_control(kFrame, Urgency::kLazy, now_ns_);
    }
  }
  for (const int times : went) {
    EXPECT_GT(times, 10);
    EXPECT_NEAR(times, went[0], 2);
  }
}

TEST_F(ShareKeeperTest, a_lazy_kind_is_withdrawn__expect_the_next_one_to_go) {
  begin();
  while (keeper_.may_go(Lazy::kMarks, now_ns_))
    keeper_.charge_control(kFrame, Urgency::kLazy, now_ns_);
  EXPECT_FALSE(keeper_.may_go(Lazy::kStatuses, now_ns_));
  now_ns_ = keeper_.lazy_deadline_ns();
  EXPECT_FALSE(keeper_.may_go(Lazy::kStatuses, now_ns_)) << "behind the marks";
  keeper_.withdraw(Lazy::kMarks);
  EXPECT_TRUE(keeper_.may_go(Lazy::kStatuses, now_ns_));
}

// Its need is measured, and it is asked for more when the share alone holds data back.
class ShareKeeperThatMeasures : public ShareKeeperTest {
 protected:
  ShareKeeperThatMeasures() : ShareKeeperTest(setting(0, 0)) {}
};

TEST_F(ShareKeeperThatMeasures, data_is_refused__expect_a_greater_need) {
  begin();
  const uint64_t before = rates_.need_bps();
  for (int ms = 0; ms < 20; ++ms) (void)frames_in_a_ms();
  EXPECT_GT(rates_.need_bps(), before);
}

TEST_F(ShareKeeperThatMeasures, no_data_is_there__expect_the_need_to_stay) {
  begin();
  const uint64_t before = rates_.need_bps();
  for (int turn = 0; turn < 2'000; ++turn, now_ns_ += 10'000) {
    (void)look();
    keeper_.end_turn(false, false, now_ns_);
  }
  EXPECT_EQ(rates_.need_bps(), before);
}

TEST_F(ShareKeeperThatMeasures, what_went_is_charged__expect_the_use_in_the_need) {
  begin();
  for (int ms = 0; ms < 20; ++ms) (void)frames_in_a_ms();
  const uint64_t busy = rates_.need_bps();
  for (int turn = 0; turn < 30'000; ++turn, now_ns_ += 10'000) {
    (void)look();
    keeper_.end_turn(false, false, now_ns_);
    if (!rates_.speech_due()) continue;
    std::vector<uint8_t> payload(wire::kAnnounceBytes);
    payload.resize(rates_.write(payload.data()));
    rates_.take(0, payload);
    rates_.marked(static_cast<uint64_t>(turn) + 2);
    rates_.stable(static_cast<uint64_t>(turn) + 2);
  }
  EXPECT_LT(rates_.need_bps(), busy) << "nothing has gone since";
}

}  // namespace share_keeper_test
}  // namespace lambdacast::node
