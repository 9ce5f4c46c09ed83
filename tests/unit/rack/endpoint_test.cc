// SPDX-License-Identifier: BSD-3-Clause
#include "rack/endpoint.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "support.h"

namespace lambdacast::rack {
namespace {

size_t allocated_bytes() {
  size_t bytes = 0;
  for (int socket = 0; socket < RTE_MAX_NUMA_NODES; ++socket) {
    rte_malloc_socket_stats stats{};
    if (rte_malloc_get_socket_stats(socket, &stats) == 0) bytes += stats.heap_allocsz_bytes;
  }
  return bytes;
}

struct Addressing {
  const char* name;
  bool ipv6;
  const char* keys;
  uint8_t payload_offset;
};

class EndpointPathTest : public ::testing::TestWithParam<Addressing> {};

TEST_P(EndpointPathTest, publish_at_a__expect_content_number_group_and_times_at_b) {
  const test::RackSpec spec{.defaults = GetParam().keys, .ipv6 = GetParam().ipv6};
  const config::Config config = test::rack_config(spec);
  const auto a = test::started(config, 0, {77, 0xabcdef0});
  const auto b = test::started(config, 1);
  const auto message = test::counting_bytes(33);
  ASSERT_TRUE(test::publish(*a, message));
  ASSERT_TRUE(test::publish(*a, {}));
  test::run_dry(*a, 4000);
  test::run_dry(*b, 9000);

  const auto deliveries = test::deliveries_of(*b);
  ASSERT_EQ(deliveries.size(), 2u);
  const node::PacketInfo& info = deliveries[0].info;
  EXPECT_EQ(deliveries[0].payload, message);
  EXPECT_EQ(info.group, 1u);
  EXPECT_EQ(info.frame_seq, 0xabcdef0u);
  EXPECT_EQ(info.psn, 0xbcdef0u);
  EXPECT_EQ(info.incarnation, 77u);
  EXPECT_EQ(info.timestamp_ns, 4000u);
  EXPECT_EQ(info.received_ns, 9000u);
  EXPECT_EQ(info.payload_offset, GetParam().payload_offset);
  EXPECT_EQ(b->peers().at(info.peer).gid, a->identity().gid);
  EXPECT_EQ(deliveries[1].payload.size(), 0u);
  EXPECT_EQ(deliveries[1].info.frame_seq, 0xabcdef1u);
  EXPECT_TRUE(test::deliveries_of(*a).empty());  // nobody hears himself
}

TEST(EndpointIcrc, off_at_a__expect_delivery_where_nobody_verifies_and_bad_icrc_elsewhere) {
  const test::RackSpec spec{
      .nodes = 4,
      .extra = {"icrc = \"off\"", "icrc = \"off\"", "icrc = \"generate\"", "icrc = \"full\""}};
  const config::Config config = test::rack_config(spec);
  const auto a = test::started(config, 0);
  std::vector<std::unique_ptr<Endpoint>> others;
  for (size_t node = 1; node < 4; ++node) others.push_back(test::started(config, node));
  ASSERT_TRUE(test::publish(*a, test::counting_bytes(33)));
  test::run_dry(*a);
  for (const auto& other : others) test::run_dry(*other);
  EXPECT_EQ(test::deliveries_of(*others[0]).size(), 1u);
  EXPECT_EQ(test::deliveries_of(*others[1]).size(), 1u);
  EXPECT_EQ(test::deliveries_of(*others[2]).size(), 0u);
  // The message, and a heartbeat of each of the two that make no ICRC.
  EXPECT_EQ(others[2]->node().receive().counters().drops[counters::DropReason::kBadIcrc], 3u);
}

// Ethernet 14, VLAN 4, IPv4 20 or IPv6 40, UDP 8, BTH 12, DETH 8, transport header 48.
INSTANTIATE_TEST_SUITE_P(Families, EndpointPathTest,
                         ::testing::Values(Addressing{"ipv4", false, "", 110},
                                           Addressing{"ipv6", true, "", 130},
                                           Addressing{"ipv4_vlan", false, "vlan = 77", 114},
                                           Addressing{"ipv6_vlan", true, "vlan = 77", 134}),
                         [](const auto& instance) { return instance.param.name; });

class EndpointTest : public ::testing::Test {
 protected:
  test::RackSpec spec_;
  config::Config config_ = test::rack_config(spec_);
  std::unique_ptr<Endpoint> a_ = test::started(config_, 0);
  std::unique_ptr<Endpoint> b_ = test::started(config_, 1);
};

TEST_F(EndpointTest, publish_the_longest_message__expect_it_whole_and_one_byte_more_refused) {
  ASSERT_EQ(a_->max_loan_bytes(), 256u - 48);
  dpdk::Loan loan;
  ASSERT_EQ(a_->loan({&loan, 1}), 1u);
  const auto message = test::counting_bytes(256 - 48);
  std::copy(message.begin(), message.end(), loan.payload());
  ASSERT_TRUE(loan.describe(message.size(), 1, wire::Qos::kUnreliable));
  EXPECT_FALSE(loan.describe(message.size() + 1, 2, wire::Qos::kUnreliable));  // changes nothing
  ASSERT_EQ(a_->publish({&loan, 1}), 1u);
  test::run_dry(*a_);
  test::run_dry(*b_);
  const auto deliveries = test::deliveries_of(*b_);
  ASSERT_EQ(deliveries.size(), 1u);
  EXPECT_EQ(deliveries[0].payload, message);
  EXPECT_EQ(deliveries[0].info.group, 1u);
}

TEST_F(EndpointTest, publish_into_a_full_link__expect_fewer_taken_and_the_rest_usable) {
  std::vector<dpdk::Loan> loans(100);
  ASSERT_EQ(a_->loan(loans), 100u);
  for (size_t i = 0; i < loans.size(); ++i) {
    loans[i].payload()[0] = static_cast<uint8_t>(i);
    ASSERT_TRUE(loans[i].describe(1, 1, wire::Qos::kUnreliable));
  }
  std::span<const dpdk::Loan> rest = loans;
  ASSERT_EQ(a_->publish(rest), 64u);  // two bursts
  rest = rest.subspan(64);
  EXPECT_EQ(a_->publish(rest), 0u);
  test::run_dry(*a_);
  EXPECT_EQ(a_->publish(rest.first(30)), 30u);
  rest = rest.subspan(30);
  a_->give_back(rest);
  test::run_dry(*a_);
  test::run_dry(*b_);
  auto deliveries = test::deliveries_of(*b_);
  test::run_dry(*b_);
  for (auto& more : test::deliveries_of(*b_)) deliveries.push_back(std::move(more));
  ASSERT_EQ(deliveries.size(), 94u);
  for (size_t i = 0; i < deliveries.size(); ++i) EXPECT_EQ(deliveries[i].payload[0], i);
  a_->port().stop();
  EXPECT_EQ(rte_mempool_avail_count(a_->pool()), config_.endpoints[0].mbufs);
}

TEST_F(EndpointTest, borrow_until_the_pool_is_empty__expect_none_and_then_some_again) {
  std::vector<dpdk::Loan> all;
  std::array<dpdk::Loan, 16> some;
  while (a_->loan(some) == some.size()) all.insert(all.end(), some.begin(), some.end());
  EXPECT_GT(all.size(), 256u);
  EXPECT_EQ(a_->loan(some), 0u);
  a_->give_back(all);
  EXPECT_EQ(a_->loan(some), some.size());
  a_->give_back(some);
}

TEST_F(EndpointTest, give_back_a_loan_without_publishing__expect_no_number_used) {
  dpdk::Loan loan;
  ASSERT_EQ(a_->loan({&loan, 1}), 1u);
  a_->give_back({&loan, 1});
  test::run_dry(*a_);
  EXPECT_EQ(a_->node().rate_control().packets(), 0u);
  EXPECT_EQ(test::report_of(*a_).rate_control.next_frame_seq, 0u);
}

TEST_F(EndpointTest, publish_a_loan_not_described__expect_an_empty_message_to_group_0) {
  dpdk::Loan loan;
  ASSERT_EQ(a_->loan({&loan, 1}), 1u);
  ASSERT_EQ(a_->publish({&loan, 1}), 1u);
  test::run_dry(*a_);
  test::run_dry(*b_);
  EXPECT_EQ(b_->node().ordering().counters().drops[counters::DropReason::kNotSubscribed], 1u);
}

TEST_F(EndpointTest, send_a_thousand_each_way__expect_every_mbuf_back_in_both_pools) {
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(test::publish(*a_, test::counting_bytes(20), 1 + i % 2));  // half unsubscribed
    ASSERT_TRUE(test::publish(*b_, test::counting_bytes(20)));
    test::run_dry(*a_);
    test::run_dry(*b_);
    test::run_dry(*a_);
    (void)test::deliveries_of(*a_);
    (void)test::deliveries_of(*b_);
  }
  EXPECT_EQ(b_->node().ordering().counters().forwarded, 500u);
  EXPECT_EQ(a_->node().ordering().counters().forwarded, 1000u);
  for (const auto* endpoint : {a_.get(), b_.get()}) {
    const_cast<Endpoint*>(endpoint)->port().stop();
    EXPECT_EQ(rte_mempool_avail_count(endpoint->pool()), config_.endpoints[0].mbufs);
  }
}

TEST_F(EndpointTest, read_its_reports__expect_what_each_stage_did) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(test::publish(*a_, test::counting_bytes(10)));
  test::run_dry(*a_);
  test::run_dry(*b_);
  const node::NodeReport sender = test::report_of(*a_);
  const node::RateControlReport& sent = sender.rate_control;
  EXPECT_EQ(sent.packets, 3u);
  EXPECT_EQ(sent.application_bytes, 30u);
  EXPECT_EQ(sent.control_packets, 1u);
  EXPECT_EQ(sent.pending, 0u);
  EXPECT_EQ(sent.next_frame_seq, 3u);
  const node::NodeReport heard = test::report_of(*b_);
  EXPECT_EQ(heard.receive.counters.forwarded, 3u + 1);  // and a heartbeat
  EXPECT_EQ(heard.reliability.counters.drops[counters::DropReason::kControlTaken], 1u);
  EXPECT_EQ(heard.reliability.counters.forwarded, 3u);
  EXPECT_EQ(heard.ordering.counters.forwarded, 3u);
  EXPECT_EQ(heard.ordering.delivered.bytes, 30u);
  ASSERT_EQ(heard.peers(), 1u);
  ASSERT_EQ(heard.reliability.peers.size(), 1u);
  EXPECT_EQ(heard.receive.peers[0].gid, a_->identity().gid);
  EXPECT_EQ(heard.reliability.peers[0].stream.current.received, 3u);
}

TEST(EndpointLifeTest, destroy_endpoints_with_packets_everywhere__expect_all_memory_back) {
  const uint16_t ports = rte_eth_dev_count_avail();
  size_t before = 0;
  for (int round = 0; round < 3; ++round) {
    const test::RackSpec spec;
    const config::Config config = test::rack_config(spec);
    {
      const auto a = test::started(config, 0);
      const auto b = test::started(config, 1);
      for (int i = 0; i < 60; ++i) ASSERT_TRUE(test::publish(*a, test::counting_bytes(10)));
      (void)a->node().rate_control().poll(0);
      (void)a->node().rate_control().poll(0);
      (void)b->node().receive().poll(0);      // some in `received`
      (void)b->node().reliability().poll(0);  // some in `accepted`
      (void)b->node().receive().poll(0);
      (void)b->node().ordering().poll(0);  // some in `deliveries`
      (void)b->node().reliability().poll(0);
      for (int i = 0; i < 60; ++i) ASSERT_TRUE(test::publish(*a, test::counting_bytes(10)));
    }
    EXPECT_EQ(rte_eth_dev_count_avail(), ports);
    EXPECT_TRUE(test::files_of_fabrics().empty());
    if (round == 0) before = allocated_bytes();  // what DPDK keeps from a first use
  }
  EXPECT_EQ(allocated_bytes(), before);
}

TEST(EndpointLifeTest, create_one_on_a_wavelength_that_is_owned__expect_a_sentence_and_no_traces) {
  const test::RackSpec spec;
  const config::Config config = test::rack_config(spec);
  const auto owner = test::started(config, 0);
  config::Endpoint second = config.endpoints[0];
  second.name = "second";
  const uint16_t ports = rte_eth_dev_count_avail();
  const size_t before = allocated_bytes();
  for (int round = 0; round < 2; ++round) {
    const auto refused = Endpoint::create(second, config.fabric, {});
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.starts_with(
        "endpoint second: port net_odbss_second cannot be attached: wavelength=C21: "))
        << refused.error().message;
    EXPECT_EQ(refused.error().message.find('\n'), std::string::npos);
    EXPECT_EQ(rte_eth_dev_count_avail(), ports);
  }
  EXPECT_EQ(allocated_bytes(), before);
  second.wavelength = config.endpoints[1].wavelength;  // with another wavelength it is welcome
  EXPECT_TRUE(Endpoint::create(second, config.fabric, {}));
}

TEST(EndpointLifeTest, create_one_without_memory_for_its_mbufs__expect_the_remedy_named) {
  const test::RackSpec spec{.nodes = 1};
  config::Config config = test::rack_config(spec);
  config.endpoints[0].mbufs = 1'000'000;
  const auto refused = Endpoint::create(config.endpoints[0], config.fabric, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "endpoint node0: no memory for 1000000 mbufs (Cannot allocate memory); lower mbufs or "
            "reserve more hugepages: sysctl -w vm.nr_hugepages=1024");
  EXPECT_TRUE(test::files_of_fabrics().empty());
}

TEST(EndpointLifeTest, give_it_a_mac__expect_it_on_the_port_and_in_its_frames) {
  const test::RackSpec spec{.extra = {"mac = \"02:00:00:4d:00:09\""}};
  const config::Config config = test::rack_config(spec);
  const auto a = test::started(config, 0);
  const wire::MacAddress mac{{2, 0, 0, 0x4d, 0, 9}};
  EXPECT_EQ(a->port().mac(), mac);
  EXPECT_EQ(a->identity().mac, mac);
  EXPECT_EQ(a->multicast_filter(), dpdk::MulticastFilter::kMacList);
}

}  // namespace
}  // namespace lambdacast::rack
