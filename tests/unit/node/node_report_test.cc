// SPDX-License-Identifier: BSD-3-Clause
#include "node/node_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "small_network.h"

namespace lambdacast::node {
namespace {

constexpr size_t kNodes = 3;  // and as many peers at most
const std::vector<StageId> kInOrder = {StageId::kReceive, StageId::kNeighbor, StageId::kReliability,
                                       StageId::kOrdering, StageId::kRateControl};

// Three nodes of which the first has published.
class NodeReportTest : public ::testing::Test {
 protected:
  NodeReportTest() {
    network_.run_until_joined();
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(network_.endpoint(0).publish(std::vector<uint8_t>(20), 1, wire::Qos::kReliable));
    network_.run_for(20'000'000);
  }
  NodeReport report_of(size_t node, const std::vector<StageId>& stages) {
    NodeReport report;
    report.reserve(kNodes);
    const auto* const receive = report.receive.peers.data();
    const auto* const reliability = report.reliability.peers.data();
    const auto* const rate_control = report.rate_control.peers.data();
    for (const StageId stage : stages) network_.node(node).report(stage, report);
    EXPECT_EQ(report.receive.peers.data(), receive);
    EXPECT_EQ(report.reliability.peers.data(), reliability);
    EXPECT_EQ(report.rate_control.peers.data(), rate_control);
    return report;
  }

  SmallNetwork network_{kNodes};
};

TEST_F(NodeReportTest, have_all_stages_report__expect_what_each_did_and_no_memory_moved) {
  const NodeReport sender = report_of(0, kInOrder);
  EXPECT_EQ(sender.rate_control.packets, 5u);
  EXPECT_EQ(sender.rate_control.messages, 5u);
  EXPECT_EQ(sender.rate_control.application_bytes, 100u);
  EXPECT_EQ(sender.rate_control.waiting, 0u);
  EXPECT_EQ(sender.rate_control.retention.receivers, 2u);
  EXPECT_EQ(sender.rate_control.retention.stable, sender.rate_control.retention.last);
  EXPECT_EQ(sender.rate_control.retention.last, sender.rate_control.first_rel_seq + 5);
  EXPECT_FALSE(sender.neighbor.has_value());
  EXPECT_FALSE(sender.view.has_value());
  const NodeReport receiver = report_of(1, kInOrder);
  EXPECT_EQ(receiver.ordering.counters.forwarded, 5u);
  EXPECT_EQ(receiver.ordering.delivered.bytes, 100u);
  ASSERT_EQ(receiver.peers(), 2u);
  ASSERT_EQ(receiver.reliability.peers.size(), 2u) << "of those that receive knows";
  for (size_t i = 0; i < 2; ++i) {
    const NodeReport::Peer peer = receiver.peer(i);
    const bool is_sender = peer.name.gid == network_.node(0).identity().gid;
    EXPECT_EQ(peer.reliability.stream.total.received, is_sender ? 5u : 0u);
    EXPECT_TRUE(peer.rate_control.receiver.admitted);
  }
}

TEST_F(NodeReportTest, have_stages_report_in_any_order__expect_the_peers_that_receive_knows) {
  const NodeReport expected = report_of(1, kInOrder);
  std::vector<StageId> stages = kInOrder;
  std::sort(stages.begin(), stages.end());
  do {
    NodeReport report = report_of(1, stages);
    report.trim();
    ASSERT_EQ(report.peers(), expected.peers());
    ASSERT_EQ(report.reliability.peers.size(), expected.peers());
    ASSERT_EQ(report.rate_control.peers.size(), expected.peers());
    for (size_t i = 0; i < report.peers(); ++i) {
      const NodeReport::Peer peer = report.peer(i);
      EXPECT_EQ(peer.name.gid, expected.peer(i).name.gid);
      EXPECT_EQ(peer.reliability.stream.total, expected.peer(i).reliability.stream.total);
      EXPECT_EQ(peer.rate_control.receiver.contiguous,
                expected.peer(i).rate_control.receiver.contiguous);
    }
  } while (std::next_permutation(stages.begin(), stages.end()));
}

}  // namespace
}  // namespace lambdacast::node
