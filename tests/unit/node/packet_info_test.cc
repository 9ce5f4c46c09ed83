// SPDX-License-Identifier: BSD-3-Clause
#include "node/packet_info.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace {

// The accounting fields come first, the hot small ones last, all within one line; what only
// fragments use begins the next.
TEST(PacketInfo, layout__expect_one_line_without_holes_and_another_of_fragments) {
  EXPECT_EQ(sizeof(PacketInfo), 128u);
  EXPECT_EQ(offsetof(PacketInfo, message_id), 64u);
  EXPECT_EQ(offsetof(PacketInfo, frame_seq), 0u);
  EXPECT_EQ(offsetof(PacketInfo, group), 32u);
  EXPECT_EQ(offsetof(PacketInfo, peer), 56u);
  EXPECT_EQ(offsetof(PacketInfo, flags), 63u);
}

TEST(PacketInfo, messages_and_application_bytes_of_each_kind) {
  PacketInfo info{};
  info.kind = wire::Kind::kData;
  info.payload_bytes = 100;
  EXPECT_EQ(messages_begun(info), 1u);
  EXPECT_EQ(application_bytes(info), 100u);
  info.kind = wire::Kind::kMessages;
  info.fragment_offset = 7;
  EXPECT_EQ(messages_begun(info), 7u);
  EXPECT_EQ(application_bytes(info), 100u - 7 * wire::kMessageLengthBytes);
  info.kind = wire::Kind::kFragment;
  EXPECT_EQ(messages_begun(info), 0u);
  EXPECT_EQ(application_bytes(info), 100u);
  info.fragment_offset = 0;
  EXPECT_EQ(messages_begun(info), 1u);
  info.kind = wire::Kind::kGroup;
  EXPECT_EQ(messages_begun(info), 1u);
  EXPECT_EQ(application_bytes(info), 100u);
}

TEST(PacketInfo, cut_a_message__expect_fragments_of_its_length_and_the_rest_in_the_last) {
  const LongMessage message{7, wire::Qos::kTotallyOrdered, 42, 2500, 1000};
  constexpr uint16_t kBytes[] = {1000, 1000, 500};
  for (uint32_t i = 0; i < 3; ++i) {
    const PacketInfo info = fragment_info(message, i * 1000);
    EXPECT_EQ(info.kind, wire::Kind::kFragment);
    EXPECT_EQ(info.qos, wire::Qos::kTotallyOrdered);
    EXPECT_EQ(info.group, 7u);
    EXPECT_EQ(info.message_id, 42u);
    EXPECT_EQ(info.message_bytes, 2500u);
    EXPECT_EQ(info.fragment_bytes, 1000u);
    EXPECT_EQ(info.fragment_offset, i * 1000);
    EXPECT_EQ(info.payload_bytes, kBytes[i]);
    EXPECT_EQ(messages_begun(info), i == 0 ? 1u : 0u);
  }
}

}  // namespace
}  // namespace lambdacast::node
