// SPDX-License-Identifier: BSD-3-Clause
#include "node/rate_shares.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::node {
namespace rate_shares_test {

using rate_control::LimitedBy;
using rate_control::Policy;

constexpr uint64_t kMega = 1'000'000;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kLease = 10 * kMs;

RateSetting setting(uint64_t need_mbps) {
  RateSetting setting;
  setting.config.policy = Policy::kFair;
  setting.config.need_bps = need_mbps * kMega;
  setting.config.capacity_bps = 100 * kMega;
  setting.longest_frame = 1'000;
  setting.lease_ns = kLease;
  setting.gap_ns = kMs;
  return setting;
}

// This endpoint is rank 0 of two; the other one is played by the test.
class RateSharesTest : public ::testing::Test {
 protected:
  explicit RateSharesTest(const RateSetting& of = setting(80)) : rates_(of, watch_) {}

  void begin() {
    const RateShares::Member members[] = {{{}, false, 97 * kMega}, {{}, false, 97 * kMega}};
    rates_.view_ended(1, members, 0, std::nullopt, now_ns_);
    vouch();
    say_all();
    announce_other(10);
    mark(10);
    rates_.stable(10);
    (void)rates_.port_has_all();
    // Rank 0 says once more what has settled.
    EXPECT_EQ(say_all(), 1u);
    mark(11);
    rates_.stable(11);
    EXPECT_FALSE(rates_.speech_due());
  }
  void vouch() {
    rates_.emptied(now_ns_);
    rates_.vouched(1, now_ns_);
    rates_.look(now_ns_);
  }
  // What it has to say goes out and comes back to it.
  size_t say_all() {
    size_t said = 0;
    for (; rates_.speech_due(); ++said) {
      std::vector<uint8_t> payload(wire::kAnnounceBytes);
      payload.resize(rates_.write(payload.data()));
      rates_.take(0, payload);
    }
    return said;
  }
  void announce_other(uint64_t need_mbps, uint64_t room_mbps = 97) {
    std::vector<uint8_t> payload(wire::kAnnounceBytes);
    wire::store_rate_announcement(
        {need_mbps * kMega, 0, room_mbps * kMega, 0, 3 * kMega, 0, rates_.allocation().settled()},
        payload.data());
    rates_.take(1, payload);
  }
  void mark(uint64_t position) { rates_.marked(position); }
  [[nodiscard]] uint64_t allowed() const { return rates_.limits().bits_per_second / kMega; }

  uint64_t now_ns_ = 100 * kMs;
  RateWatch watch_{8};
  RateShares rates_;
};

TEST_F(RateSharesTest, in_no_view__expect_a_part_of_the_own_reserve) {
  EXPECT_EQ(rates_.limits().bits_per_second, 3 * kMega / (3 * 2));
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kOutside);
  EXPECT_FALSE(rates_.speech_due());
}

TEST_F(RateSharesTest, a_first_view__expect_an_announcement_and_a_reserve_of_rank_0) {
  const RateShares::Member members[] = {{}, {}};
  rates_.view_ended(1, members, 0, std::nullopt, now_ns_);
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kNewcomer);
  EXPECT_EQ(say_all(), 2u);
}

TEST_F(RateSharesTest, all_have_announced__expect_the_need) {
  begin();
  EXPECT_EQ(allowed(), 80u);
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kNeed);
}

TEST_F(RateSharesTest, a_receiver_has_less_room__expect_the_fall_acknowledged_behind_old_frames) {
  begin();
  announce_other(10, 50);
  mark(20);
  EXPECT_EQ(allowed(), 50u);
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kReceiver);
  EXPECT_EQ(rates_.limits().whom, 1u);
  EXPECT_EQ(rates_.acknowledge(20), 19u);
  EXPECT_TRUE(rates_.acknowledgements_wait());
  EXPECT_TRUE(rates_.port_has_all());
  EXPECT_FALSE(rates_.port_has_all());
  EXPECT_EQ(rates_.acknowledge(20), 20u);
}

TEST_F(RateSharesTest, a_mark_after_an_own_fall__expect_it_acknowledged_behind_old_frames) {
  begin();
  rates_.set_need(20 * kMega);
  EXPECT_EQ(allowed(), 20u);
  announce_other(10, 50);
  mark(20);
  EXPECT_EQ(allowed(), 20u);
  EXPECT_EQ(rates_.acknowledge(20), 19u) << "frames at 80 may wait for the port";
  EXPECT_TRUE(rates_.port_has_all());
  EXPECT_EQ(rates_.acknowledge(20), 20u);
  mark(30);
  EXPECT_EQ(rates_.acknowledge(30), 30u) << "nothing is faster";
}

TEST_F(RateSharesTest, a_view_after_a_fall__expect_it_acknowledged_behind_old_frames) {
  begin();
  announce_other(10, 50);
  mark(20);
  const RateShares::Member members[] = {{0, true, 0}, {1, true, 0}};
  rates_.view_ended(2, members, 0, std::nullopt, now_ns_);
  mark(7);
  EXPECT_EQ(rates_.acknowledge(7), 0u) << "positions are those of another sequencer";
  EXPECT_TRUE(rates_.port_has_all());
  EXPECT_EQ(rates_.acknowledge(7), 7u);
}

TEST_F(RateSharesTest, a_receiver_has_more_room__expect_the_rise_when_all_have_acknowledged) {
  begin();
  announce_other(10, 50);
  mark(20);
  (void)rates_.port_has_all();
  rates_.stable(20);
  announce_other(10, 70);
  mark(30);
  EXPECT_EQ(allowed(), 50u);
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kSettling);
  EXPECT_EQ(rates_.acknowledge(30), 30u) << "nothing falls";
  rates_.stable(29);
  EXPECT_EQ(allowed(), 50u);
  rates_.stable(30);
  EXPECT_EQ(allowed(), 70u);
}

TEST_F(RateSharesTest, need_less__expect_it_to_bind_before_it_is_said) {
  begin();
  rates_.set_need(20 * kMega);
  EXPECT_EQ(allowed(), 20u);
  EXPECT_TRUE(rates_.speech_due());
}

TEST_F(RateSharesTest, need_other_things_quickly__expect_one_announcement_on_its_way_at_a_time) {
  begin();
  rates_.set_need(20 * kMega);
  EXPECT_EQ(say_all(), 1u);
  rates_.set_need(30 * kMega);
  EXPECT_FALSE(rates_.speech_due());
  mark(20);
  EXPECT_EQ(rates_.allocation().rates(0).need_bps, 20 * kMega);
  rates_.stable(20);
  EXPECT_TRUE(rates_.speech_due());
  say_all();
  mark(30);
  EXPECT_EQ(rates_.allocation().rates(0).need_bps, 30 * kMega);
}

TEST_F(RateSharesTest, nobody_vouches__expect_the_share_over_and_back) {
  begin();
  for (const uint64_t end_ns = now_ns_ + kLease; now_ns_ < end_ns; now_ns_ += kMs / 2)
    rates_.look(now_ns_);
  rates_.look(now_ns_);
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kLease);
  EXPECT_LT(rates_.limits().bits_per_second, kMega);
  vouch();
  EXPECT_EQ(allowed(), 80u);
}

TEST_F(RateSharesTest, it_did_not_run__expect_nothing_to_go_before_it_has_caught_up) {
  begin();
  now_ns_ += 5 * kMs;
  rates_.look(now_ns_);
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kPause);
  EXPECT_EQ(rates_.limits().bits_per_second, 0u);
  rates_.emptied(now_ns_);
  EXPECT_EQ(allowed(), 80u);
}

TEST_F(RateSharesTest, malformed_or_not_its_senders_to_say__expect_it_counted_and_ignored) {
  begin();
  std::vector<uint8_t> payload(wire::kReserveBytes);
  wire::store_rate_reserve({50 * kMega, {}}, payload.data());
  rates_.take(1, payload);  // rank 0 speaks for the departed
  rates_.take(1, std::vector<uint8_t>(7));
  mark(20);
  EXPECT_EQ(rates_.counters().malformed, 2u);
  EXPECT_EQ(rates_.allocation().departed_bps(), 0u);
}

TEST_F(RateSharesTest, it_is_out__expect_what_it_had_before_the_view) {
  begin();
  rates_.out();
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kOutside);
  EXPECT_FALSE(rates_.speech_due());
}

TEST_F(RateSharesTest, a_newcomers_first_view_ends_early__expect_it_to_be_a_newcomer_again) {
  const RateShares::Member first[] = {{{}, true, 0}, {{}, true, 0}, {{}, false, 97 * kMega}};
  rates_.view_ended(2, first, 2, std::nullopt, now_ns_);
  const RateShares::Member second[] = {{0, true, 0}, {2, true, 0}};
  rates_.view_ended(3, second, 1, std::nullopt, now_ns_);
  rates_.emptied(now_ns_);
  rates_.vouched(0, now_ns_);
  rates_.look(now_ns_);
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kNewcomer);
  EXPECT_LT(rates_.limits().bits_per_second, kMega);
}

// Its first view ended before it had heard the others, and one of them is gone.
TEST_F(RateSharesTest, first_of_those_who_stayed_knows_too_little__expect_all_kept_for_two_leases) {
  const RateShares::Member first[] = {{}, {}, {}};
  rates_.view_ended(1, first, 0, std::nullopt, now_ns_);
  const RateShares::Member second[] = {{0, true, 0}, {1, true, 0}};
  rates_.view_ended(2, second, 0, std::nullopt, now_ns_);
  const auto said_reserve = [&] {
    uint64_t said = 1;
    while (rates_.speech_due()) {
      std::vector<uint8_t> payload(wire::kAnnounceBytes);
      payload.resize(rates_.write(payload.data()));
      const wire::RateMessage message = wire::load_rate_message(payload);
      if (const auto* reserve = std::get_if<wire::RateReserve>(&message))
        said = reserve->departed_bps;
      rates_.take(0, payload);
    }
    return said;
  };
  EXPECT_EQ(said_reserve(), wire::kMostDepartedBps);
  now_ns_ += 2 * kLease;
  rates_.look(now_ns_);
  EXPECT_EQ(said_reserve(), 0u);
}

class RateSharesOfTheLeastCapacity : public RateSharesTest {
 protected:
  static RateSetting least() {
    RateSetting setting = rate_shares_test::setting(1);
    setting.config.capacity_bps = setting.config.each_bps = wire::kLeastBps;
    return setting;
  }
  RateSharesOfTheLeastCapacity() : RateSharesTest(least()) {}
};

TEST_F(RateSharesOfTheLeastCapacity, expect_a_room_that_can_be_announced) {
  const RateShares::Member members[] = {{}, {}};
  rates_.view_ended(1, members, 0, std::nullopt, now_ns_);
  say_all();
  EXPECT_EQ(rates_.counters().malformed, 0u);
  EXPECT_EQ(rates_.allocation().rates(0).room_bps, wire::kLeastBps);
  EXPECT_EQ(rates_.allocation().rates(0).each_bps, wire::kLeastBps);
}

// Nobody has a capacity.
class RateSharesWithoutLimit : public RateSharesTest {
 protected:
  static RateSetting without_limit() {
    RateSetting all = setting(0);
    all.config.capacity_bps = 0;
    return all;
  }
  RateSharesWithoutLimit() : RateSharesTest(without_limit()) {}
  void set_limit(uint64_t bps) {
    rate_control::RateConfig config = rates_.config();
    config.limit_bps = bps;
    rates_.set(config);
  }
};

TEST_F(RateSharesWithoutLimit, expect_no_limit_in_a_view_or_out_of_it) {
  EXPECT_TRUE(rates_.limits().unlimited());
  const RateShares::Member members[] = {{}, {}};
  rates_.view_ended(1, members, 0, std::nullopt, now_ns_);
  EXPECT_TRUE(rates_.limits().unlimited());
  say_all();
  announce_other(10, 0);
  mark(10);
  EXPECT_TRUE(rates_.limits().unlimited());
  EXPECT_EQ(rates_.next_look_ns(), ~uint64_t{0});
}

TEST_F(RateSharesWithoutLimit, one_departs__expect_a_reserve_that_all_accept) {
  const RateShares::Member first[] = {{}, {}};
  rates_.view_ended(1, first, 0, std::nullopt, now_ns_);
  say_all();
  announce_other(10, 0);
  mark(10);
  rates_.stable(10);
  say_all();
  mark(11);
  const RateShares::Member second[] = {{0, true, 0}};
  rates_.view_ended(2, second, 0, std::nullopt, now_ns_);
  EXPECT_EQ(say_all(), 2u);
  EXPECT_EQ(rates_.counters().malformed, 0u);
  EXPECT_EQ(rates_.allocation().departed_bps(), wire::kMostBps);
}

TEST_F(RateSharesWithoutLimit, a_limit_of_the_configuration__expect_it_kept) {
  set_limit(5 * kMega);
  EXPECT_EQ(allowed(), 5u);
  EXPECT_EQ(rates_.limits().limited_by, LimitedBy::kLimit);
  set_limit(0);
  EXPECT_TRUE(rates_.limits().unlimited());
}

}  // namespace rate_shares_test
}  // namespace lambdacast::node
