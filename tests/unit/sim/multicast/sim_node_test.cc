// SPDX-License-Identifier: BSD-3-Clause
// How a node is composed of its stages (tests/unit/node: what they do).
#include <gtest/gtest.h>

#include <string>

#include "sim/multicast/scenario.h"
#include "sim/multicast/sim_endpoint.h"

namespace lambdacast::sim {
namespace {

class Silence final : public NodeHost {
 public:
  void transmit(std::span<const uint8_t>, uint64_t) override {}
  void judged(const Waiting&, counters::DropReason) override {}
  void deliver(const node::PacketInfo&, std::span<const uint8_t>) override {}
  void gap(const node::GapEvent&) override {}
  void receiver_event(const reliability::ReceiverEvent&) override {}
  void view_event(const node::ViewEvent&) override {}
  void misuse(const std::string& what) override { ADD_FAILURE() << what; }
};

class SimNodeTest : public ::testing::Test {
 protected:
  SimNodeTest() : config_(node_config(quiet_scenario(2), 0, 0)) {}
  [[nodiscard]] std::unique_ptr<SimNode> create() {
    return std::move(*SimNode::create(config_, env_));
  }
  // The stages in the order of a turn.
  static std::string stages(SimNode& node) {
    std::string names;
    node.for_each_stage(
        [&](node::StageId, node::Stage& stage) { names += std::string(stage.name()) + " "; });
    return names;
  }

  node::NodeConfig config_;
  const uint64_t now_ns_ = 0;
  Silence host_;
  SimPackets packets_{host_, {}, true, 3, now_ns_};
  SimReceiver receiver_{packets_, {}, 1};
  SimTransmitter transmitter_{packets_, {}, 2, now_ns_};
  SimEnv env_{packets_, receiver_, transmitter_, [](node::LinkId) { return SimEnv::Ends{}; }};
};

TEST_F(SimNodeTest, create_the_simplest__expect_four_stages_in_a_packets_way) {
  const auto node = create();
  EXPECT_EQ(stages(*node), "receive reliability ordering rate_control ");
  EXPECT_EQ(node->view(), nullptr);
  EXPECT_EQ(node->groups(), nullptr);
  EXPECT_EQ(node->neighbor(), nullptr);
  EXPECT_FALSE(node->rx_blocked());
  EXPECT_EQ(node->identity().gid, config_.identity.gid);
}

TEST_F(SimNodeTest, create_with_all_there_is__expect_each_part_in_its_place) {
  Scenario scenario = quiet_scenario(2);
  scenario.membership.on = true;
  config_ = node_config(scenario, 0, 0);
  config_.publisher.coalesce_ns = 1'000;
  config_.neighbor.emplace();
  config_.neighbor->mac = config_.identity.mac;
  config_.neighbor->gid = config_.identity.gid;
  const auto node = create();
  EXPECT_EQ(stages(*node), "receive neighbor reliability ordering publisher rate_control ");
  ASSERT_NE(node->view(), nullptr);
  EXPECT_FALSE(node->view()->in_view());
  EXPECT_NE(node->groups(), nullptr);
  EXPECT_EQ(node->link(node::LinkId::kNeighbor).size(), 0u);
}

TEST_F(SimNodeTest, create__expect_links_of_the_configured_sizes) {
  config_.links = {.packets = 8, .publications = 4, .control = 2};
  const auto node = create();
  using node::LinkId;
  for (const LinkId link :
       {LinkId::kReceived, LinkId::kAccepted, LinkId::kDeliveries, LinkId::kHeard}) {
    EXPECT_EQ(node->link(link).room(), 8u);
  }
  for (const LinkId link : {LinkId::kUnreliable, LinkId::kRecoverable})
    EXPECT_EQ(node->link(link).room(), 4u);
  EXPECT_EQ(node->link(LinkId::kSaid).room(), 2u);
}

// What stages and links hold goes back to the living pool.
TEST_F(SimNodeTest, destroy_amid_work__expect_every_packet_back) {
  {
    const auto node = create();
    for (int i = 0; i < 5; ++i) {
      const std::vector<uint8_t> message(20);
      EXPECT_EQ(node->publisher().send(message, 1, wire::Qos::kReliable, 0),
                node::SendResult::kSent);
    }
    EXPECT_EQ(node->publications_waiting(), 5u);
  }
  EXPECT_EQ(packets_.live(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
