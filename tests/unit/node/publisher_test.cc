// SPDX-License-Identifier: BSD-3-Clause
#include "node/publisher.h"

#include <gtest/gtest.h>

#include <utility>

#include "test_node.h"

namespace lambdacast::node {
namespace publisher_test {

using wire::Kind;
using wire::Qos;

constexpr auto kQos = Qos::kUnreliable;

// Two nodes with a path MTU of 256 bytes: 208 in a packet, 200 in a fragment.
class PublisherTest : public ::testing::Test {
 protected:
  static NodeConfig config(uint32_t number) {
    NodeConfig config = test_config(number);
    config.publisher.coalesce_ns = 10'000;
    return config;
  }
  std::vector<Bytes> delivered() {
    network_.run_us(100);
    std::vector<Bytes> payloads;
    for (Taken& each : std::exchange(b_.messages, {})) payloads.push_back(std::move(each.bytes));
    return payloads;
  }
  SendResult send(const Bytes& message, Qos qos = kQos, uint64_t now_ns = 0) {
    return publisher_.send(message, 1, qos, now_ns);
  }
  // All of it, with the nodes polled whenever the link is full.
  void send_through(Outgoing& message) {
    while (publisher_.send(message, 0) == SendResult::kAgain) network_.run_us(10);
  }
  RateControlStage<SimEnv>& rate_control() { return a_.node->rate_control(); }

  TestNetwork network_{2, config};
  TestNode& a_ = network_[0];
  TestNode& b_ = network_[1];
  Publisher<SimEnv>& publisher_ = a_.node->publisher();
};

TEST_F(PublisherTest, send_messages_of_all_lengths__expect_them_whole_at_the_other_end) {
  for (const size_t bytes : {0, 1, 206, 207, 208, 209, 400, 401, 5'000, 100'000}) {
    const auto message = counting_bytes(bytes);
    Outgoing outgoing(message, 1, kQos);
    EXPECT_FALSE(outgoing.done());
    send_through(outgoing);
    EXPECT_TRUE(outgoing.done());
    EXPECT_EQ(delivered(), (std::vector<Bytes>{message})) << bytes;
  }
  network_.run_us(1);
  EXPECT_EQ(b_.node->filter().reassembly().free_bytes(), size_t{1} << 18);
}

TEST_F(PublisherTest, send_a_byte_too_many__expect_too_long_and_nothing_sent) {
  const auto message = counting_bytes(100'001);
  Outgoing outgoing(message, 1, kQos);
  EXPECT_EQ(publisher_.send(outgoing, 0), SendResult::kTooLong);
  EXPECT_EQ(publisher_.send(std::span(message).first(209), 1, kQos, 0), SendResult::kTooLong);
  EXPECT_EQ(a_.env.packets.live(), 0u);
}

// A message of 208 bytes fills a packet.
TEST_F(PublisherTest, group_with_a_limit__expect_it_held_back_and_the_others_not) {
  constexpr uint64_t kMs = 1'000'000;
  const auto message = counting_bytes(208);
  ASSERT_TRUE(publisher_.limit_group({7, 1'000'000}, network_.now_ns));
  const auto send_to = [&](uint32_t group) {
    return publisher_.send(message, group, kQos, network_.now_ns);
  };
  EXPECT_EQ(send_to(7), SendResult::kSent);
  EXPECT_EQ(send_to(7), SendResult::kAgain);
  EXPECT_EQ(send_to(1), SendResult::kSent);
  Loan<SimEnv> loans[2];
  ASSERT_EQ(publisher_.loan(loans), 2u);
  ASSERT_TRUE(loans[0].describe(4, 1, kQos) && loans[1].describe(4, 7, kQos));
  EXPECT_EQ(publisher_.publish(loans), 1u);
  publisher_.give_back(std::span(loans).subspan(1));
  // A frame is 346 bytes on the wire: 256 of payload with its header, and 90.
  uint64_t sent = 0;
  for (const uint64_t end_ns = network_.now_ns + 1'000 * kMs; network_.now_ns < end_ns;) {
    network_.run_us(100);
    sent += send_to(7) == SendResult::kSent ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(sent), 1'000'000 / 8.0 / 346, 3);
  ASSERT_TRUE(publisher_.limit_group({7, 0}, network_.now_ns));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(send_to(7), SendResult::kSent);
}

TEST_F(PublisherTest, long_message_to_a_group_with_a_limit__expect_it_whole_and_late) {
  ASSERT_TRUE(publisher_.limit_group({1, 10'000'000}, network_.now_ns));
  const auto message = counting_bytes(100'000);
  Outgoing outgoing(message, 1, kQos);
  const uint64_t begin_ns = network_.now_ns;
  send_through(outgoing);
  EXPECT_EQ(delivered(), (std::vector<Bytes>{message}));
  EXPECT_GE(network_.now_ns - begin_ns, 100'000ull * 8 * 100);
}

TEST_F(PublisherTest, describe_too_much_or_nothing__expect_refused_and_an_empty_message) {
  Loan<SimEnv> loan;
  ASSERT_EQ(publisher_.loan({&loan, 1}), 1u);
  EXPECT_FALSE(loan.describe(publisher_.max_loan_bytes() + 1, 1, kQos));
  EXPECT_EQ(publisher_.publish({&loan, 1}), 1u);
  EXPECT_EQ(delivered(), std::vector<Bytes>{Bytes{}});
}

TEST_F(PublisherTest, send_long_messages_mixed__expect_each_whole) {
  const auto first = counting_bytes(50'000);
  const auto second = Bytes(60'000, 0x5a);
  Outgoing a(first, 1, kQos);
  Outgoing b(second, 1, kQos);
  while (!a.done() || !b.done()) {
    (void)publisher_.send(a, 0);
    network_.run_us(2);
    (void)publisher_.send(b, 0);
    network_.run_us(2);
  }
  EXPECT_EQ(delivered(), (std::vector<Bytes>{first, second}));
}

// --- shared packets ------------------------------------------------------------------------------

TEST_F(PublisherTest, send_short_messages_on_a_busy_link__expect_them_to_share_packets_in_order) {
  std::vector<Bytes> sent;
  for (uint8_t i = 0; i < 100; ++i) {
    sent.emplace_back(10, i);
    EXPECT_EQ(send(sent.back()), SendResult::kSent);
  }
  EXPECT_EQ(delivered(), sent);
  EXPECT_EQ(rate_control().packets(), 6u) << "17 messages of 12 bytes fit 208";
  EXPECT_EQ(rate_control().messages(), 100u);
  EXPECT_EQ(rate_control().application_bytes(), 1'000u);
}

TEST_F(PublisherTest, send_one_on_an_idle_link__expect_no_wait_for_the_deadline) {
  EXPECT_EQ(publisher_.next_deadline_ns(), Stage::kNever);
  EXPECT_EQ(send(counting_bytes(5), kQos, 1'000), SendResult::kSent);
  EXPECT_EQ(publisher_.next_deadline_ns(), 0u);
  EXPECT_EQ(publisher_.poll(1'000), 1u);
  EXPECT_EQ(publisher_.next_deadline_ns(), Stage::kNever);
  EXPECT_STREQ(publisher_.name(), "publisher");
}

TEST_F(PublisherTest, send_one_on_a_busy_link__expect_it_to_wait_for_the_deadline_and_no_longer) {
  ASSERT_TRUE(a_.publish(counting_bytes(5), kQos));  // keeps the link from being idle
  EXPECT_EQ(send(counting_bytes(5), kQos, 1'000), SendResult::kSent);
  EXPECT_EQ(publisher_.next_deadline_ns(), 11'000u);
  EXPECT_EQ(publisher_.poll(10'999), 0u);
  EXPECT_EQ(publisher_.poll(11'000), 1u);
}

TEST_F(PublisherTest, send_shared_then_lent_then_long__expect_the_order_of_the_calls) {
  const auto shared = counting_bytes(5);
  const auto lent = counting_bytes(6);
  const auto fragmented = counting_bytes(300);
  const auto shared_again = counting_bytes(7);
  EXPECT_EQ(send(shared), SendResult::kSent);
  ASSERT_TRUE(a_.publish(lent, kQos));
  EXPECT_EQ(send(shared_again), SendResult::kSent);
  Outgoing outgoing(fragmented, 1, kQos);
  EXPECT_EQ(publisher_.send(outgoing, 0), SendResult::kSent);
  EXPECT_EQ(delivered(), (std::vector<Bytes>{shared, lent, shared_again, fragmented}));
}

TEST_F(PublisherTest, send_requests_among_messages__expect_each_kind_to_share_packets_of_its_own) {
  for (uint8_t i = 0; i < 10; ++i)
    EXPECT_EQ(publisher_.send_request(counting_bytes(i), 1, kQos, 0), SendResult::kSent);
  EXPECT_EQ(send(counting_bytes(5)), SendResult::kSent);
  EXPECT_EQ(publisher_.send_request(counting_bytes(10), 1, kQos, 0), SendResult::kSent);
  EXPECT_EQ(delivered(), std::vector<Bytes>{counting_bytes(5)});
  EXPECT_EQ(rate_control().packets(), 3u);
  ASSERT_EQ(b_.request_messages.size(), 11u);
  for (uint8_t i = 0; i <= 10; ++i) EXPECT_EQ(b_.request_messages[i].bytes, counting_bytes(i));
}

// --- the group layer's ---------------------------------------------------------------------------

TEST_F(PublisherTest, send_of_the_group_layer__expect_a_packet_of_its_own_behind_what_was_sent) {
  const auto shared = counting_bytes(5);
  const auto message = counting_bytes(6);
  EXPECT_EQ(send(shared), SendResult::kSent);
  EXPECT_EQ(publisher_.send_group(message, 1, kQos), SendResult::kSent);
  EXPECT_EQ(send(shared), SendResult::kSent);
  EXPECT_EQ(delivered(), (std::vector<Bytes>{shared, shared}));
  EXPECT_EQ(rate_control().packets(), 3u);
  ASSERT_EQ(b_.group_messages.size(), 1u);
  EXPECT_EQ(b_.group_messages[0].bytes, message);
  EXPECT_EQ(b_.group_messages[0].info.frame_seq, 1u);
}

TEST_F(PublisherTest, send_of_the_group_layer__expect_too_long_not_in_view_and_again) {
  EXPECT_EQ(publisher_.send_group(counting_bytes(209), 1, kQos), SendResult::kTooLong);
  EXPECT_EQ(publisher_.send_group({}, 1, Qos::kTotallyOrdered), SendResult::kNotInView);
  const auto message = counting_bytes(208);
  size_t sent = 0;
  while (publisher_.send_group(message, 1, kQos) == SendResult::kSent) ++sent;
  EXPECT_EQ(sent, 64u) << "the link's slots";
  EXPECT_EQ(publisher_.send_group(message, 1, kQos), SendResult::kAgain);
  EXPECT_TRUE(delivered().empty());
  EXPECT_EQ(b_.group_messages.size(), 64u);
}

// --- back-pressure -------------------------------------------------------------------------------

TEST_F(PublisherTest, fill_the_link__expect_again_and_nothing_lost_when_it_empties) {
  std::vector<Bytes> sent;
  SendResult result = SendResult::kSent;
  for (uint8_t i = 0;; ++i) {
    const Bytes message(100, i);
    result = send(message);
    if (result != SendResult::kSent) break;
    sent.push_back(message);
  }
  EXPECT_EQ(result, SendResult::kAgain);
  EXPECT_EQ(sent.size(), 2 * 65u) << "64 packets in the link, one open";
  EXPECT_EQ(delivered(), sent);
}

TEST_F(PublisherTest, totally_ordered_in_no_view__expect_refused_and_what_is_before_it_taken) {
  EXPECT_EQ(send(counting_bytes(5), Qos::kTotallyOrdered), SendResult::kNotInView);
  const auto message = counting_bytes(1'000);
  Outgoing outgoing(message, 1, Qos::kTotallyResilient);
  EXPECT_EQ(publisher_.send(outgoing, 0), SendResult::kNotInView);
  Loan<SimEnv> loans[3];
  ASSERT_EQ(publisher_.loan(loans), 3u);
  ASSERT_TRUE(loans[1].describe(1, 1, Qos::kTotallyOrdered));
  EXPECT_EQ(publisher_.publish(loans), 1u);
  publisher_.give_back(std::span(loans).subspan(1));
}

TEST_F(PublisherTest, no_packets_left__expect_again_and_no_loan) {
  sim::NodeWild wild;
  wild.pool.packets = 8;
  TestNetwork network(1, config, wild);
  Publisher<SimEnv>& publisher = network.node(0).publisher();
  auto taken = network[0].env.take_all();
  network[0].env.packets.free(taken.back());
  network[0].env.packets.free(taken[taken.size() - 2]);
  taken.resize(taken.size() - 2);
  std::vector<Loan<SimEnv>> loans(3);
  EXPECT_EQ(publisher.loan(loans), 0u) << "all or none";
  const auto message = counting_bytes(500);  // three fragments
  Outgoing outgoing(message, 1, kQos);
  EXPECT_EQ(publisher.send(outgoing, 0), SendResult::kAgain);
  EXPECT_EQ(network[0].on_link(LinkId::kUnreliable), 0u);
  network[0].env.give_back(taken);
  EXPECT_EQ(publisher.send(outgoing, 0), SendResult::kSent);
  EXPECT_EQ(network[0].on_link(LinkId::kUnreliable), 3u);
}

TEST_F(PublisherTest, publish_a_mixture__expect_each_kind_in_its_link_and_in_order) {
  Loan<SimEnv> loans[6];
  ASSERT_EQ(publisher_.loan(loans), 6u);
  for (size_t i = 0; i < 6; ++i) {
    loans[i].payload()[0] = static_cast<uint8_t>(i);
    ASSERT_TRUE(loans[i].describe(1, 1, i % 3 != 0 ? Qos::kSourceOrdered : kQos));
  }
  EXPECT_EQ(publisher_.publish(loans), 6u);
  EXPECT_EQ(a_.on_link(LinkId::kUnreliable), 2u);
  EXPECT_EQ(a_.on_link(LinkId::kRecoverable), 4u);
  EXPECT_EQ(publisher_.published(), 4u);
}

// --- completion ----------------------------------------------------------------------------------

TEST_F(PublisherTest,
       publish_recoverable_ones__expect_packets_counted_and_stable_without_receivers) {
  EXPECT_EQ(send(counting_bytes(5)), SendResult::kSent);
  EXPECT_EQ(publisher_.published(), 0u);
  EXPECT_EQ(send(counting_bytes(5), Qos::kReliable), SendResult::kSent);
  EXPECT_EQ(send(counting_bytes(5), Qos::kReliable), SendResult::kSent);
  EXPECT_EQ(publisher_.published(), 1u) << "they share a packet that is open";
  const auto fragmented = counting_bytes(401);
  Outgoing outgoing(fragmented, 1, Qos::kReliable);
  EXPECT_EQ(publisher_.published_with(outgoing), 4u);
  EXPECT_EQ(publisher_.send(outgoing, 0), SendResult::kSent);
  EXPECT_EQ(publisher_.published(), 4u);
  EXPECT_EQ(publisher_.published_with(outgoing), 4u);
  EXPECT_EQ(publisher_.send_group(counting_bytes(5), 1, Qos::kReliable), SendResult::kSent);
  EXPECT_EQ(publisher_.published(), 5u);
  EXPECT_EQ(publisher_.stable(), 0u);
  a_.poll_stages();
  EXPECT_EQ(publisher_.stable(), 5u);
}

TEST_F(PublisherTest, abandon_a_long_message__expect_the_receiver_to_give_it_up) {
  const auto message = counting_bytes(100'000);
  Outgoing outgoing(message, 1, kQos);
  EXPECT_EQ(publisher_.send(outgoing, 0), SendResult::kAgain);
  network_.run_us(10);
  EXPECT_EQ(b_.node->filter().held(), 8u);
  for (int i = 0; i < 10; ++i) {
    network_.now_ns += 20'000'000;
    network_.run_us(1);
  }
  EXPECT_EQ(b_.node->filter().counters().drops[counters::DropReason::kMessageIncomplete], 8u);
}

// 83,887 fragments of 200 bytes, the last of 16.
TEST(LongestMessage, over_the_shortest_path_mtu__expect_it_whole) {
  TestNetwork network(2, [](uint32_t number) {
    NodeConfig config = test_config(number);
    config.publisher.max_message_bytes = wire::kMaxMessageBytes;
    config.delivery.reassembly.max_message_bytes = wire::kMaxMessageBytes;
    config.delivery.reassembly.memory_bytes = size_t{1} << 25;
    return config;
  });
  const auto message = counting_bytes(wire::kMaxMessageBytes);
  Outgoing outgoing(message, 1, kQos);
  while (network.node(0).publisher().send(outgoing, 0) == SendResult::kAgain) network.run_us(2);
  network.run_us(10);
  ASSERT_EQ(network[1].messages.size(), 1u);
  EXPECT_TRUE(network[1].messages[0].bytes == message);
  EXPECT_EQ(network.node(0).rate_control().packets(), 83'887u);
  EXPECT_EQ(network.node(0).rate_control().messages(), 1u);
}

// ~TestNode looks at the pool.
TEST_F(PublisherTest, destroy_with_an_open_packet__expect_it_back_in_the_pool) {
  EXPECT_EQ(send(counting_bytes(5)), SendResult::kSent);
  EXPECT_EQ(a_.env.packets.live(), 1u);
}

}  // namespace publisher_test
}  // namespace lambdacast::node
