// SPDX-License-Identifier: BSD-3-Clause
// A member that joins while others are in the middle of long messages.
#include "members.h"

namespace lambdacast::dpdk {
namespace {

// The third one is not there when the first view begins.
class LateMemberTest : public MembersTest {
 protected:
  LateMemberTest() {
    for (auto& node : nodes_) node.reset();
    for (auto& endpoint : config_.endpoints) endpoint.membership.views.initial_nodes = 2;
    for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i] = test::started(config_, i);
    stopped_[2] = true;
    run_ms(50);
  }
  // As much of it as there is room for, or all.
  node::SendResult send_for(uint64_t us, size_t from, node::Outgoing& outgoing) {
    node::SendResult result = node::SendResult::kAgain;
    for (uint64_t i = 0; i < us && result != node::SendResult::kSent; i += 100) {
      result = nodes_[from]->publisher().send(outgoing, now_ns_);
      run_us(100);
    }
    return result;
  }
  void expect_all_the_same(size_t messages) {
    for (size_t node = 0; node < 3; ++node) {
      EXPECT_EQ(events_[node].back().members.size(), 3u);
      EXPECT_EQ(lines_[node].size(), messages) << node;
      EXPECT_EQ(lines_[node], lines_[0]) << node;
      EXPECT_EQ(nodes_[node]->node().filter().held(), 0u);
    }
    EXPECT_EQ(gaps_, 0u);
  }
};

TEST_F(LateMemberTest, amid_a_long_message__expect_it_whole_at_all) {
  ASSERT_EQ(events_[0].size(), 1u);
  const auto message = test::counting_bytes(300'000);
  node::Outgoing outgoing(message, 1, Qos::kTotallyResilient);
  ASSERT_EQ(send_for(1'000, 0, outgoing), node::SendResult::kAgain);
  stopped_[2] = false;
  run_ms(50);
  ASSERT_EQ(events_[2].size(), 1u);
  EXPECT_TRUE(lines_[1].empty());
  EXPECT_EQ(send_for(1'000'000, 0, outgoing), node::SendResult::kSent);
  EXPECT_EQ(send(0, 7, Qos::kTotallyOrdered), node::SendResult::kSent);
  run_ms(50);
  expect_all_the_same(2);
  EXPECT_EQ(lines_[2][0].message, message);
  EXPECT_EQ(lines_[2][0].epoch, 2u);
  EXPECT_EQ(lines_[2][0].index, 0u);
  EXPECT_GT(nodes_[0]->node().ordering().counters().drops[counters::DropReason::kDuplicate], 0u);
  EXPECT_EQ(nodes_[0]->publisher().stable(), nodes_[0]->publisher().published());
}

TEST_F(LateMemberTest, amid_long_messages_of_two__expect_them_whole_at_all) {
  const auto message = test::counting_bytes(200'000);
  node::Outgoing first(message, 1, Qos::kTotallyOrdered);
  node::Outgoing second(message, 1, Qos::kTotallyOrdered);
  node::Outgoing other(message, 1, Qos::kMajority);
  ASSERT_EQ(send_for(1'000, 0, first), node::SendResult::kAgain);
  ASSERT_EQ(send_for(1'000, 0, second), node::SendResult::kAgain) << "two of one sender, in turn";
  ASSERT_EQ(send_for(1'000, 1, other), node::SendResult::kAgain);
  stopped_[2] = false;
  run_ms(50);
  ASSERT_EQ(events_[2].size(), 1u);
  EXPECT_EQ(send_for(1'000'000, 0, second), node::SendResult::kSent);
  EXPECT_EQ(send_for(1'000'000, 1, other), node::SendResult::kSent);
  EXPECT_EQ(send_for(1'000'000, 0, first), node::SendResult::kSent);
  run_ms(50);
  expect_all_the_same(3);
}

// The first newcomer's view is over before the rest of the message is sent.
TEST_F(LateMemberTest, it_leaves_again_amid_the_message__expect_it_whole_at_the_others) {
  const auto message = test::counting_bytes(300'000);
  node::Outgoing outgoing(message, 1, Qos::kTotallyOrdered);
  ASSERT_EQ(send_for(1'000, 0, outgoing), node::SendResult::kAgain);
  stopped_[2] = false;
  run_ms(50);
  nodes_[2]->node().view()->leave();
  run_ms(50);
  EXPECT_EQ(send_for(1'000'000, 0, outgoing), node::SendResult::kSent);
  run_ms(50);
  ASSERT_EQ(lines_[0].size(), 1u);
  EXPECT_EQ(lines_[1], lines_[0]);
  EXPECT_EQ(lines_[1][0].message, message);
  EXPECT_TRUE(lines_[2].empty());
  EXPECT_EQ(nodes_[2]->node().filter().held(), 0u);
}

}  // namespace
}  // namespace lambdacast::dpdk
