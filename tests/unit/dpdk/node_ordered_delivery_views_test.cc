// SPDX-License-Identifier: BSD-3-Clause
// OrderedDelivery while views begin and end (ordered_delivery_test.cc: while one goes on).
#include "members.h"

namespace lambdacast::dpdk {
namespace {

TEST_F(MembersTest, start__expect_not_in_view_and_then_a_view_of_three) {
  EXPECT_EQ(send(0, 1, Qos::kTotallyOrdered), node::SendResult::kNotInView);
  EXPECT_EQ(send(0, 1, Qos::kSourceOrdered), node::SendResult::kSent);
  run_ms(50);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(nodes_[i]->node().view()->members(), 3u);
    EXPECT_EQ(nodes_[i]->node().view()->epoch(), 1u);
    ASSERT_EQ(events_[i].size(), 1u);
    EXPECT_EQ(events_[i][0].what, ViewEvent::What::kView);
    EXPECT_EQ(events_[i][0].id, events_[0][0].id);
    EXPECT_EQ(events_[i][0].members, nodes_[i]->node().view()->membership().view().members);
    EXPECT_EQ(events_[i][0].stayed, 0u);
  }
}

TEST_F(MembersTest, a_node_is_not_polled__expect_a_view_without_it_and_that_it_is_told) {
  run_ms(50);
  stopped_[2] = true;
  for (uint8_t i = 0; i < 10; ++i) {
    EXPECT_EQ(send(i % 2, i, Qos::kTotallyResilient), node::SendResult::kSent);
  }
  run_ms(20);
  EXPECT_TRUE(lines_[0].empty());  // node 2 has not acknowledged
  run_ms(200);
  ASSERT_EQ(lines_[0].size(), 10u);
  EXPECT_EQ(lines_[1], lines_[0]);
  ASSERT_EQ(events_[0].size(), 2u);
  EXPECT_EQ(lines_before_[0][1], 10u);  // before the new view begins
  EXPECT_EQ(nodes_[0]->node().view()->members(), 2u);
  stopped_[2] = false;
  run_ms(200);
  EXPECT_EQ(events_[2].back().what, ViewEvent::What::kExcluded);
  EXPECT_EQ(nodes_[2]->node().view()->members(), 0u);
  EXPECT_EQ(send(2, 1, Qos::kTotallyOrdered), node::SendResult::kNotInView);
}

// However late the application asks, it hears who was in each view.
TEST_F(MembersTest, an_application_sleeps_while_views_change__expect_each_with_its_members) {
  taking_[0] = false;
  run_ms(50);
  const std::vector<wire::StreamName> all = nodes_[0]->node().view()->membership().view().members;
  ASSERT_EQ(all.size(), 3u);
  stopped_[2] = true;
  run_ms(200);
  ASSERT_EQ(test::report_of(*nodes_[0]).view->size, 2u);
  EXPECT_TRUE(events_[0].empty());
  take(0);
  ASSERT_EQ(events_[0].size(), 2u);
  EXPECT_EQ(events_[0][0].members, all);
  EXPECT_EQ(events_[0][1].members.size(), 2u);
  EXPECT_EQ(events_[0][1].stayed, 2u);
  EXPECT_EQ(events_[0][1].members, events_[1][1].members);
}

// No view may end whose beginning the application has not been told: there was no room for it among
// the deliveries.
TEST_F(MembersTest,
       deliveries_are_full_while_the_view_changes__expect_the_event_when_there_is_room) {
  run_ms(50);
  taking_[1] = false;
  const auto message = test::counting_bytes(200);
  for (uint32_t i = 0; i < 64; ++i)  // the link's slots
    ASSERT_EQ(nodes_[0]->publisher().send(message, 1, Qos::kReliable, now_ns_),
              node::SendResult::kSent);
  run_ms(1);
  stopped_[2] = true;
  run_ms(200);
  EXPECT_TRUE(nodes_[1]->node().view()->holds_back());
  EXPECT_EQ(events_[1].size(), 1u);
  taking_[1] = true;
  run_ms(200);
  EXPECT_FALSE(nodes_[1]->node().view()->holds_back());
  ASSERT_EQ(events_[1].size(), 2u);
  EXPECT_EQ(lines_before_[1][1], 64u);
  EXPECT_EQ(events_[1][1].members.size(), 2u);
  EXPECT_EQ(events_[1][1].id, events_[0][1].id);
  EXPECT_EQ(nodes_[1]->node().view()->members(), 2u);
}

// Who orders group 1, by its index among the nodes.
size_t sequencer_among(std::span<const std::unique_ptr<rack::Endpoint>> nodes) {
  const auto& order = nodes[0]->node().view()->order();
  const size_t rank = order.marker_of(order.domain_of(1));
  return static_cast<size_t>(std::find_if(nodes.begin(), nodes.end(),
                                          [&](const auto& node) {
                                            return node->node().view()->membership().own_rank() ==
                                                   rank;
                                          }) -
                             nodes.begin());
}

// Source ordered messages that wait for an ordered one which never gets its place: the endpoint
// is excluded, and its application has no room for them just then.
TEST_F(MembersTest, out_while_deliveries_are_full__expect_what_waited_when_there_is_room) {
  run_ms(50);
  const size_t sequencer = sequencer_among(nodes_);
  ASSERT_LT(sequencer, 3u);
  const size_t sender = (sequencer + 1) % 3;
  const size_t slow = (sequencer + 2) % 3;
  const auto account = [&]() -> const node::OrderedAccount& {
    return nodes_[slow]->node().view()->account();
  };
  const auto send = [&](size_t from, uint8_t byte, Qos qos) {  // too long to share a packet
    return nodes_[from]->publisher().send(std::vector<uint8_t>(200, byte), 1, qos, now_ns_);
  };

  // With its place it is delivered, and so is what waited for it; the account tells of both.
  stopped_[sequencer] = true;
  ASSERT_EQ(send(sender, 1, Qos::kTotallyOrdered), node::SendResult::kSent);
  ASSERT_EQ(send(sender, 2, Qos::kSourceOrdered), node::SendResult::kSent);
  run_ms(1);
  EXPECT_EQ(account().waiting, 2u);
  stopped_[sequencer] = false;
  run_ms(20);
  EXPECT_EQ(lines_[slow].size(), 2u);
  EXPECT_EQ(nodes_[slow]->node().view()->order().held(), 0u);
  EXPECT_EQ(account().waiting, 0u);
  EXPECT_EQ(account().voided, 0u);

  stopped_[sequencer] = true;
  ASSERT_EQ(send(sender, 3, Qos::kTotallyOrdered), node::SendResult::kSent);
  for (uint8_t byte = 4; byte <= 6; ++byte)
    ASSERT_EQ(send(sender, byte, Qos::kSourceOrdered), node::SendResult::kSent);
  run_ms(1);
  EXPECT_EQ(account().waiting, 4u);
  taking_[slow] = false;
  for (uint32_t i = 0; i < 64; ++i)  // the link's slots
    ASSERT_EQ(send(sender, 100, Qos::kReliable), node::SendResult::kSent);
  run_ms(1);
  stopped_[slow] = true;
  stopped_[sequencer] = false;
  run_ms(200);
  for (uint32_t i = 0; i < 2 * 1024; ++i) {  // twice its ring: the mark is in it no more
    ASSERT_EQ(send(sequencer, 9, Qos::kUnreliable), node::SendResult::kSent);
    run_ms(i % 16 == 0);
  }
  stopped_[slow] = false;
  run_ms(20);
  EXPECT_EQ(lines_[slow].size(), 2u);  // the gap waits behind what the application has not taken
  taking_[slow] = true;
  run_ms(60);
  EXPECT_EQ(nodes_[slow]->node().view()->membership().state(), wire::MemberState::kExcluded);
  EXPECT_FALSE(nodes_[slow]->node().view()->holds_back());
  EXPECT_EQ(events_[slow].back().what, ViewEvent::What::kExcluded);
  std::vector<uint8_t> heard;
  uint64_t reliable = 0;
  for (const Line& line : lines_[slow]) {
    reliable += line.message[0] == 100;
    if (line.message[0] < 9) heard.push_back(line.message[0]);
  }
  EXPECT_EQ(heard, (std::vector<uint8_t>{1, 2, 4, 5, 6}));
  EXPECT_EQ(reliable, 64u);
  EXPECT_EQ(account().waiting, 0u);
  EXPECT_EQ(account().voided, 1u);
}

TEST_F(MembersTest, one_leaves_and_then_another__expect_views_without_them_and_that_they_are_gone) {
  run_ms(50);
  uint8_t byte = 0;
  for (const size_t leaver : {0, 2}) {  // the lowest rank, and one of two
    node::OrderedDelivery<MbufEnv>& view = *nodes_[leaver]->node().view();
    EXPECT_EQ(send(leaver, byte, Qos::kTotallyOrdered), node::SendResult::kSent);
    run_ms(1);
    EXPECT_FALSE(view.gone());
    view.leave();
    run_ms(20);  // less than anybody's patience
    EXPECT_TRUE(view.gone());
    EXPECT_EQ(view.members(), 0u);
    EXPECT_EQ(events_[leaver].back().what, ViewEvent::What::kLeft);
    EXPECT_EQ(send(leaver, byte, Qos::kTotallyOrdered), node::SendResult::kNotInView);
    EXPECT_EQ(nodes_[1]->node().view()->members(), leaver == 0 ? 2u : 1u);
    ++byte;
    ASSERT_EQ(lines_[1].size(), byte);
  }
  nodes_[1]->node().view()->leave();
  run_ms(20);
  EXPECT_TRUE(nodes_[1]->node().view()->gone());
}

}  // namespace
}  // namespace lambdacast::dpdk
