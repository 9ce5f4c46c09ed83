// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

constexpr uint64_t kSuspectNs = 10'000'000;

// Node 2 is out at 30 ms: why?
class CheckExcludedTest : public ::testing::Test {
 protected:
  CheckExcludedTest() : script_(3) {
    script_.install(1, {0, 1, 2});
    script_.pass(30'000'000);
  }
  size_t violations() {
    OrderScript script = script_;
    script.install(2, {0, 1});
    return script.violations(check_excluded);
  }
  // Of silence, which counts from the last frame before.
  [[nodiscard]] uint64_t heartbeat_ns() const {
    return script_.scenario_.membership.views.heartbeat_ns;
  }
  void pause(size_t node, uint64_t from_ns, uint64_t length_ns) {
    script_.scenario_.actions.push_back({from_ns, node, Action::What::kPause});
    script_.scenario_.actions.push_back({from_ns + length_ns, node, Action::What::kResume});
  }
  OrderScript script_;
};

TEST_F(CheckExcludedTest, no_fault__expect_violation) {
  EXPECT_EQ(true_story().violations(check_excluded), 0u);
  EXPECT_EQ(violations(), 1u);
}

TEST_F(CheckExcludedTest, crashed_or_left__expect_no_violation) {
  OrderScript before = script_;
  script_.crash(2);
  EXPECT_EQ(violations(), 0u);
  script_ = before;
  script_.leave(2);
  EXPECT_EQ(violations(), 0u);
}

TEST_F(CheckExcludedTest, paused__expect_no_violation_if_it_and_long_enough_and_not_long_before) {
  OrderScript before = script_;
  pause(2, 15'000'000, kSuspectNs);
  EXPECT_EQ(violations(), 0u);
  script_ = before;
  pause(2, 15'000'000, kSuspectNs - heartbeat_ns());
  EXPECT_EQ(violations(), 0u);
  script_ = before;
  pause(2, 15'000'000, kSuspectNs - 2 * heartbeat_ns());
  EXPECT_EQ(violations(), 1u);
  script_ = before;
  pause(1, 15'000'000, kSuspectNs);  // another one
  EXPECT_EQ(violations(), 1u);
  script_ = before;
  pause(2, 25'000'000, kSuspectNs);  // for 5 ms, until then
  EXPECT_EQ(violations(), 1u);
}

TEST_F(CheckExcludedTest, parted_from_a_member__expect_no_violation_if_long_enough) {
  for (const auto& [from, to] : {std::pair{2u, 1u}, std::pair{0u, 2u}, std::pair{0u, 1u}}) {
    const OrderScript before = script_;
    script_.scenario_.fabric.partitions = {{from, to, 5'000'000, 5'000'000 + kSuspectNs}};
    EXPECT_EQ(violations(), from == 0 && to == 1 ? 1u : 0u);
    script_.scenario_.fabric.partitions[0].end_ns -= 2 * heartbeat_ns();
    EXPECT_EQ(violations(), 1u);
    script_ = before;
  }
}

TEST_F(CheckExcludedTest, silent__expect_no_violation_if_losses_are_to_blame) {
  Silence silence;
  silence.sender = 2;
  silence.begin_ns = 10'000'000;
  silence.end_ns = 25'000'000;
  silence.copies_lost = 3;
  script_.log_.silences = {silence};
  EXPECT_EQ(violations(), 0u);
  script_.log_.silences[0].copies_lost = 0;  // it did not speak
  EXPECT_EQ(violations(), 1u);
}

// Half of evict_lag is enough where a member evicts; any time, where losses delay what it is told.
TEST_F(CheckExcludedTest, lagged__expect_no_violation_if_a_member_evicts) {
  pause(2, 15'000'000, kSuspectNs / 5);
  EXPECT_EQ(violations(), 1u);
  script_.scenario_.nodes[0].repair.slow_receiver = reliability::SlowReceiver::kEvict;
  script_.scenario_.nodes[0].repair.evict_lag_ns = 2 * kSuspectNs / 5;
  EXPECT_EQ(violations(), 0u);
  ++script_.scenario_.nodes[0].repair.evict_lag_ns;
  ++script_.scenario_.nodes[0].repair.evict_lag_ns;
  EXPECT_EQ(violations(), 1u);
  script_.log_.copies_lost = 1;
  EXPECT_EQ(violations(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
