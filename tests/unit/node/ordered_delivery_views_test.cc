// SPDX-License-Identifier: BSD-3-Clause
// OrderedDelivery while views begin and end (ordered_delivery_test.cc: while one goes on).
#include <algorithm>

#include "members.h"

namespace lambdacast::node {
namespace {

using wire::Qos;

using OrderedDeliveryViewsTest = MembersTest;

TEST_F(OrderedDeliveryViewsTest, start__expect_not_in_view_and_then_a_view_of_three) {
  EXPECT_EQ(send(0, 1, Qos::kTotallyOrdered), SendResult::kNotInView);
  EXPECT_EQ(send(0, 1, Qos::kSourceOrdered), SendResult::kSent);
  run_ms(50);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(view(i).members(), 3u);
    EXPECT_EQ(view(i).epoch(), 1u);
    const auto& views = network_[i].views;
    ASSERT_EQ(views.size(), 1u);
    EXPECT_EQ(views[0].what, ViewEvent::What::kView);
    EXPECT_EQ(views[0].id, network_[0].views[0].id);
    EXPECT_EQ(views[0].members, view(i).membership().view().members);
    EXPECT_EQ(views[0].stayed, 0u);
  }
}

TEST_F(OrderedDeliveryViewsTest,
       a_node_is_not_polled__expect_a_view_without_it_and_that_it_is_told) {
  run_ms(50);
  network_.stopped[2] = true;
  for (uint8_t i = 0; i < 10; ++i)
    EXPECT_EQ(send(i % 2, i, Qos::kTotallyResilient), SendResult::kSent);
  run_ms(20);
  EXPECT_TRUE(lines(0).empty()) << "node 2 has not acknowledged";
  run_ms(200);
  ASSERT_EQ(lines(0).size(), 10u);
  EXPECT_EQ(lines(1), lines(0));
  ASSERT_EQ(network_[0].views.size(), 2u);
  EXPECT_EQ(network_[0].messages_before_view[1], 10u) << "before the new view begins";
  EXPECT_EQ(view(0).members(), 2u);
  network_.stopped[2] = false;
  run_ms(200);
  EXPECT_EQ(last_view(2).what, ViewEvent::What::kExcluded);
  EXPECT_EQ(view(2).members(), 0u);
  EXPECT_EQ(send(2, 1, Qos::kTotallyOrdered), SendResult::kNotInView);
  // What others order is not for it any more.
  const size_t before = network_[2].messages.size();
  EXPECT_EQ(send(0, 11, Qos::kTotallyOrdered), SendResult::kSent);
  run_ms(20);
  EXPECT_EQ(lines(0).size(), 11u);
  EXPECT_EQ(network_[2].messages.size(), before);
  EXPECT_GT(network_.node(2).filter().counters().drops[counters::DropReason::kNotInView], 0u);
}

// However late the application asks, it hears who was in each view.
TEST_F(OrderedDeliveryViewsTest, an_application_sleeps_while_views_change__expect_each_view_told) {
  network_.taking[0] = false;
  run_ms(50);
  const std::vector<wire::StreamName> all = view(0).membership().view().members;
  ASSERT_EQ(all.size(), 3u);
  network_.stopped[2] = true;
  run_ms(200);
  ASSERT_EQ(view(0).membership().view().size(), 2u);
  EXPECT_TRUE(network_[0].views.empty());
  (void)network_[0].take();
  ASSERT_EQ(network_[0].views.size(), 2u);
  EXPECT_EQ(network_[0].views[0].members, all);
  EXPECT_EQ(network_[0].views[1].members.size(), 2u);
  EXPECT_EQ(network_[0].views[1].stayed, 2u);
  EXPECT_EQ(network_[0].views[1].members, network_[1].views[1].members);
}

// No view may end whose beginning the application has not been told: there was no room for it among
// the deliveries.
TEST_F(OrderedDeliveryViewsTest,
       deliveries_are_full_while_the_view_changes__expect_the_event_when_there_is_room) {
  run_ms(50);
  network_.taking[1] = false;
  for (uint32_t i = 0; i < 64; ++i)  // the link's slots
    ASSERT_TRUE(network_[0].publish(counting_bytes(200), Qos::kReliable));
  run_ms(1);
  network_.stopped[2] = true;
  run_ms(200);
  EXPECT_TRUE(view(1).holds_back());
  EXPECT_EQ(network_[1].views.size(), 1u);
  network_.taking[1] = true;
  run_ms(200);
  EXPECT_FALSE(view(1).holds_back());
  ASSERT_EQ(network_[1].views.size(), 2u);
  EXPECT_EQ(network_[1].messages_before_view[1], 64u);
  EXPECT_EQ(network_[1].views[1].members.size(), 2u);
  EXPECT_EQ(network_[1].views[1].id, network_[0].views[1].id);
  EXPECT_EQ(view(1).members(), 2u);
}

// A view event needs a packet.
TEST_F(OrderedDeliveryViewsTest, no_packet_for_a_view__expect_it_told_when_there_is_one) {
  sim::NodeWild wild;
  wild.pool.packets = 1'024;
  TestNetwork network(
      3, [](uint32_t number) { return member_config(number); }, wild);
  network.run_ms(50);
  ASSERT_EQ(network[0].views.size(), 1u);
  TestNode& lacking = network[0];
  network.stopped = {true, false, true};
  for (int i = 0; i < 30'000 && lacking.node->view()->members() == 3; ++i) {
    network.run_us(10, 10);
    (void)lacking.node->receive().poll(network.now_ns);
    auto taken = lacking.env.take_all();
    (void)lacking.node->reliability().poll(network.now_ns);
    (void)lacking.node->ordering().poll(network.now_ns);
    lacking.env.give_back(taken);
    (void)lacking.node->rate_control().poll(network.now_ns);
    network.carry();
  }
  ASSERT_EQ(lacking.node->view()->members(), 2u);
  EXPECT_TRUE(lacking.node->view()->holds_back());
  EXPECT_EQ(lacking.node->ordering().next_deadline_ns(), 0u);
  (void)lacking.take();
  EXPECT_EQ(lacking.views.size(), 1u);
  network.stopped[0] = false;
  network.run_ms(1);
  ASSERT_EQ(lacking.views.size(), 2u);
  EXPECT_EQ(lacking.views[1].members.size(), 2u);
}

// Source ordered messages that wait for an ordered one which never gets its place: the node is
// excluded, and its application has no room for them just then.
class OutWhileFullTest : public MembersTest {
 protected:
  OutWhileFullTest() {
    run_ms(50);
    const auto& order = view(0).order();
    const size_t rank = order.marker_of(order.domain_of(1));
    while (view(sequencer_).membership().own_rank() != rank) ++sequencer_;
    sender_ = (sequencer_ + 1) % 3;
    slow_ = (sequencer_ + 2) % 3;
  }
  [[nodiscard]] bool publish(size_t from, uint8_t byte, Qos qos) {
    return network_[from].publish(Bytes(200, byte), qos);
  }
  [[nodiscard]] const OrderedAccount& account() { return view(slow_).account(); }

  size_t sequencer_ = 0;
  size_t sender_ = 0;
  size_t slow_ = 0;
};

TEST_F(OutWhileFullTest, the_one_that_orders_comes_back__expect_all_delivered_and_accounted_for) {
  network_.stopped[sequencer_] = true;
  ASSERT_TRUE(publish(sender_, 1, Qos::kTotallyOrdered));
  ASSERT_TRUE(publish(sender_, 2, Qos::kSourceOrdered));
  run_ms(1);
  EXPECT_EQ(account().waiting, 2u);
  network_.stopped[sequencer_] = false;
  run_ms(20);
  EXPECT_EQ(lines(slow_).size(), 2u);
  EXPECT_EQ(view(slow_).order().held(), 0u);
  EXPECT_EQ(account().waiting, 0u);
  EXPECT_EQ(account().voided, 0u);
}

TEST_F(OutWhileFullTest, out_while_deliveries_are_full__expect_what_waited_when_there_is_room) {
  network_.stopped[sequencer_] = true;
  ASSERT_TRUE(publish(sender_, 3, Qos::kTotallyOrdered));
  for (uint8_t byte = 4; byte <= 6; ++byte)
    ASSERT_TRUE(publish(sender_, byte, Qos::kSourceOrdered));
  run_ms(1);
  EXPECT_EQ(account().waiting, 4u);
  network_.taking[slow_] = false;
  for (uint32_t i = 0; i < 64; ++i)  // the link's slots
    ASSERT_TRUE(publish(sender_, 100, Qos::kReliable));
  run_ms(1);
  network_.stopped[slow_] = true;
  network_.stopped[sequencer_] = false;
  const size_t slow = slow_;
  network_.loses = [slow](size_t, size_t to, const Bytes&) { return to == slow; };
  run_ms(200);
  network_.stopped[slow_] = false;
  network_.loses = {};
  run_ms(60);
  EXPECT_FALSE(view(slow_).in_view());
  EXPECT_TRUE(view(slow_).holds_back());
  EXPECT_TRUE(lines(slow_).empty());
  network_.taking[slow_] = true;
  run_ms(20);
  EXPECT_FALSE(view(slow_).holds_back());
  EXPECT_EQ(last_view(slow_).what, ViewEvent::What::kExcluded);
  Bytes heard;
  uint64_t reliable = 0;
  for (const Line& line : lines(slow_)) {
    reliable += line.message[0] == 100;
    if (line.message[0] < 9) heard.push_back(line.message[0]);
  }
  EXPECT_EQ(heard, (Bytes{4, 5, 6}));
  EXPECT_EQ(reliable, 64u);
  EXPECT_EQ(account().waiting, 0u);
  EXPECT_EQ(account().voided, 1u);
}

// A member that was cut off before the view began misses what only the others were sent by then.
TEST_F(OrderedDeliveryViewsTest,
       gaps_before_and_in_a_view__expect_a_member_out_for_the_latter_alone) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(network_[1].publish({1}, Qos::kSourceOrdered));
  run_ms(50);
  const uint64_t in_view =
      view(1).order().counters().marks_sent + network_.node(1).rates().counters().announced;
  const uint64_t cut = network_.node(1).sender().window().last() - in_view;
  ASSERT_GE(cut, 3u);
  const EndpointIdentity& sender = network_.node(1).identity();
  PacketInfo gap{};
  gap.peer = network_.node(0).peers().find(sender.gid, sender.data_qpn);
  ASSERT_NE(gap.peer, kNoPeer);
  gap.rel_seq = cut - 1;
  become_gap(gap, 2, reliability::LossReason::kOutsideRetention);
  view(0).take_gap(gap);
  run_ms(1);
  EXPECT_TRUE(view(0).in_view());
  gap.gap.positions = 3;
  gap.gap.reason = reliability::LossReason::kSenderGone;
  view(0).take_gap(gap);
  run_ms(1);
  EXPECT_TRUE(view(0).in_view()) << "the view without the sender decides";
  gap.gap.reason = reliability::LossReason::kOutsideRetention;
  view(0).take_gap(gap);
  run_ms(1);
  EXPECT_FALSE(view(0).in_view());
  EXPECT_EQ(last_view(0).what, ViewEvent::What::kExcluded);
}

// A joiner cannot tell whether the view that it may be in has what it missed, until it knows that
// view: others may have begun it, and cut the joiner off, long before it hears so.
TEST_F(OrderedDeliveryViewsTest,
       gap_before_the_view_is_known__expect_the_member_out_if_the_view_has_a_part_of_it) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(network_[1].publish({1}, Qos::kSourceOrdered));
  const EndpointIdentity& sender = network_.node(1).identity();
  const auto missing = [&](size_t member, uint64_t through) {
    PacketInfo gap{};
    gap.peer = network_.node(member).peers().find(sender.gid, sender.data_qpn);
    ASSERT_NE(gap.peer, kNoPeer);
    gap.incarnation = sender.incarnation;
    gap.rel_seq = 1;
    become_gap(gap, through, reliability::LossReason::kEvicted);
    view(member).take_gap(gap);
  };
  run_ms(1);
  ASSERT_EQ(view(0).members(), 0u);
  missing(0, 1'000);
  missing(2, 3);
  run_ms(50);
  EXPECT_FALSE(view(0).in_view());
  EXPECT_EQ(last_view(0).what, ViewEvent::What::kExcluded);
  EXPECT_TRUE(view(2).in_view());
  EXPECT_EQ(view(1).members(), 2u);
}

TEST_F(OrderedDeliveryViewsTest,
       one_leaves_and_then_another__expect_views_without_them_and_that_they_are_gone) {
  run_ms(50);
  uint8_t byte = 0;
  for (const size_t leaver : {0, 2}) {  // the lowest rank, and one of two
    EXPECT_EQ(send(leaver, byte, Qos::kTotallyOrdered), SendResult::kSent);
    run_ms(1);
    EXPECT_FALSE(view(leaver).gone());
    view(leaver).leave();
    run_ms(20);  // less than anybody's patience
    EXPECT_TRUE(view(leaver).gone());
    EXPECT_EQ(view(leaver).members(), 0u);
    EXPECT_EQ(last_view(leaver).what, ViewEvent::What::kLeft);
    ReliabilityReport report;  // the others have cut it off, and it is owed nothing
    network_.node(leaver).reliability().report(3, report);
    EXPECT_EQ(report.receiver.evictions, 0u);
    EXPECT_EQ(send(leaver, byte, Qos::kTotallyOrdered), SendResult::kNotInView);
    EXPECT_EQ(view(1).members(), leaver == 0 ? 2u : 1u);
    ++byte;
    ASSERT_EQ(lines(1).size(), byte);
  }
  view(1).leave();
  run_ms(20);
  EXPECT_TRUE(view(1).gone());
}

// --- a member that joins while others are in the middle of long messages -------------------------

// The third one is not there when the first view begins.
class LateMemberTest : public MembersTest {
 protected:
  LateMemberTest()
      : MembersTest([](uint32_t number) {
          NodeConfig config = member_config(number, 2);
          config.delivery.reassembly.max_message_bytes = 300'000;
          config.delivery.reassembly.memory_bytes = size_t{1} << 20;
          config.publisher.max_message_bytes = 300'000;
          return config;
        }) {
    network_.stopped[2] = true;
    run_ms(50);
  }
  void expect_all_the_same(size_t messages) {
    for (size_t node = 0; node < 3; ++node) {
      EXPECT_EQ(last_view(node).members.size(), 3u);
      EXPECT_EQ(lines(node).size(), messages) << node;
      EXPECT_EQ(lines(node), lines(0)) << node;
      EXPECT_EQ(network_.node(node).filter().held(), 0u);
    }
    EXPECT_EQ(gaps(), 0u);
  }
};

TEST_F(LateMemberTest, amid_a_long_message__expect_it_whole_at_all) {
  ASSERT_EQ(network_[0].views.size(), 1u);
  const auto message = counting_bytes(300'000);
  Outgoing outgoing(message, 1, Qos::kTotallyResilient);
  ASSERT_EQ(send_for(1'000, 0, outgoing), SendResult::kAgain);
  network_.stopped[2] = false;
  run_ms(50);
  ASSERT_EQ(network_[2].views.size(), 1u);
  EXPECT_TRUE(lines(1).empty());
  EXPECT_EQ(send_for(1'000'000, 0, outgoing), SendResult::kSent);
  EXPECT_EQ(send(0, 7, Qos::kTotallyOrdered), SendResult::kSent);
  run_ms(50);
  expect_all_the_same(2);
  EXPECT_EQ(lines(2)[0].message, message);
  EXPECT_EQ(lines(2)[0].epoch, 2u);
  EXPECT_EQ(lines(2)[0].index, 0u);
  EXPECT_GT(view(0).fragments_resumed(), 0u);
  EXPECT_EQ(network_.node(0).publisher().stable(), network_.node(0).publisher().published());
}

TEST_F(LateMemberTest, amid_long_messages_of_two__expect_them_whole_at_all) {
  const auto message = counting_bytes(200'000);
  Outgoing first(message, 1, Qos::kTotallyOrdered);
  Outgoing second(message, 1, Qos::kTotallyOrdered);
  Outgoing other(message, 1, Qos::kMajority);
  ASSERT_EQ(send_for(1'000, 0, first), SendResult::kAgain);
  ASSERT_EQ(send_for(1'000, 0, second), SendResult::kAgain) << "two of one sender, in turn";
  ASSERT_EQ(send_for(1'000, 1, other), SendResult::kAgain);
  network_.stopped[2] = false;
  run_ms(50);
  ASSERT_EQ(network_[2].views.size(), 1u);
  EXPECT_EQ(send_for(1'000'000, 0, second), SendResult::kSent);
  EXPECT_EQ(send_for(1'000'000, 1, other), SendResult::kSent);
  EXPECT_EQ(send_for(1'000'000, 0, first), SendResult::kSent);
  run_ms(50);
  expect_all_the_same(3);
}

// The newcomer's view is over before the rest of the message is sent.
TEST_F(LateMemberTest, it_leaves_again_amid_the_message__expect_it_whole_at_the_others) {
  const auto message = counting_bytes(300'000);
  Outgoing outgoing(message, 1, Qos::kTotallyOrdered);
  ASSERT_EQ(send_for(1'000, 0, outgoing), SendResult::kAgain);
  network_.stopped[2] = false;
  run_ms(50);
  view(2).leave();
  run_ms(50);
  EXPECT_EQ(send_for(1'000'000, 0, outgoing), SendResult::kSent);
  run_ms(50);
  ASSERT_EQ(lines(0).size(), 1u);
  EXPECT_EQ(lines(1), lines(0));
  EXPECT_EQ(lines(1)[0].message, message);
  EXPECT_TRUE(lines(2).empty());
  EXPECT_EQ(network_.node(2).filter().held(), 0u);
}

}  // namespace
}  // namespace lambdacast::node
