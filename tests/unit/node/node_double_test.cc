// SPDX-License-Identifier: BSD-3-Clause
// Two nodes with one address and queue pair on a network of three
// (doc/decisions/0023-one-address-one-endpoint.md).
#include <gtest/gtest.h>

#include "test_node.h"

namespace lambdacast::node {
namespace node_double_test {

using wire::Qos;

constexpr uint64_t kNsPerMs = 1'000'000;
constexpr uint64_t kListenMs = 40;
constexpr uint64_t kSuspectMs = 200;

// Nodes 0 and 2 have one address; node 2 starts later.
constexpr size_t kFirst = 0;
constexpr size_t kThird = 1;
constexpr size_t kSecond = 2;

template <NodeConfig (*kMake)(uint32_t)>
NodeConfig double_config(uint32_t number) {
  NodeConfig config = kMake(number == 3 ? 1 : number);
  config.identity.incarnation = 1'000 + number;
  config.listen_ns = kListenMs * kNsPerMs;
  config.reliability.suspect_after_ns = kSuspectMs * kNsPerMs;
  return config;
}
NodeConfig pair_in_view(uint32_t number) { return member_config(number, 2); }

class NodeDoubleTest : public ::testing::Test {
 protected:
  explicit NodeDoubleTest(const TestNetwork::Config& config = double_config<test_config>)
      : network_(3, config) {
    network_.stopped[kSecond] = true;
  }
  void start_second() { network_.stopped[kSecond] = false; }
  [[nodiscard]] bool lost(size_t i) { return network_.node(i).guard()->lost(); }
  [[nodiscard]] std::optional<DoubleEvent> told(size_t i) {
    if (auto event = network_.node(i).reliability().take_double()) return event;
    return network_.node(i).guard()->take_event();
  }
  // Messages of the address's that the third one has.
  [[nodiscard]] size_t heard() { return network_[kThird].messages.size(); }
  void publish_and_run(size_t from, Qos qos) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(network_[from].publish(counting_bytes(8), qos));
      network_.run_ms(10);
    }
  }

  TestNetwork network_;
};

TEST_F(NodeDoubleTest, start_alone__expect_no_word_before_it_has_listened) {
  size_t frames = 0;
  network_.loses = [&](size_t, size_t, const Bytes&) { return ++frames != 0; };
  EXPECT_TRUE(network_[kFirst].publish(counting_bytes(8), Qos::kUnreliable));
  network_.run_ms(kListenMs - 1);
  EXPECT_EQ(frames, 0u);
  network_.loses = {};
  network_.run_ms(30);
  EXPECT_EQ(heard(), 1u) << "what was published meanwhile goes";
  EXPECT_EQ(network_.node(kThird).rate_control().receivers(), 1u);
}

TEST_F(NodeDoubleTest, a_second_one_starts__expect_it_to_give_way_and_the_pair_named_by_all) {
  network_.run_ms(100);
  publish_and_run(kFirst, Qos::kSourceOrdered);
  ASSERT_EQ(heard(), 10u);
  start_second();
  publish_and_run(kFirst, Qos::kSourceOrdered);
  EXPECT_TRUE(lost(kSecond));
  EXPECT_FALSE(lost(kFirst));
  for (const size_t i : {kFirst, kThird, kSecond}) {
    const auto event = told(i);
    ASSERT_TRUE(event) << i;
    EXPECT_EQ(event->gid, network_[kFirst].name().gid);
    EXPECT_EQ(event->one + event->other, 1'001u + 1'003u);
    EXPECT_EQ(event->own, i != kThird);
    EXPECT_EQ(event->lost, i == kSecond);
    EXPECT_FALSE(told(i)) << i;
  }
  EXPECT_EQ(heard(), 20u);
  EXPECT_TRUE(network_[kThird].gaps.empty());
  EXPECT_EQ(network_.node(kThird).frames().report(0).incarnation_changes, 0u);
  EXPECT_TRUE(network_.node(kSecond).rate_control().silent()) << "its process need not wait";
}

TEST_F(NodeDoubleTest, the_first_one_was_killed__expect_its_next_life_to_speak_after_listening) {
  network_.run_ms(100);
  network_.stopped[kFirst] = true;
  start_second();
  network_.run_ms(kListenMs + 30);
  publish_and_run(kSecond, Qos::kSourceOrdered);
  EXPECT_FALSE(lost(kSecond));
  EXPECT_EQ(heard(), 10u);
  for (const size_t i : {kThird, kSecond}) EXPECT_FALSE(told(i)) << i;
}

TEST_F(NodeDoubleTest, a_stopped_life_goes_on_beside_its_next__expect_it_to_give_way) {
  network_.run_ms(1'000);
  network_.stopped[kFirst] = true;
  start_second();
  network_.run_ms(1'000);
  network_.stopped[kFirst] = false;
  network_.run_ms(kSuspectMs + 50);
  EXPECT_TRUE(lost(kFirst));
  EXPECT_FALSE(lost(kSecond));
  EXPECT_TRUE(told(kThird));
  publish_and_run(kSecond, Qos::kSourceOrdered);
  EXPECT_EQ(heard(), 10u);
}

TEST_F(NodeDoubleTest, start_both_at_once__expect_one_at_most_to_stay_and_the_address_heard) {
  start_second();
  network_.run_ms(1'000);
  EXPECT_FALSE(lost(kFirst));
  EXPECT_TRUE(lost(kSecond));
  network_.run_ms(2 * kSuspectMs);
  publish_and_run(kFirst, Qos::kUnreliable);
  EXPECT_EQ(heard(), 10u);
}

// Another's number for the same address, but another queue pair: a verbs device makes those.
TEST_F(NodeDoubleTest, another_queue_pair_of_the_address__expect_both_to_speak) {
  TestNetwork network(2, [](uint32_t number) {
    NodeConfig config = double_config<test_config>(1);
    config.identity.data_qpn += 2 * number;
    config.identity.control_qpn += 2 * number;
    return config;
  });
  network.run_ms(200);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(network.node(i).guard()->lost());
    EXPECT_FALSE(network.node(i).guard()->take_event());
    EXPECT_EQ(network.node(i).rate_control().receivers(), 1u);
  }
}

class NodeDoubleInViewTest : public NodeDoubleTest {
 protected:
  NodeDoubleInViewTest() : NodeDoubleTest(double_config<pair_in_view>) {}
};

TEST_F(NodeDoubleInViewTest, a_second_one_starts__expect_third_parties_to_keep_one_view) {
  network_.run_ms(200);
  ASSERT_EQ(network_[kThird].views.size(), 1u);
  start_second();
  network_.run_ms(1'000);
  EXPECT_TRUE(lost(kSecond));
  EXPECT_EQ(network_[kFirst].views.size(), 1u);
  EXPECT_EQ(network_[kThird].views.size(), 1u);
  publish_and_run(kFirst, Qos::kTotallyResilient);
  EXPECT_EQ(heard(), 10u);
}

}  // namespace node_double_test
}  // namespace lambdacast::node
