// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/frame_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "node/control_transmit.h"
#include "node/frame_builder.h"
#include "sim/multicast/scenario.h"
#include "wire/control/control.h"
#include "wire/control/view_control.h"

namespace lambdacast::sim {
namespace {

class FrameViewTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { scenario_.ipv6 = GetParam(); }
  std::vector<uint8_t> control(const std::function<size_t(uint8_t*)>& write) {
    node::ControlTransmit transmit(node_identity(scenario_, 0), wire::IcrcMode::kFull);
    std::vector<uint8_t> frame(wire::kMaxFrameBytes);
    const size_t bytes = write(frame.data() + transmit.payload_offset());
    frame.resize(transmit.finish(frame.data(), bytes, 77));
    return frame;
  }
  [[nodiscard]] wire::StreamName name(size_t node) const {
    const node::EndpointIdentity identity = node_identity(scenario_, node);
    return {identity.gid, identity.data_qpn, identity.incarnation};
  }
  Scenario scenario_ = quiet_scenario(3);
};

TEST_P(FrameViewTest, data__expect_numbers_and_message) {
  node::FrameBuilder core({.identity = node_identity(scenario_, 0),
                           .first_frame_seq = (1ull << 32) - 1,
                           .first_rel_seq = (1ull << 63) - 1});
  std::vector<uint8_t> frame(core.buffer_bytes(20));
  std::fill_n(frame.begin() + static_cast<long>(core.payload_offset()), 20, uint8_t{0xab});
  frame.resize(core.prepare(frame.data(), 20, 1, wire::Qos::kReliable, 5));
  const FrameView view(frame);
  EXPECT_EQ(view.kind(), FrameView::Kind::kData);
  EXPECT_EQ(view.frame_seq(), (1ull << 32) - 1);
  EXPECT_EQ(view.rel_seq(), 1ull << 63);
  EXPECT_FALSE(view.repair());
  EXPECT_TRUE(view.recoverable());
  EXPECT_FALSE(view.marks());
  EXPECT_EQ(view.source(), node_identity(scenario_, 0).gid);
  ASSERT_EQ(view.message().size(), 20u);
  EXPECT_EQ(view.message()[19], 0xab);
}

TEST_P(FrameViewTest, several_messages__expect_each_and_none_that_is_cut_short) {
  node::FrameBuilder core({.identity = node_identity(scenario_, 0)});
  const std::vector<uint8_t> records = {0, 2, 7, 8, 0, 0, 0, 1, 9, 0, 5, 1};
  std::vector<uint8_t> frame(core.buffer_bytes(records.size()));
  uint8_t* const payload = frame.data() + core.payload_offset();
  std::copy(records.begin(), records.end(), payload);
  frame.resize(core.prepare(frame.data(), records.size(), 1, wire::Qos::kReliable, 5));
  EXPECT_FALSE(FrameView(frame).shares());
  uint8_t* const header = payload - wire::kTransportHeaderBytes;
  for (const wire::Kind kind : {wire::Kind::kMessages, wire::Kind::kRequestMessages}) {
    header[1] = static_cast<uint8_t>(kind);
    for (const uint32_t count : {2u, 4u}) {
      base::store_be32(header + 40, count);
      EXPECT_TRUE(FrameView(frame).shares());
      std::vector<std::vector<uint8_t>> messages;
      FrameView(frame).for_each_message([&](std::span<const uint8_t> message) {
        messages.emplace_back(message.begin(), message.end());
      });
      std::vector<std::vector<uint8_t>> expected = {{7, 8}, {}};
      if (count == 4) expected.push_back({9});
      EXPECT_EQ(messages, expected);
    }
  }
}

TEST_P(FrameViewTest, member_ballot_and_vote__expect_epoch_round_and_step) {
  const auto member = control([&](uint8_t* payload) {
    wire::store_control_header({.kind = wire::ControlKind::kMember}, payload);
    wire::store_member({{5, 6, 7}, wire::MemberState::kRecovering, 0, 3, {}}, payload);
    return wire::kMemberBytes;
  });
  EXPECT_EQ(FrameView(member).kind(), FrameView::Kind::kMember);
  EXPECT_EQ(FrameView(member).epoch(), 5u);
  EXPECT_EQ(FrameView(member).round(), 6u);
  EXPECT_EQ(FrameView(member).step(), 3);
  const auto ballot = control([&](uint8_t* payload) {
    wire::store_control_header({.kind = wire::ControlKind::kBallot}, payload);
    wire::store_ballot({{8, 9, name(1)}, 0, 0, wire::BallotPhase::kInstall, 0, 0}, payload);
    return wire::kBallotBytes;
  });
  EXPECT_EQ(FrameView(ballot).kind(), FrameView::Kind::kBallot);
  EXPECT_EQ(FrameView(ballot).epoch(), 8u);
  EXPECT_EQ(FrameView(ballot).step(), 4);
  const auto vote = control([&](uint8_t* payload) {
    wire::store_control_header({.kind = wire::ControlKind::kVote}, payload);
    wire::store_vote({{8, 9, name(1)}, wire::VoteStage::kReady, false, {}}, payload);
    return wire::kVoteBytes;
  });
  EXPECT_EQ(FrameView(vote).kind(), FrameView::Kind::kVote);
  EXPECT_EQ(FrameView(vote).round(), 9u);
  EXPECT_EQ(FrameView(vote).step(), 2);
}

TEST_P(FrameViewTest, heartbeat__expect_last_sent_and_verdicts) {
  const auto frame = control([&](uint8_t* payload) {
    wire::store_control_header({.kind = wire::ControlKind::kHeartbeat, .entries = 1}, payload);
    wire::store_heartbeat({.oldest_retained = 1, .last_sent = 42}, payload);
    wire::store_verdict({name(2), 17, wire::Verdict::kEvictedLag}, payload + wire::kHeartbeatBytes);
    return wire::kHeartbeatBytes + wire::kVerdictBytes;
  });
  const FrameView view(frame);
  EXPECT_EQ(view.kind(), FrameView::Kind::kHeartbeat);
  EXPECT_EQ(view.last_sent(), 42u);
  int visited = 0;
  view.for_each_stream([&](const NamedStream& stream, uint64_t open_at, uint8_t verdict) {
    ++visited;
    EXPECT_EQ(stream.gid, name(2).gid);
    EXPECT_EQ(stream.incarnation, name(2).incarnation);
    EXPECT_EQ(open_at, 17u);
    EXPECT_EQ(verdict, 2);
  });
  EXPECT_EQ(visited, 1);
}

TEST_P(FrameViewTest, status_with_loss_runs__expect_every_entry) {
  const auto frame = control([&](uint8_t* payload) {
    wire::store_control_header({.kind = wire::ControlKind::kStatus, .entries = 2}, payload);
    size_t bytes = wire::kControlHeaderBytes;
    for (const size_t node : {1, 2}) {
      wire::StatusEntry entry;
      entry.stream = name(node);
      entry.contiguous = 100 + node;
      entry.runs = static_cast<uint8_t>(node);
      bytes += wire::store_status_entry(entry, payload + bytes);
    }
    return bytes;
  });
  std::vector<uint64_t> contiguous;
  const FrameView view(frame);
  EXPECT_EQ(view.kind(), FrameView::Kind::kStatus);
  view.for_each_stream([&](const NamedStream& stream, uint64_t position, uint8_t) {
    EXPECT_EQ(stream.gid, name(contiguous.size() + 1).gid);
    contiguous.push_back(position);
  });
  EXPECT_EQ(contiguous, (std::vector<uint64_t>{101, 102}));
}

TEST_P(FrameViewTest, nack__expect_the_stream_it_is_about) {
  const auto frame = control([&](uint8_t* payload) {
    wire::store_control_header({.kind = wire::ControlKind::kNack, .entries = 0}, payload);
    wire::store_nack(name(1), 5, payload);
    return wire::kNackHeaderBytes;
  });
  const FrameView view(frame);
  EXPECT_EQ(view.kind(), FrameView::Kind::kNack);
  EXPECT_STREQ(view.kind_name(), "NACK");
  int visited = 0;
  view.for_each_stream([&](const NamedStream& stream, uint64_t, uint8_t) {
    ++visited;
    EXPECT_EQ(stream.gid, name(1).gid);
  });
  EXPECT_EQ(visited, 1);
}

TEST_P(FrameViewTest, nack_with_a_status__expect_both_streams) {
  const auto frame = control([&](uint8_t* payload) {
    wire::ControlHeader header{.kind = wire::ControlKind::kNack, .entries = 3};
    header.statuses = 1;
    wire::store_control_header(header, payload);
    wire::store_nack(name(1), 5, payload);
    wire::StatusEntry entry;
    entry.stream = name(2);
    entry.contiguous = 42;
    entry.runs = 1;
    const size_t at = wire::behind_nack_runs(header);
    return at + wire::store_status_entry(entry, payload + at);
  });
  const FrameView view(frame);
  EXPECT_EQ(view.statuses(), 1u);
  std::vector<std::pair<wire::Gid, uint64_t>> visited;
  view.for_each_stream([&](const NamedStream& stream, uint64_t position, uint8_t) {
    visited.emplace_back(stream.gid, position);
  });
  const std::vector<std::pair<wire::Gid, uint64_t>> expected = {{name(1).gid, 0},
                                                                {name(2).gid, 42}};
  EXPECT_EQ(visited, expected);
}

INSTANTIATE_TEST_SUITE_P(Families, FrameViewTest, ::testing::Bool());

}  // namespace
}  // namespace lambdacast::sim
