// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/message_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "node/frame_builder.h"
#include "sim/multicast/message.h"
#include "sim/multicast/scenario.h"

namespace lambdacast::sim {
namespace {

class MessageRecorderTest : public ::testing::Test {
 protected:
  MessageRecorderTest() {
    log_.lives.resize(2);
    log_.publications.resize(4);
    for (Publication& each : log_.publications) each.qos = wire::Qos::kReliable;
  }
  // Node 0 sends a packet of that kind at 5 ns; `count` as its header says.
  SentFrame send(const std::vector<uint8_t>& payload, wire::Kind kind = wire::Kind::kData,
                 uint32_t count = 0) {
    std::vector<uint8_t> frame(frames_.buffer_bytes(payload.size()));
    uint8_t* const at = frame.data() + frames_.payload_offset();
    std::copy(payload.begin(), payload.end(), at);
    frame.resize(frames_.prepare(frame.data(), payload.size(), 1, wire::Qos::kReliable, 5));
    at[1 - static_cast<int>(wire::kTransportHeaderBytes)] = static_cast<uint8_t>(kind);
    base::store_be32(at - wire::kTransportHeaderBytes + 40, count);
    const FrameView view(frame);
    SentFrame sent;
    sent.at_ns = 5;
    sent.rel_seq = view.rel_seq();
    sent.recoverable = view.recoverable();
    recorder_.transmitted(view, sent);
    return sent;
  }
  static std::vector<uint8_t> records(const std::vector<MessageId>& ids) {
    std::vector<uint8_t> all;
    for (const MessageId& id : ids) {
      all.insert(all.end(), {0, 20});
      const std::vector<uint8_t> message = make_message(id, 20);
      all.insert(all.end(), message.begin(), message.end());
    }
    return all;
  }

  Log log_;
  MessageRecorder recorder_{log_};
  Scenario scenario_ = quiet_scenario(2);
  node::FrameBuilder frames_{{.identity = node_identity(scenario_, 0), .first_rel_seq = 100}};
};

TEST_F(MessageRecorderTest, one_message__expect_it_sent_there_and_then_at_its_first_packet) {
  const SentFrame sent = send(make_message({0, 2}, 20));
  EXPECT_EQ(sent.publication, 2u);
  EXPECT_EQ(sent.shared, 0u);
  const Publication& of = log_.publications[2];
  EXPECT_EQ(of.sent_ns, 5u);
  EXPECT_EQ(of.rel_seq, sent.rel_seq);
  EXPECT_EQ(of.first_rel_seq, sent.rel_seq);
  EXPECT_EQ(of.transmissions, 1u);
  (void)send(make_message({0, 2}, 20));
  EXPECT_EQ(of.transmissions, 2u);
  EXPECT_EQ(of.rel_seq, sent.rel_seq);
}

TEST_F(MessageRecorderTest, three_messages_of_a_packet__expect_their_places_in_one_position) {
  const SentFrame sent = send(records({{0, 0}, {0, 1}, {0, 3}}), wire::Kind::kRequestMessages, 3);
  EXPECT_EQ(sent.publication, 3u);
  std::vector<uint32_t> carried;
  for_each_publication(log_, sent, [&](uint32_t each) { carried.push_back(each); });
  EXPECT_EQ(carried, (std::vector<uint32_t>{0, 1, 3}));
  for (uint32_t place = 0; place < 3; ++place) {
    const Publication& of = log_.publications[carried[place]];
    EXPECT_EQ(of.place, place);
    EXPECT_EQ(of.sharing, 3u);
    EXPECT_EQ(of.rel_seq, sent.rel_seq);
    EXPECT_EQ(of.sent_ns, 5u);
  }
  EXPECT_EQ(log_.publications[2].transmissions, 0u);
}

TEST_F(MessageRecorderTest, messages_of_others_or_none__expect_a_frame_that_carries_nothing) {
  for (const auto& ids : {std::vector<MessageId>{{0, 0}, {1, 1}}, {{0, 0}, {0, 4}}, {}}) {
    const SentFrame sent =
        send(records(ids), wire::Kind::kMessages, static_cast<uint32_t>(ids.size()));
    EXPECT_EQ(sent.publication, kNobody);
    EXPECT_EQ(sent.shared, 0u);
  }
  EXPECT_TRUE(log_.shared.empty());
  EXPECT_EQ(log_.publications[0].transmissions, 0u);
  EXPECT_EQ(send(make_message({1, 2}, 20)).publication, kNobody);
}

}  // namespace
}  // namespace lambdacast::sim
