// SPDX-License-Identifier: BSD-3-Clause
#include "rate_script.h"

namespace lambdacast::sim {
namespace {

// A lease lasts for 2.5 ms, and node 0 breaks ties.
class CheckOutsideTest : public ::testing::Test {
 protected:
  // For a millisecond, much more than the rate without a share.
  void flood(uint32_t life) { script_.send(life, 20, 50'000); }
  [[nodiscard]] size_t found() { return check_outside(script_.scenario_, script_.log_).size(); }
  RateScript script_;
};

TEST_F(CheckOutsideTest, one_that_hears_a_quorum__expect_no_violation) {
  script_.vouch(0, 1);
  flood(1);
  EXPECT_EQ(found(), 0u);
}

TEST_F(CheckOutsideTest, one_that_heard_it_longer_ago_than_a_lease__expect_a_violation) {
  script_.vouch(0, 1);
  script_.pass(2'600'000);
  flood(1);
  EXPECT_GT(found(), 0u);
}

TEST_F(CheckOutsideTest, the_rate_without_a_share__expect_no_violation) {
  script_.send(1, 20, 13'000'000);  // 8000 bits in 12 ms would be that rate
  EXPECT_EQ(found(), 0u);
}

TEST_F(CheckOutsideTest, a_word_of_one_that_suspects_it__expect_a_violation) {
  script_.vouch(0, 1, 0b010);
  flood(1);
  EXPECT_GT(found(), 0u);
}

TEST_F(CheckOutsideTest, a_word_that_has_waited_for_two_leases__expect_a_violation) {
  script_.pass(10'000'000);
  script_.vouch(0, 1, 0, 5'100'000);
  flood(1);
  EXPECT_GT(found(), 0u);
}

TEST_F(CheckOutsideTest, one_member_of_five__expect_a_violation) {
  RateScript script;
  script.start(0);
  script.start(0);
  script.install(1, {0, 1, 2, 3, 4}, {}, 7);
  script.vouch(2, 1);
  script.log_.vouched.back().round = 7;
  script.send(1, 20, 50'000);
  EXPECT_GT(check_outside(script.scenario_, script.log_).size(), 0u);
}

// Node 0, a quorum of its view by itself, grants itself its share from when it knows that the view
// is chosen; its application is told of that later.
TEST_F(CheckOutsideTest,
       a_view_that_the_application_is_told_of_late__expect_it_to_count_as_chosen) {
  for (const bool chosen : {true, false}) {
    RateScript script;
    script.pass(10'000'000);
    if (chosen) script.log_.chosen.push_back({script.step(), 2, 2});
    script.send(0, 20, 50'000);
    script.install(2, {0, 1}, {0}, 2);
    EXPECT_EQ(check_outside(script.scenario_, script.log_).empty(), chosen);
  }
}

}  // namespace
}  // namespace lambdacast::sim
