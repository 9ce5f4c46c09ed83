// SPDX-License-Identifier: BSD-3-Clause
#include "node/deliveries.h"

#include <gtest/gtest.h>

#include <string>

#include "test_node.h"

namespace lambdacast::node {
namespace {

using wire::Kind;

// Writes down what is handed over, in order.
struct Lines : DeliverySink {
  static std::string text(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }
  void message(const PacketInfo&, std::span<const uint8_t> message) {
    lines.push_back("message " + text(message));
  }
  void gap(const GapEvent& gap) {
    lines.push_back("gap " + std::to_string(gap.first_rel_seq) + " +" + std::to_string(gap.count));
  }
  void view(const ViewEvent& event) {
    lines.push_back("view " + std::to_string(event.id.epoch) + " of " +
                    std::to_string(event.members.size()));
  }
  void group_message(const PacketInfo&, std::span<const uint8_t> message) {
    lines.push_back("group " + text(message));
  }
  void request_message(const PacketInfo&, std::span<const uint8_t> message) {
    lines.push_back("request " + text(message));
  }
  void prefetch(const PacketInfo&) { ++prefetches; }

  std::vector<std::string> lines;
  int prefetches = 0;
};

class DeliveriesTest : public ::testing::Test {
 protected:
  SimPacket* packet(Kind kind, const std::string& payload = "") {
    SimPacket* packet = env_.packets.allocate();
    packet->info = PacketInfo{};
    packet->info.kind = kind;
    packet->info.payload_offset = 10;
    packet->info.payload_bytes = static_cast<uint16_t>(payload.size());
    std::copy(payload.begin(), payload.end(), packet->bytes + 10);
    return packet;
  }
  void push(SimPacket* packet) { in_.push(&packet, 1); }

  TestEnv env_;
  sim::SimQueue in_ = env_.queue(64);
  sim::SimHandleQueue released_{nullptr};
  Deliveries<SimEnv> deliveries_{env_.env, in_, released_};
};

TEST_F(DeliveriesTest, take_one_of_each_kind__expect_each_handed_over_in_its_place) {
  push(packet(Kind::kData, "a"));
  push(packet(Kind::kMessages, std::string("\0\1b\0\0\0\2cd", 9)));
  push(packet(Kind::kGroup, "e"));
  SimPacket* gap = packet(Kind::kData);
  gap->info.rel_seq = 7;
  become_gap(gap->info, 3, reliability::LossReason::kEvicted);
  push(gap);
  const std::vector<wire::StreamName> members(2);
  SimPacket* view = packet(Kind::kView);
  store_view_event<SimEnv>({ViewEvent::What::kView, {4, 1, 2}, members, 1}, view);
  push(view);
  SimPacket* whole = packet(Kind::kFragment);
  const std::string text = "a long one";
  whole->info.message = reinterpret_cast<const uint8_t*>(text.data());
  whole->info.message_bytes = static_cast<uint32_t>(text.size());
  whole->info.reassembly = 5;
  push(whole);
  push(packet(Kind::kRequest, "q"));
  push(packet(Kind::kRequestMessages, std::string("\0\1r\0\2ok", 7)));
  SimPacket* request = packet(Kind::kRequestFragment);
  request->info.message = whole->info.message;
  request->info.message_bytes = whole->info.message_bytes;
  request->info.reassembly = 6;
  push(request);
  Lines sink;
  EXPECT_EQ(deliveries_.take(kMaxBurst, sink), 9u);
  EXPECT_EQ(sink.lines,
            (std::vector<std::string>{"message a", "message b", "message ", "message cd", "group e",
                                      "gap 7 +3", "view 4 of 2", "message a long one", "request q",
                                      "request r", "request ok", "request a long one"}));
  EXPECT_EQ(sink.prefetches, 9);
  uint16_t handle = 0;
  ASSERT_TRUE(released_.pull(handle)) << "its memory goes back";
  EXPECT_EQ(handle, 5u);
  ASSERT_TRUE(released_.pull(handle));
  EXPECT_EQ(handle, 6u);
  EXPECT_FALSE(released_.pull(handle));
  EXPECT_EQ(env_.packets.live(), 0u);
}

TEST_F(DeliveriesTest, take_fewer_than_there_are__expect_the_rest_to_wait) {
  for (const char* text : {"a", "b", "c"}) push(packet(Kind::kData, text));
  std::string all;
  MessageSink sink(
      [&](const PacketInfo&, std::span<const uint8_t> message) { all += Lines::text(message); });
  EXPECT_EQ(deliveries_.take(2, sink), 2u);
  EXPECT_EQ(all, "ab");
  EXPECT_EQ(deliveries_.take(2, sink), 1u);
  EXPECT_EQ(deliveries_.take(2, sink), 0u);
  EXPECT_EQ(all, "abc");
}

// One that total order keeps for others is theirs as well.
TEST_F(DeliveriesTest, take_a_packet_that_somebody_shares__expect_it_left_to_them) {
  SimPacket* shared = packet(Kind::kData, "a");
  env_.packets.add_reference(shared);
  push(shared);
  EXPECT_EQ(deliveries_.take(1, Lines()), 1u);
  EXPECT_EQ(env_.packets.live(), 1u);
  EXPECT_FALSE(env_.packets.shared(shared));
  env_.packets.free(shared);
}

}  // namespace
}  // namespace lambdacast::node
