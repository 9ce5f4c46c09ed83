// SPDX-License-Identifier: BSD-3-Clause
// OrderedDelivery while one view goes on (ordered_delivery_views_test.cc: while views begin and
// end).
#include "node/ordered_delivery.h"

#include "members.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;
using wire::Qos;

using OrderedDeliveryTest = MembersTest;

TEST_F(OrderedDeliveryTest, all_publish_at_each_level__expect_one_order_own_messages_included) {
  run_ms(50);
  uint8_t byte = 0;
  for (const Qos qos :
       {Qos::kTotallyOrdered, Qos::kKResilient, Qos::kMajority, Qos::kTotallyResilient}) {
    for (size_t i = 0; i < 30; ++i) {
      EXPECT_EQ(send(i % 3, byte++, qos), SendResult::kSent);
      run_ms(1);
    }
  }
  run_ms(20);
  const auto first = lines(0);
  ASSERT_EQ(first.size(), 120u);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].epoch, 1u);
    EXPECT_EQ(first[i].index, i);
  }
  EXPECT_EQ(lines(1), first);
  EXPECT_EQ(lines(2), first);
  EXPECT_EQ(gaps(), 0u);
  for (size_t node = 0; node < 3; ++node) {
    size_t own = 0;
    for (const Taken& each : network_[node].messages) own += each.info.peer == kNoPeer;
    EXPECT_EQ(own, 40u);
    EXPECT_EQ(view(node).order().held(), 0u) << "what everybody holds nobody keeps";
  }
}

TEST_F(OrderedDeliveryTest, deliver_and_refuse__expect_the_account_to_tell_of_every_packet) {
  run_ms(50);
  for (size_t node = 0; node < 3; ++node) {
    ordering::Subscriptions& groups = network_.node(node).subscriptions();
    EXPECT_TRUE(groups.subscribe(1));
  }
  EXPECT_EQ(send(0, 1, Qos::kTotallyOrdered), SendResult::kSent);
  run_ms(20);
  const auto own = [&](size_t node) {
    return view(node).order().counters().marks_sent +
           network_.node(node).rates().counters().announced;
  };
  for (size_t node = 0; node < 3; ++node) {
    const OrderedAccount& account = view(node).account();
    EXPECT_EQ(account.own, node == 0 ? 1u : 0u);
    EXPECT_EQ(account.marks, own(0) + own(1) + own(2) - own(node));
    EXPECT_EQ(account.waiting, 0u);
    EXPECT_EQ(account.voided, 0u);
    EXPECT_EQ(account.relayed, 0u);
    EXPECT_EQ(network_.node(node).filter().counters().forwarded, 1u);
  }
}

// Nobody subscribes to it: ordered all the same, and dropped by each.
class SubscribersTest : public MembersTest {
 protected:
  SubscribersTest()
      : MembersTest([](uint32_t number) {
          NodeConfig config = member_config(number);
          config.delivery.ordering.subscribe_all = false;
          return config;
        }) {
    for (size_t i = 0; i < 3; ++i) (void)network_.node(i).subscriptions().subscribe(1);
    run_ms(50);
  }
};

TEST_F(SubscribersTest, ordered_messages_of_nobodys_group__expect_them_dropped_in_their_place) {
  ASSERT_TRUE(network_[0].publish({1}, Qos::kTotallyOrdered, 1));
  ASSERT_TRUE(network_[0].publish({2}, Qos::kTotallyOrdered, 99));
  ASSERT_TRUE(network_[0].publish({3}, Qos::kTotallyOrdered, 1));
  run_ms(20);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(network_[i].messages.size(), 2u);
    const StageCounters& counters = network_.node(i).filter().counters();
    EXPECT_EQ(counters.drops[DropReason::kNotSubscribed], 1u);
    EXPECT_EQ(counters.forwarded, 2u);
    EXPECT_EQ(view(i).order().held(), 0u);
  }
}

TEST_F(SubscribersTest, messages_of_the_group_layer__expect_all_at_all_whatever_the_subscription) {
  constexpr uint32_t kNobodys = 99;
  const auto message = counting_bytes(208);
  for (const uint32_t group : {1u, kNobodys}) {
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(network_.node(i).publisher().send_group(message, group, Qos::kTotallyOrdered),
                SendResult::kSent);
      run_ms(1);
    }
  }
  run_ms(20);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(network_[i].messages.empty());
    const auto heard = lines_of(network_[i].group_messages);
    ASSERT_EQ(heard.size(), 6u);
    for (size_t at = 0; at < 6; ++at) EXPECT_EQ(heard[at], (Line{1, at % 3, message}));
    EXPECT_EQ(network_.node(i).subscriptions().total().messages, 6u);
    EXPECT_EQ(network_.node(i).subscriptions().report(1).delivered.messages, 3u);
  }
}

TEST_F(OrderedDeliveryTest,
       publish_at_each_level__expect_it_stable_and_the_excluded_to_wait_for_ever) {
  run_ms(50);
  const Publisher<SimEnv>& publisher = network_.node(0).publisher();
  uint64_t sent = 0;
  EXPECT_EQ(send(0, 1, Qos::kUnreliable), SendResult::kSent);
  for (const Qos qos :
       {Qos::kReliable, Qos::kSourceOrdered, Qos::kTotallyOrdered, Qos::kTotallyResilient}) {
    EXPECT_EQ(send(0, 1, qos), SendResult::kSent);
    EXPECT_EQ(publisher.stable(), sent++);
    EXPECT_EQ(publisher.published(), sent) << "in a packet that is open";
    run_ms(qos < Qos::kTotallyOrdered ? 20 : 1);  // as often as statuses and acknowledgements come
    EXPECT_EQ(publisher.published(), sent);
    EXPECT_EQ(publisher.stable(), sent);
  }
  network_.stopped[2] = true;
  EXPECT_EQ(send(2, 2, Qos::kTotallyOrdered), SendResult::kSent);
  EXPECT_EQ(send(0, 2, Qos::kTotallyOrdered), SendResult::kSent);
  run_ms(20);
  EXPECT_EQ(publisher.published(), sent + 1);
  EXPECT_EQ(publisher.stable(), sent);
  run_ms(200);
  EXPECT_EQ(publisher.stable(), sent + 1);
  network_.stopped[2] = false;
  run_ms(200);
  EXPECT_EQ(last_view(2).what, ViewEvent::What::kExcluded);
  EXPECT_EQ(network_.node(2).publisher().published(), 1u);
  EXPECT_EQ(network_.node(2).publisher().stable(), 0u);
}

TEST_F(OrderedDeliveryTest,
       long_messages_and_shared_packets__expect_them_whole_with_an_index_each) {
  run_ms(50);
  const auto message = counting_bytes(1000);  // five fragments
  Outgoing outgoing(message, 1, Qos::kTotallyOrdered);
  ASSERT_EQ(network_.node(0).publisher().send(outgoing, network_.now_ns), SendResult::kSent);
  for (uint8_t i = 0; i < 3; ++i) EXPECT_EQ(send(0, i, Qos::kTotallyOrdered), SendResult::kSent);
  run_ms(20);
  for (size_t i = 0; i < 3; ++i) {
    const auto got = lines(i);
    ASSERT_EQ(got.size(), 4u) << i;
    EXPECT_EQ(got[0].message, message);
    EXPECT_EQ(got[0].index, 0u);
    EXPECT_EQ(got[3].message, Bytes(20, 2));
  }
}

// The application's link is full. What is ordered goes out when there is room, in its order.
TEST_F(OrderedDeliveryTest, the_application_takes_nothing__expect_all_in_order_when_it_does) {
  run_ms(50);
  network_.taking[1] = false;
  for (uint8_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(network_[0].publish({i}, Qos::kTotallyOrdered));
    run_us(100);
  }
  run_ms(5);
  EXPECT_EQ(network_[1].on_link(LinkId::kDeliveries), 64u);
  EXPECT_NE(network_[1].on_link(LinkId::kAccepted), 0u);
  EXPECT_TRUE(lines(1).empty());
  network_.taking[1] = true;
  run_ms(5);
  EXPECT_EQ(lines(1), lines(0));
  EXPECT_EQ(lines(1).size(), 100u);
}

// Half of it is delivered, and held, for longer than reassembly's timeout; then the view goes on
// without the one that all waited for.
class LongMessagesTest : public MembersTest {
 protected:
  static constexpr size_t kLongest = 2'000'000;
  LongMessagesTest()
      : MembersTest([](uint32_t number) {
          NodeConfig config = member_config(number);
          config.delivery.reassembly.max_message_bytes = kLongest;
          config.delivery.reassembly.memory_bytes = size_t{1} << 23;
          config.publisher.max_message_bytes = kLongest;
          return config;
        }) {
    run_ms(50);
  }
};

TEST_F(LongMessagesTest, a_view_changes_in_the_middle_of_one__expect_it_whole) {
  const auto message = counting_bytes(1'500'000);
  Outgoing outgoing(message, 1, Qos::kTotallyOrdered);
  network_.stopped[2] = true;
  EXPECT_EQ(send_for(5'000, 0, outgoing), SendResult::kAgain)
      << "the window is full: one does not answer";
  EXPECT_GT(network_.node(1).filter().held(), 30u);
  network_.stopped[1] = true;
  run_ms(300);
  network_.stopped[1] = false;
  EXPECT_EQ(send_for(1'000'000, 0, outgoing), SendResult::kSent);
  run_ms(50);
  for (size_t node = 0; node < 2; ++node) {
    EXPECT_EQ(last_view(node).members.size(), 2u);
    ASSERT_EQ(lines(node).size(), 1u) << node;
    EXPECT_EQ(lines(node)[0].message, message);
    EXPECT_EQ(network_.node(node).filter().held(), 0u);
  }
  EXPECT_EQ(gaps(), 0u);
}

// The third member has memory for one long message at a time.
class LittleMemoryTest : public MembersTest {
 protected:
  LittleMemoryTest()
      : MembersTest([](uint32_t number) {
          NodeConfig config = member_config(number);
          if (number != 3) return config;
          config.delivery.reassembly.max_message_bytes = 30'000;
          config.delivery.reassembly.memory_bytes = 65'536;
          return config;
        }) {
    run_ms(50);
  }
  void send_both(const Bytes& message, Qos qos) {
    Outgoing one(message, 1, qos);
    Outgoing other(message, 1, qos);
    bool sent = false;
    for (int i = 0; i < 1'000 && !sent; ++i) {
      sent = network_.node(0).publisher().send(one, network_.now_ns) == SendResult::kSent;
      sent = network_.node(1).publisher().send(other, network_.now_ns) == SendResult::kSent && sent;
      run_us(100);
    }
    EXPECT_TRUE(sent);
    run_ms(50);
  }
  const Bytes message_ = counting_bytes(30'000);
};

TEST_F(LittleMemoryTest, a_member_cannot_keep_an_ordered_message__expect_it_told_and_out) {
  send_both(message_, Qos::kTotallyOrdered);
  run_ms(300);
  for (size_t node = 0; node < 2; ++node) {
    ASSERT_EQ(lines(node).size(), 2u);
    EXPECT_EQ(lines(node)[1].message, message_);
    EXPECT_EQ(last_view(node).members.size(), 2u);
  }
  EXPECT_EQ(lines(0), lines(1));
  EXPECT_GT(gaps(), 0u);
  EXPECT_EQ(last_view(2).what, ViewEvent::What::kExcluded);
}

TEST_F(LittleMemoryTest, a_receiver_cannot_keep_a_source_ordered_message__expect_it_told) {
  send_both(message_, Qos::kSourceOrdered);
  for (size_t node = 0; node < 2; ++node) EXPECT_EQ(lines(node).size(), 1u);
  ASSERT_EQ(lines(2).size(), 1u);
  EXPECT_EQ(lines(2)[0].message, message_);
  EXPECT_EQ(gaps(), network_.node(2).filter().counters().drops.total());
  EXPECT_GT(gaps(), 100u) << "each fragment of the other";
  EXPECT_EQ(last_view(2).what, ViewEvent::What::kView);
}

// As long as the application keeps the one before, and no longer.
TEST_F(LittleMemoryTest, the_application_takes_its_time__expect_every_message_in_the_end) {
  for (const Qos qos : {Qos::kTotallyOrdered, Qos::kSourceOrdered}) {
    network_[2].messages.clear();
    network_.taking[2] = false;
    for (int i = 0; i < 3; ++i) {
      Outgoing outgoing(message_, 1, qos);
      SendResult result = SendResult::kAgain;
      for (int tries = 0; tries < 1'000 && result == SendResult::kAgain; ++tries) {
        network_.taking[2] = tries > 100;  // else its sender would wait for ever
        result = network_.node(0).publisher().send(outgoing, network_.now_ns);
        run_us(100);
      }
      EXPECT_EQ(result, SendResult::kSent);
    }
    network_.taking[2] = true;
    run_ms(50);
    EXPECT_EQ(lines(2).size(), 3u);
  }
  EXPECT_EQ(gaps(), 0u);
  EXPECT_EQ(network_.node(2).filter().counters().drops.total(), 0u);
  EXPECT_EQ(network_[2].views.size(), 1u);
}

}  // namespace
}  // namespace lambdacast::node
