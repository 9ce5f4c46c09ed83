// SPDX-License-Identifier: BSD-3-Clause
#include "rate_script.h"

namespace lambdacast::sim {
namespace {

// All three announce that they need more than there is: 47 Mbit/s each.
class CheckFairTest : public ::testing::Test {
 protected:
  CheckFairTest() {
    script_.scenario_.end_ns = 1'000'000'000;
    for (uint32_t life = 0; life < 3; ++life) script_.announce(life, 90 * kScriptMega);
  }
  void allow(uint64_t first, uint64_t second, uint64_t third) {
    script_.allow(0, first * kScriptMega);
    script_.allow(1, second * kScriptMega);
    script_.allow(2, third * kScriptMega);
  }
  [[nodiscard]] size_t found() { return check_fair(script_.scenario_, script_.log_).size(); }
  RateScript script_;
};

TEST_F(CheckFairTest, equal_needs_and_shares__expect_no_violation) {
  allow(47, 47, 47);
  EXPECT_EQ(found(), 0u);
}

TEST_F(CheckFairTest, one_has_less__expect_a_violation) {
  allow(47, 46, 47);
  EXPECT_EQ(found(), 1u);
}

TEST_F(CheckFairTest, one_has_the_right_rate_without_a_share__expect_a_violation) {
  allow(47, 47, 47);
  script_.allow(2, 47 * kScriptMega, false);
  EXPECT_EQ(found(), 1u);
}

// It hears the others, and has room for 47 Mbit/s of each.
TEST_F(CheckFairTest, one_needs_less__expect_the_others_to_keep_what_its_room_gives) {
  script_.announce(0, 10 * kScriptMega);
  allow(10, 47, 47);
  EXPECT_EQ(found(), 0u);
  allow(10, 47, 84);
  EXPECT_EQ(found(), 1u);
}

TEST_F(CheckFairTest, one_is_gone__expect_its_share_back) {
  allow(47, 47, 47);
  script_.crash(2);
  script_.install(2, {0, 1});
  script_.allow(0, 90 * kScriptMega);
  EXPECT_EQ(found(), 1u);  // life 1 has what it had
  script_.allow(1, 90 * kScriptMega);
  EXPECT_EQ(found(), 0u);
}

TEST_F(CheckFairTest, just_changed_or_amid_faults__expect_nothing_asked) {
  allow(1, 1, 1);
  script_.scenario_.fabric.faults_end_ns = script_.scenario_.end_ns;
  EXPECT_EQ(found(), 0u);
  script_.scenario_.fabric.faults_end_ns = 0;
  EXPECT_EQ(found(), 3u);
  script_.scenario_.unshared_ns = script_.scenario_.end_ns;
  EXPECT_EQ(found(), 0u);
  script_.scenario_.unshared_ns = 0;
  script_.scenario_.end_ns = 10'000;
  EXPECT_EQ(found(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
