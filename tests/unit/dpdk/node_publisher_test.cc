// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>

#include "node/outlet.h"
#include "node/publisher.h"
#include "support.h"

namespace lambdacast::dpdk {
namespace {

using rack::Endpoint;

constexpr auto kQos = wire::Qos::kUnreliable;

// Two endpoints with a path MTU of 256 bytes: 208 in a packet, 200 in a fragment.
class PublisherTest : public ::testing::Test {
 protected:
  static test::RackSpec spec() {
    test::RackSpec spec;
    spec.slots = 1024;
    spec.defaults = "max_message_bytes = 100000\nreassembly_bytes = 262144";
    return spec;
  }
  // The link of deliveries may hold fewer than there are: take, and let more come.
  std::vector<std::vector<uint8_t>> delivered() {
    std::vector<std::vector<uint8_t>> payloads;
    for (size_t before = ~size_t{0}; payloads.size() != before;) {
      before = payloads.size();
      for (const auto& delivery : test::deliveries_of(*b_)) payloads.push_back(delivery.payload);
      test::run_dry(*b_);
    }
    return payloads;
  }
  // Sends all of it, with the data path running whenever the link is full.
  void send_through(node::Outgoing& message) {
    while (publisher_.send(message, 0) == node::SendResult::kAgain) {
      test::run_dry(*a_);
      test::run_dry(*b_);
    }
    test::run_dry(*a_);
    test::run_dry(*b_);
  }
  [[nodiscard]] uint32_t mbufs_away(const Endpoint& endpoint) const {
    return rte_mempool_in_use_count(endpoint.pool());
  }

  config::Config config_ = test::rack_config(spec());
  std::unique_ptr<Endpoint> a_ = test::started(config_, 0);
  std::unique_ptr<Endpoint> b_ = test::started(config_, 1);
  Publisher& publisher_ = a_->publisher();
};

TEST_F(PublisherTest, send_messages_of_all_lengths__expect_them_whole_at_the_other_end) {
  for (const size_t bytes : {0, 1, 206, 207, 208, 209, 400, 401, 5000, 100'000}) {
    const auto message = test::counting_bytes(bytes);
    node::Outgoing outgoing(message, 1, kQos);
    EXPECT_FALSE(outgoing.done());
    send_through(outgoing);
    EXPECT_TRUE(outgoing.done());
    EXPECT_EQ(delivered(), (std::vector<std::vector<uint8_t>>{message})) << bytes;
  }
  test::run_dry(*b_);  // takes back what the application has released
  EXPECT_EQ(test::report_of(*b_).ordering.reassembly_free_bytes, 262144u);
  a_->port().stop();  // gives back what it has ready for frames to come
  EXPECT_EQ(mbufs_away(*a_), 0u);
}

TEST_F(PublisherTest, send_a_message_in_two_parts__expect_one_message) {
  for (const size_t head : {1, 199, 200, 201, 450}) {
    const auto message = test::counting_bytes(head + 1000);
    const auto bytes = std::span<const uint8_t>(message);
    node::Outgoing outgoing(bytes.first(head), bytes.subspan(head), 1, kQos, wire::Kind::kData);
    send_through(outgoing);
    EXPECT_EQ(delivered(), (std::vector<std::vector<uint8_t>>{message})) << head;
  }
}

TEST_F(PublisherTest, send_a_long_message__expect_no_more_than_a_few_in_front_of_the_next_one) {
  const auto message = test::counting_bytes(100'000);
  node::Outgoing outgoing(message, 1, kQos);
  for (int poll = 0; poll < 3; ++poll) {
    EXPECT_EQ(publisher_.send(outgoing, 0), node::SendResult::kAgain);
    EXPECT_EQ(a_->node().link(node::LinkId::kUnreliable).size(), 8u);
  }
}

TEST_F(PublisherTest, an_answer_with_an_owner__expect_it_kept_until_it_has_gone) {
  node::Outlet<MbufEnv> outlet(publisher_);
  auto bytes = std::make_shared<const std::vector<uint8_t>>(test::counting_bytes(50'000));
  const std::weak_ptr<const std::vector<uint8_t>> alive = bytes;
  const std::vector<uint8_t> envelope(wire::kEnvelopeBytes);
  ASSERT_EQ(outlet.request(envelope, group::Content(*bytes, bytes), 1, kQos, true, 0),
            group::Result::kOk);
  bytes.reset();
  EXPECT_FALSE(outlet.done());
  EXPECT_FALSE(alive.expired());
  for (; !outlet.done(); outlet.poll(0)) test::run_dry(*a_);
  EXPECT_TRUE(alive.expired());
}

TEST_F(PublisherTest, send_a_byte_too_many__expect_too_long_and_nothing_sent) {
  const auto message = test::counting_bytes(100'001);
  node::Outgoing outgoing(message, 1, kQos);
  EXPECT_EQ(publisher_.send(outgoing, 0), node::SendResult::kTooLong);
  EXPECT_EQ(publisher_.send(std::span(message).first(209), 1, kQos, 0), node::SendResult::kTooLong);
  test::run_dry(*a_);
  EXPECT_EQ(a_->node().rate_control().packets(), 0u);
}

TEST_F(PublisherTest, send_long_messages_mixed__expect_each_whole) {
  const auto first = test::counting_bytes(50'000);
  const auto second = std::vector<uint8_t>(60'000, 0x5a);
  node::Outgoing a(first, 1, kQos);
  node::Outgoing b(second, 1, kQos);
  while (!a.done() || !b.done()) {
    (void)publisher_.send(a, 0);
    test::run_dry(*a_);
    (void)publisher_.send(b, 0);
    test::run_dry(*a_);
    test::run_dry(*b_);
  }
  EXPECT_EQ(delivered(), (std::vector<std::vector<uint8_t>>{first, second}));
}

TEST_F(PublisherTest, send_short_messages_on_a_busy_link__expect_them_to_share_packets_in_order) {
  std::vector<std::vector<uint8_t>> sent;
  for (uint8_t i = 0; i < 100; ++i) {
    sent.emplace_back(10, i);
    EXPECT_EQ(publisher_.send(sent.back(), 1, kQos, 0), node::SendResult::kSent);
  }
  test::run_dry(*a_);
  test::run_dry(*b_);
  EXPECT_EQ(delivered(), sent);
  EXPECT_EQ(a_->node().rate_control().packets(), 6u);  // 17 messages of 12 bytes fit 208
  EXPECT_EQ(a_->node().rate_control().messages(), 100u);
  EXPECT_EQ(a_->node().rate_control().application_bytes(), 1000u);
}

TEST_F(PublisherTest, send_one_on_an_idle_link__expect_no_wait_for_the_deadline) {
  EXPECT_EQ(publisher_.send(test::counting_bytes(5), 1, kQos, 1000), node::SendResult::kSent);
  EXPECT_EQ(publisher_.poll(1000), 1u);
}

TEST_F(PublisherTest, send_one_on_a_busy_link__expect_it_to_wait_for_the_deadline_and_no_longer) {
  ASSERT_TRUE(test::publish(*a_, test::counting_bytes(5)));  // keeps the link from being idle
  EXPECT_EQ(publisher_.send(test::counting_bytes(5), 1, kQos, 1000), node::SendResult::kSent);
  EXPECT_EQ(publisher_.poll(10'999), 0u);
  EXPECT_EQ(publisher_.poll(11'000), 1u);
}

TEST_F(PublisherTest, send_shared_then_lent_then_long__expect_the_order_of_the_calls) {
  const auto shared = test::counting_bytes(5);
  const auto lent = test::counting_bytes(6);
  const auto fragmented = test::counting_bytes(300);
  const auto shared_again = test::counting_bytes(7);
  EXPECT_EQ(publisher_.send(shared, 1, kQos, 0), node::SendResult::kSent);
  ASSERT_TRUE(test::publish(*a_, lent));
  EXPECT_EQ(publisher_.send(shared_again, 1, kQos, 0), node::SendResult::kSent);
  node::Outgoing outgoing(fragmented, 1, kQos);
  EXPECT_EQ(publisher_.send(outgoing, 0), node::SendResult::kSent);
  test::run_dry(*a_);
  test::run_dry(*b_);
  EXPECT_EQ(delivered(),
            (std::vector<std::vector<uint8_t>>{shared, lent, shared_again, fragmented}));
}

TEST_F(PublisherTest, send_of_the_group_layer__expect_a_packet_of_its_own_behind_what_was_sent) {
  const auto shared = test::counting_bytes(5);
  const auto message = test::counting_bytes(6);
  EXPECT_EQ(publisher_.send(shared, 1, kQos, 0), node::SendResult::kSent);
  EXPECT_EQ(publisher_.send_group(message, 1, kQos), node::SendResult::kSent);
  EXPECT_EQ(publisher_.send(shared, 1, kQos, 0), node::SendResult::kSent);
  test::run_dry(*a_);
  EXPECT_EQ(a_->node().rate_control().packets(), 3u);
  test::run_dry(*b_);
  struct Sink : node::DeliverySink {
    void message(const node::PacketInfo& info, std::span<const uint8_t> bytes) {
      taken.push_back({info.kind, {bytes.begin(), bytes.end()}});
    }
    void group_message(const node::PacketInfo& info, std::span<const uint8_t> bytes) {
      message(info, bytes);
    }
    std::vector<std::pair<wire::Kind, std::vector<uint8_t>>> taken;
  } sink;
  (void)b_->take_deliveries(node::kMaxBurst, sink);
  using wire::Kind;
  EXPECT_EQ(sink.taken,
            (decltype(sink.taken){
                {Kind::kMessages, shared}, {Kind::kGroup, message}, {Kind::kMessages, shared}}));
}

TEST_F(PublisherTest, send_of_the_group_layer__expect_too_long_not_in_view_and_again) {
  EXPECT_EQ(publisher_.send_group(test::counting_bytes(209), 1, kQos), node::SendResult::kTooLong);
  EXPECT_EQ(publisher_.send_group({}, 1, wire::Qos::kTotallyOrdered), node::SendResult::kNotInView);
  const auto message = test::counting_bytes(208);
  size_t sent = 0;
  while (publisher_.send_group(message, 1, kQos) == node::SendResult::kSent) ++sent;
  EXPECT_EQ(sent, 64u);  // the link's slots
  EXPECT_EQ(publisher_.send_group(message, 1, kQos), node::SendResult::kAgain);
  test::run_dry(*a_);
  test::run_dry(*b_);
  EXPECT_TRUE(delivered().empty());  // nobody asked for them
  EXPECT_EQ(b_->node().ordering().counters().forwarded, 64u);
}

TEST_F(PublisherTest, fill_the_link__expect_again_and_nothing_lost_when_it_empties) {
  std::vector<std::vector<uint8_t>> sent;
  node::SendResult result = node::SendResult::kSent;
  for (uint8_t i = 0;; ++i) {
    const std::vector<uint8_t> message(100, i);
    result = publisher_.send(message, 1, kQos, 0);
    if (result != node::SendResult::kSent) break;
    sent.push_back(message);
  }
  EXPECT_EQ(result, node::SendResult::kAgain);
  EXPECT_EQ(sent.size(), 2 * 65u);  // 64 packets in the link, one open
  test::run_dry(*a_);
  test::run_dry(*b_);
  EXPECT_TRUE(delivered() == sent);
}

TEST_F(PublisherTest,
       publish_recoverable_ones__expect_packets_counted_and_stable_without_receivers) {
  constexpr auto kReliable = wire::Qos::kReliable;
  EXPECT_EQ(publisher_.send(test::counting_bytes(5), 1, kQos, 0), node::SendResult::kSent);
  EXPECT_EQ(publisher_.published(), 0u);
  EXPECT_EQ(publisher_.send(test::counting_bytes(5), 1, kReliable, 0), node::SendResult::kSent);
  EXPECT_EQ(publisher_.send(test::counting_bytes(5), 1, kReliable, 0), node::SendResult::kSent);
  EXPECT_EQ(publisher_.published(), 1u);  // they share a packet that is open
  const auto fragmented = test::counting_bytes(401);
  node::Outgoing outgoing(fragmented, 1, kReliable);
  EXPECT_EQ(publisher_.send(outgoing, 0), node::SendResult::kSent);
  EXPECT_EQ(publisher_.published(), 4u);
  EXPECT_EQ(publisher_.send_group(test::counting_bytes(5), 1, kReliable), node::SendResult::kSent);
  EXPECT_EQ(publisher_.published(), 5u);
  EXPECT_EQ(publisher_.stable(), 0u);
  test::run_dry(*a_);
  EXPECT_EQ(publisher_.stable(), 5u);
}

TEST_F(PublisherTest, abandon_a_long_message__expect_the_receiver_to_give_it_up) {
  const auto message = test::counting_bytes(100'000);
  node::Outgoing outgoing(message, 1, kQos);
  EXPECT_EQ(publisher_.send(outgoing, 0), node::SendResult::kAgain);
  test::run_dry(*a_);
  test::run_dry(*b_);
  EXPECT_EQ(b_->node().filter().held(), 8u);
  for (uint64_t now_ns = 20'000'000; now_ns <= 200'000'000; now_ns += 20'000'000)
    test::run_dry(*b_, now_ns);
  EXPECT_EQ(b_->node().ordering().counters().drops[counters::DropReason::kMessageIncomplete], 8u);
}

// 83,887 fragments of 200 bytes, the last of 16.
TEST(PublisherOfTheLongestTest,
     send_the_longest_message_over_the_shortest_path_mtu__expect_it_whole) {
  test::RackSpec spec;
  spec.slots = 1024;
  const config::Config config = test::rack_config(spec);
  const auto a = test::started(config, 0);
  const auto b = test::started(config, 1);
  const auto message = test::counting_bytes(wire::kMaxMessageBytes);
  node::Outgoing outgoing(message, 1, kQos);
  while (a->publisher().send(outgoing, 0) == node::SendResult::kAgain) {
    test::run_dry(*a);
    test::run_dry(*b);
  }
  test::run_dry(*a);
  test::run_dry(*b);
  const auto deliveries = test::deliveries_of(*b);
  ASSERT_EQ(deliveries.size(), 1u);
  EXPECT_TRUE(deliveries[0].payload == message);
  EXPECT_EQ(a->node().rate_control().packets(), 83'887u);
  EXPECT_EQ(a->node().rate_control().messages(), 1u);
}

TEST_F(PublisherTest, publish_a_mixture__expect_each_kind_in_its_link_and_in_order) {
  test::StageEnv env;
  Link unreliable = std::move(*Link::create("publisher_test_link3", 64));
  Link recoverable = std::move(*Link::create("publisher_test_link4", 64));
  const std::atomic<uint64_t> stable{0};
  Publisher publisher({1000, {}}, {a_->node().builder(), nullptr, stable}, env.env,
                      {unreliable, recoverable});
  Loan loans[6];
  ASSERT_EQ(publisher.loan(loans), 6u);
  for (size_t i = 0; i < 6; ++i) {
    loans[i].payload()[0] = static_cast<uint8_t>(i);
    const bool odd = i % 3 != 0;
    ASSERT_TRUE(loans[i].describe(1, 1, odd ? wire::Qos::kSourceOrdered : wire::Qos::kUnreliable));
  }
  EXPECT_EQ(publisher.publish(loans), 6u);
  const auto numbers = [&](Link& link) {
    std::vector<int> out;
    rte_mbuf* m = nullptr;
    while (link.pull(&m, 1) == 1) {
      out.push_back(frame_of(m)[a_->node().builder().payload_offset()]);
      rte_pktmbuf_free(m);
    }
    return out;
  };
  EXPECT_EQ(numbers(unreliable), (std::vector<int>{0, 3}));
  EXPECT_EQ(numbers(recoverable), (std::vector<int>{1, 2, 4, 5}));
}

TEST_F(PublisherTest, destroy_with_an_open_packet__expect_it_back_in_the_pool) {
  test::StageEnv env;
  auto link = Link::create("publisher_test_link", 64);
  auto recoverable = Link::create("publisher_test_link2", 64);
  ASSERT_TRUE(link && recoverable);
  {
    const std::atomic<uint64_t> stable{0};
    Publisher publisher({1000, 10}, {a_->node().builder(), nullptr, stable}, env.env,
                        {*link, *recoverable});
    EXPECT_EQ(publisher.send(test::counting_bytes(5), 1, kQos, 0), node::SendResult::kSent);
    EXPECT_EQ(env.pool.away(), 1u);
  }
  EXPECT_EQ(env.pool.away(), 0u);
}

}  // namespace
}  // namespace lambdacast::dpdk
