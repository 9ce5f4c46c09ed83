// SPDX-License-Identifier: BSD-3-Clause
// A node that hears more lives than it has places for: those of who is gone are used again, oldest
// first, and whoever is alive keeps its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "test_node.h"

namespace lambdacast::node {
namespace node_places_test {

using counters::DropReason;
using wire::Qos;

constexpr uint64_t kSuspectMs = 50;

NodeConfig impatient(NodeConfig config, size_t max_peers) {
  config.max_peers = max_peers;
  config.reliability.suspect_after_ns = kSuspectMs * 1'000'000;
  config.reliability.repair_deadline_ns = 200'000'000;
  config.reliability.heartbeat_max_ns = 2'000'000;
  config.reliability.status_max_ns = 4'000'000;
  return config;
}

// Node 0 listens, and has places for 3 of the others. Those that are stopped have not started.
class NodePlacesTest : public ::testing::Test {
 protected:
  static constexpr size_t kLives = 10;

  void SetUp() override {
    for (size_t i = 2; i < network_.size(); ++i) network_.stopped[i] = true;
  }
  static NodeConfig config(uint32_t number) {
    NodeConfig config = impatient(test_config(number), number == 1 ? 3 : kLives + 2);
    // One address, as on a verbs device; each life has a queue pair of its own. The first of them
    // have one incarnation number, the others older and older ones.
    if (number > 2) {
      config.identity.gid = test_identity(3).gid;
      config.identity.data_qpn = 0x100 + number;
      config.identity.control_qpn = 0x200 + number;
      config.identity.incarnation = 5'000 - (number < 6 ? 0 : number);
    }
    return config;
  }
  // It ends without a word, and nothing is on its way.
  void kill(size_t life) { network_.stopped[life] = true; }
  void start(size_t life) { network_.stopped[life] = false; }
  // `messages` of this life have come in order, and each with its name.
  void expect_heard(size_t life, uint8_t messages) {
    const std::vector<Taken> before = std::exchange(listener().messages, {});
    for (uint8_t number = 0; number < messages; ++number) {
      ASSERT_TRUE(network_[life].publish({number}, Qos::kSourceOrdered));
      network_.run_ms(3);
    }
    std::vector<int> numbers;
    for (const Taken& each : listener().messages) {
      const PeerName from = listener().node->peers().name_of(each.info.peer);
      EXPECT_EQ(from.gid, network_[life].name().gid);
      EXPECT_EQ(from.qpn, network_[life].name().qpn);
      numbers.push_back(each.bytes[0]);
    }
    ASSERT_EQ(numbers.size(), messages);
    EXPECT_TRUE(std::ranges::is_sorted(numbers));
  }
  TestNode& listener() { return network_[0]; }
  uint64_t reused() {
    NodeReport report;
    listener().node->report(StageId::kReceive, report);
    return report.receive.places_reused;
  }
  void join(size_t life) {
    for (int i = 0; i < 100 && network_.node(life).rate_control().receivers() < 2; ++i)
      network_.run_ms(2);
    ASSERT_EQ(network_.node(life).rate_control().receivers(), 2u) << "life " << life;
  }

  TestNetwork network_{2 + kLives, config};
};

TEST_F(NodePlacesTest, more_lives_than_places__expect_each_heard_and_the_oldest_place_taken) {
  const uint16_t living = 0;  // node 1's place
  network_.run_ms(20);
  ASSERT_EQ(listener().node->peers().name_of(living).gid, network_[1].name().gid);
  for (size_t life = 2; life < 2 + kLives; ++life) {
    start(life);
    network_.run_ms(20);
    join(life);
    expect_heard(life, 3);
    kill(life);
    network_.run_ms(2 * kSuspectMs + 20);
    EXPECT_EQ(listener().node->peers().name_of(living).gid, network_[1].name().gid);
  }
  EXPECT_EQ(reused(), kLives - 2);
  for (size_t life = 4; life < 2 + kLives; ++life) {
    const auto event = listener().node->receive().take_place();
    ASSERT_TRUE(event);
    EXPECT_FALSE(event->refused);
    EXPECT_EQ(event->newcomer.qpn, network_[life].name().qpn);
    EXPECT_EQ(event->before.qpn, network_[life - 2].name().qpn) << "the one gone longest";
    EXPECT_GT(event->silent_ns, 2 * kSuspectMs * 1'000'000);
  }
  EXPECT_FALSE(listener().node->receive().take_place());
  EXPECT_TRUE(listener().gaps.empty());
  expect_heard(1, 3);
}

// Frames of three living ones are there all the time.
TEST_F(NodePlacesTest, more_living_than_places__expect_the_newcomer_refused_and_nobody_lost) {
  network_.run_ms(5);
  for (size_t life = 2; life < 4; ++life) start(life);
  network_.run_ms(5);
  start(4);
  network_.run_ms(4 * kSuspectMs);
  EXPECT_EQ(reused(), 0u);
  EXPECT_GT(listener().node->receive().counters().drops[DropReason::kPeerTableFull], 10u);
  const auto event = listener().node->receive().take_place();
  ASSERT_TRUE(event);
  EXPECT_TRUE(event->refused);
  EXPECT_EQ(event->newcomer.qpn, network_[4].name().qpn);
  EXPECT_FALSE(listener().node->receive().take_place()) << "not every time";
  for (const size_t life : {size_t{1}, size_t{2}, size_t{3}}) expect_heard(life, 2);
  kill(3);
  network_.run_ms(2 * kSuspectMs + 20);
  EXPECT_EQ(reused(), 1u) << "as soon as one is gone";
  expect_heard(4, 2);
}

// It was stopped, or out of reach: it is a stranger, and has its turn when one is gone.
TEST_F(NodePlacesTest, come_back_after_the_place_was_given__expect_another_place) {
  network_.run_ms(5);
  for (size_t life = 2; life < 4; ++life) start(life);
  network_.run_ms(10);
  kill(2);
  network_.run_ms(2 * kSuspectMs + 20);
  start(4);
  network_.run_ms(20);
  EXPECT_EQ(reused(), 1u);
  kill(3);
  network_.run_ms(2 * kSuspectMs + 20);
  start(2);
  network_.run_ms(kSuspectMs);
  EXPECT_EQ(reused(), 2u);
  expect_heard(2, 2);
  expect_heard(4, 2);
}

// The rows tell of the place: what came of all who had it, and what of the others.
TEST_F(NodePlacesTest, report_a_place_that_was_used_again__expect_its_counts_to_go_on) {
  network_.run_ms(5);
  for (size_t life = 2; life < 4; ++life) {
    start(life);
    network_.run_ms(10);
    join(life);
    expect_heard(life, 3);
    kill(life);
    network_.run_ms(2 * kSuspectMs + 20);
  }
  start(4);
  network_.run_ms(10);
  join(4);
  expect_heard(4, 2);
  const reliability::StreamReport frames = listener().node->frames().report(1);
  EXPECT_EQ(frames.current.received, 2u);
  EXPECT_EQ(frames.of_others.received, 3u);
  EXPECT_EQ(frames.total.received, 5u);
  EXPECT_EQ(frames.incarnation, network_[4].name().incarnation);
}

// --- with membership -----------------------------------------------------------------------------

// Three members of four places; a joiner that is no member comes and goes. No member's place is
// given away, whatever is silent.
TEST(NodePlaces, members_and_strangers__expect_views_untouched_and_the_next_member_heard) {
  const auto config = [](uint32_t number) {
    NodeConfig each = impatient(member_config(number, 3), 3);
    each.view->membership.suspect_after_ns = 40'000'000;
    return each;
  };
  TestNetwork network(6, config);
  for (size_t i = 3; i < 6; ++i) network.stopped[i] = true;
  for (int i = 0; i < 200 && network[0].views.empty(); ++i) network.run_ms(2);
  ASSERT_EQ(network[0].views.size(), 1u);
  for (size_t life = 3; life < 6; ++life) {
    network.stopped[life] = false;
    for (int i = 0; i < 200 && network[life].views.empty(); ++i) network.run_ms(2);
    ASSERT_FALSE(network[life].views.empty()) << "life " << life;
    ASSERT_TRUE(network[life].publish({static_cast<uint8_t>(life)}, Qos::kTotallyOrdered));
    network.run_ms(20);
    ASSERT_FALSE(network[0].messages.empty());
    EXPECT_EQ(network[0].messages.back().bytes[0], life);
    network.stopped[life] = true;  // expelled
    network.run_ms(3 * kSuspectMs);
  }
  for (const size_t member : {size_t{0}, size_t{1}, size_t{2}}) {
    EXPECT_EQ(network.node(member).view()->members(), 3u);
    EXPECT_EQ(network[member].views.size(), 7u);
    NodeReport report;
    network.node(member).report(StageId::kReceive, report);
    EXPECT_EQ(report.receive.places_reused, 2u);
    EXPECT_EQ(network[member].messages.size(), 3u);
  }
}

}  // namespace node_places_test
}  // namespace lambdacast::node
