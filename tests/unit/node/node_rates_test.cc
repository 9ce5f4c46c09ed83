// SPDX-License-Identifier: BSD-3-Clause
// Members of a view that agree on shares of their receivers, over real frames: no receiver may be
// sent more than it has room for at any moment, and who has something to send gets its share.
#include "base/random.h"
#include "base/wire_bytes.h"
#include "members.h"

namespace lambdacast::node {
namespace node_rates_test {

using rate_control::LimitedBy;
using rate_control::Policy;

constexpr uint64_t kMega = 1'000'000;
constexpr uint64_t kRoom = 97 * kMega;
constexpr uint64_t kNeed = 30 * kMega;

NodeConfig rate_config(uint32_t number) {
  NodeConfig config = member_config(number);
  config.rate.policy = Policy::kFair;
  config.rate.need_bps = kNeed;
  config.rate.capacity_bps = 100 * kMega;
  config.rate.burst_ns = 100'000;
  return config;
}

class NodeRatesTest : public MembersTest {
 protected:
  NodeRatesTest() : MembersTest(rate_config) {}

  [[nodiscard]] RateShares& rates(size_t i) { return network_.node(i).rates(); }
  void set_capacity(size_t i, uint64_t bps) {
    rate_control::RateConfig config = rates(i).config();
    config.capacity_bps = bps;
    rates(i).set(config);
  }
  [[nodiscard]] uint64_t allowed(size_t i) { return rates(i).limits().bits_per_second; }
  // What the others may send towards it, together.
  [[nodiscard]] uint64_t towards(size_t receiver) {
    uint64_t bps = 0;
    for (size_t i = 0; i < network_.size(); ++i) {
      if (i != receiver && !network_.stopped[i]) bps += allowed(i);
    }
    return bps;
  }
  // Steps of 10 us, after each of which no receiver may be sent more than its room.
  void run_and_watch(uint64_t us) {
    for (; us >= 10; us -= 10) {
      run_us(10);
      for (size_t i = 0; i < network_.size(); ++i) ASSERT_LE(towards(i), kRoom) << "node " << i;
    }
  }
  void publish_all(size_t from) {
    while (network_[from].publish(Bytes(200, 1), wire::Qos::kSourceOrdered)) {
    }
  }
};

TEST_F(NodeRatesTest, a_first_view__expect_outside_rates_until_all_have_announced) {
  EXPECT_EQ(rates(0).limits().limited_by, LimitedBy::kOutside);
  EXPECT_LE(allowed(0), kMega);
  run_and_watch(60'000);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(rates(i).in_view());
    EXPECT_EQ(allowed(i), kNeed);
    EXPECT_EQ(rates(i).limits().limited_by, LimitedBy::kNeed);
    EXPECT_GT(rates(i).limits().control_bps, 0u);
    EXPECT_EQ(rates(i).counters().malformed, 0u);
  }
}

TEST_F(NodeRatesTest, all_need_more_than_there_is__expect_equal_shares_and_the_receiver_named) {
  run_and_watch(60'000);
  for (size_t i = 0; i < 3; ++i) rates(i).set_need(1'000 * kMega);
  run_and_watch(20'000);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(allowed(i), kRoom / 2);
    EXPECT_EQ(rates(i).limits().limited_by, LimitedBy::kReceiver);
    EXPECT_NE(rates(i).limits().whom, i);
  }
}

// Needs change at random, also while changes are under way.
TEST_F(NodeRatesTest, needs_change_all_the_time__expect_no_receiver_sent_too_much_at_any_moment) {
  run_and_watch(60'000);
  base::SplitMix64 random(3);
  for (int change = 0; change < 300; ++change) {
    rates(random.below(3)).set_need((1 + random.below(200)) * kMega);
    run_and_watch(10 * random.below(30));
  }
  rates(0).set_need(10 * kMega);
  rates(1).set_need(200 * kMega);
  rates(2).set_need(200 * kMega);
  run_and_watch(20'000);
  EXPECT_EQ(allowed(0), 10 * kMega);
  EXPECT_EQ(allowed(1), kRoom / 2);
  EXPECT_EQ(allowed(2), kRoom / 2);
}

TEST_F(NodeRatesTest, send_all_it_may__expect_its_share_on_the_wire) {
  run_and_watch(60'000);
  uint64_t bytes = 0;
  network_.loses = [&](size_t from, size_t to, const Bytes& frame) {
    if (from == 0 && to == 1) bytes += base::wire_bytes(static_cast<uint32_t>(frame.size()));
    return false;
  };
  constexpr uint64_t kMs = 100;
  for (uint64_t us = 0; us < kMs * 1'000; us += 100) {
    publish_all(0);
    run_us(100);
  }
  const uint64_t bps = bytes * 8 * 1'000 / kMs;
  EXPECT_GE(bps, kNeed * 98 / 100);
  EXPECT_LE(bps, kNeed * 102 / 100 + rates(0).limits().control_bps);
  EXPECT_EQ(gaps(), 0u);
}

// Frames of 200 bytes leave 90 us apart, which is more than a round trip.
TEST_F(NodeRatesTest, data_waits_for_its_share__expect_no_heartbeats_beside_it) {
  run_and_watch(60'000);
  const auto flood = [&](uint64_t ms) {
    for (uint64_t us = 0; us < ms * 1'000; us += 100) {
      publish_all(0);
      run_us(100);
    }
    return network_.node(0).sender().counters().heartbeats;
  };
  const uint64_t before = flood(10);
  const uint64_t ceiling_ns = rate_config(0).reliability.heartbeat_max_ns;
  EXPECT_LE(flood(100) - before, 100'000'000 / ceiling_ns + 1);
  EXPECT_EQ(gaps(), 0u);
}

// Its statuses go out seldom, and are written more often. Those that wait must not tell of the
// past, for node 0 goes no further than what all have heard of.
TEST_F(NodeRatesTest, a_member_has_a_small_share__expect_its_statuses_not_to_hold_up_another) {
  run_and_watch(60'000);
  rates(2).set_need(64'000);
  run_and_watch(20'000);
  uint64_t bytes = 0;
  network_.loses = [&](size_t from, size_t to, const Bytes& frame) {
    if (from == 0 && to == 1) bytes += base::wire_bytes(static_cast<uint32_t>(frame.size()));
    return false;
  };
  constexpr uint64_t kMs = 500;
  for (uint64_t us = 0; us < kMs * 1'000; us += 100) {
    publish_all(0);
    run_us(100);
  }
  EXPECT_GE(bytes * 8 * 1'000 / kMs, kNeed * 95 / 100);
  EXPECT_EQ(gaps(), 0u);
}

TEST_F(NodeRatesTest, flood_without_a_view__expect_the_outside_rate_on_the_wire) {
  network_.stopped = {false, true, true};
  uint64_t bytes = 0;
  network_.loses = [&](size_t from, size_t to, const Bytes& frame) {
    if (from == 0 && to == 1 && is_data(frame))
      bytes += base::wire_bytes(static_cast<uint32_t>(frame.size()));
    return false;
  };
  for (uint64_t us = 0; us < 100'000; us += 100) {
    publish_all(0);
    run_us(100);
  }
  EXPECT_EQ(allowed(0), 3 * kMega / (3 * 3));
  EXPECT_GT(bytes, 0u);
  EXPECT_LE(bytes, allowed(0) / 8 / 10 + 1'000);
}

TEST_F(NodeRatesTest, a_member_is_gone__expect_its_share_kept_and_then_given_back) {
  run_and_watch(60'000);
  for (size_t i = 0; i < 3; ++i) rates(i).set_need(1'000 * kMega);
  run_and_watch(20'000);
  network_.stopped[2] = true;
  for (int ms = 0; ms < 200 && rates(0).allocation().members() != 2; ++ms) run_us(1'000);
  ASSERT_EQ(rates(0).allocation().members(), 2u);
  run_us(2'000);
  // It may still send what it had: it does not know yet that it is out.
  EXPECT_EQ(rates(0).allocation().departed_bps(), kRoom / 2);
  EXPECT_LE(allowed(0), kRoom / 2);
  run_us(100'000);
  EXPECT_EQ(rates(0).allocation().departed_bps(), 0u);
  EXPECT_EQ(allowed(0), kRoom);
}

TEST_F(NodeRatesTest, a_capacity_changes__expect_the_others_to_follow) {
  run_and_watch(60'000);
  set_capacity(1, 40 * kMega);
  run_us(5'000);
  EXPECT_EQ(allowed(0), 40 * kMega * 97 / 100 / 2);
  EXPECT_EQ(rates(0).limits().limited_by, LimitedBy::kReceiver);
  EXPECT_EQ(allowed(1), kNeed);
  set_capacity(1, 100 * kMega);
  run_us(5'000);
  EXPECT_EQ(allowed(0), kNeed);
}

}  // namespace node_rates_test
}  // namespace lambdacast::node
