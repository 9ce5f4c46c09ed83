// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

constexpr uint64_t kMega = 1'000'000;

// Three nodes that take 100 Mbit/s each, in a view from the beginning.
class CheckRatesTest : public ::testing::Test {
 protected:
  CheckRatesTest() : script_(3) {
    script_.log_.rates = true;
    for (NodeScenario& node : script_.scenario_.nodes) {
      node.rate.capacity_bps = 100 * kMega;
      node.rate.reserve_percent = 6;
    }
    script_.install(1, {0, 1, 2});
  }
  void allow(uint32_t life, uint64_t mbps, bool shared = true) {
    script_.log_.allowances.push_back({life, script_.step(), mbps * kMega, shared});
  }
  // So many bytes on the wire, at once.
  void send(uint32_t life, uint32_t bytes) {
    for (; bytes >= 1'000; bytes -= 1'000)
      script_.log_.wire.push_back({life, 1'000, script_.step()});
  }
  [[nodiscard]] size_t shares() { return check_shares(script_.scenario_, script_.log_).size(); }
  [[nodiscard]] size_t envelope() { return check_envelope(script_.scenario_, script_.log_).size(); }

  OrderScript script_;
};

TEST_F(CheckRatesTest, shares_within_the_room__expect_no_violation) {
  allow(0, 47);
  allow(1, 47);
  allow(2, 47);
  EXPECT_EQ(shares(), 0u);
}

TEST_F(CheckRatesTest, one_rises_before_another_has_fallen__expect_a_violation_at_who_hears_both) {
  allow(0, 47);
  allow(1, 60);
  allow(0, 34);
  EXPECT_EQ(shares(), 1u);
}

TEST_F(CheckRatesTest, without_a_share__expect_it_not_to_count) {
  allow(0, 90);
  allow(1, 90, false);
  EXPECT_EQ(shares(), 0u);
}

// Room for 70 Mbit/s of shares, and for 3.3 Mbit/s of each of three nodes without a share.
TEST_F(CheckRatesTest, who_is_left_out_has_what_is_without_a_share__expect_it_not_to_count) {
  for (NodeScenario& node : script_.scenario_.nodes) node.rate.reserve_percent = 30;
  allow(1, 3);
  script_.install(2, {0, 2});
  allow(0, 79);
  EXPECT_EQ(shares(), 0u);
  allow(1, 4);
  EXPECT_EQ(shares(), 1u);
}

TEST_F(CheckRatesTest, the_receiver_is_out_of_the_view__expect_it_not_protected) {
  script_.install(2, {0, 1});
  allow(0, 90);
  allow(1, 90);
  EXPECT_EQ(shares(), 0u);
}

TEST_F(CheckRatesTest, members_act_upon_a_view_without_it_before_they_are_told__expect_the_same) {
  script_.log_.chosen.push_back({script_.step(), 2, 2});
  allow(0, 90);
  allow(1, 90);
  script_.install(2, {0, 1}, {}, 2);
  EXPECT_EQ(shares(), 0u);
  script_.log_.chosen.clear();
  EXPECT_EQ(shares(), 1u);
}

TEST_F(CheckRatesTest, the_dead_send_nothing__expect_their_share_free) {
  allow(0, 90);
  script_.crash(0);
  allow(1, 90);
  EXPECT_EQ(shares(), 0u);
}

TEST_F(CheckRatesTest, a_burst_that_buffers_hold__expect_no_violation) {
  send(0, 10'000);
  EXPECT_EQ(envelope(), 0u);
}

TEST_F(CheckRatesTest, more_than_buffers_hold__expect_a_violation_at_each_that_hears_it) {
  send(0, 500'000);
  EXPECT_EQ(envelope(), 2u);
  script_.log_.rates = false;
  EXPECT_EQ(envelope(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
