// SPDX-License-Identifier: BSD-3-Clause
#include "node/coalescer.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::node {
namespace {

constexpr auto kQos = wire::Qos::kUnreliable;

class CoalescerTest : public ::testing::Test {
 protected:
  void open(uint32_t group = 1, uint64_t now_ns = 100, wire::Kind kind = wire::Kind::kData) {
    coalescer_.open(payload_.data(), group, kQos, kind, now_ns);
  }
  [[nodiscard]] bool takes(size_t bytes, uint32_t group = 1, wire::Qos qos = kQos,
                           wire::Kind kind = wire::Kind::kData) const {
    return coalescer_.takes(bytes, group, qos, kind);
  }
  void append(size_t bytes) {
    coalescer_.append(std::vector<uint8_t>(bytes, static_cast<uint8_t>(bytes)));
  }
  PacketInfo close() {
    PacketInfo info{};
    coalescer_.close(info);
    return info;
  }

  std::vector<uint8_t> payload_ = std::vector<uint8_t>(20, 0xee);
  Coalescer coalescer_{20, 50};
};

TEST_F(CoalescerTest, append_three__expect_them_in_the_payload_in_their_order) {
  open(9);
  append(3);
  append(0);
  append(4);
  const PacketInfo info = close();
  EXPECT_EQ(info.kind, wire::Kind::kMessages);
  EXPECT_EQ(info.group, 9u);
  EXPECT_EQ(info.fragment_offset, 3u);
  EXPECT_EQ(info.payload_bytes, 13u);
  EXPECT_EQ(info.message_bytes, 13u);
  std::vector<size_t> lengths;
  wire::for_each_message({payload_.data(), info.payload_bytes},
                         [&](auto message) { lengths.push_back(message.size()); });
  EXPECT_EQ(lengths, (std::vector<size_t>{3, 0, 4}));
  EXPECT_EQ(payload_[13], 0xee);
  EXPECT_TRUE(coalescer_.empty());
}

TEST_F(CoalescerTest, fill_to_the_last_byte__expect_no_more_taken) {
  EXPECT_FALSE(takes(0));  // no packet is open
  open();
  append(8);
  EXPECT_TRUE(takes(8));
  EXPECT_FALSE(takes(9));
  append(8);
  EXPECT_FALSE(takes(0));
  EXPECT_EQ(close().payload_bytes, 20u);
}

TEST_F(CoalescerTest, another_group_qos_or_layer__expect_another_packet) {
  open(1);
  append(1);
  EXPECT_TRUE(takes(1, 1));
  EXPECT_FALSE(takes(1, 2));
  EXPECT_FALSE(takes(1, 1, wire::Qos::kReliable));
  EXPECT_FALSE(takes(1, 1, kQos, wire::Kind::kRequest));
}

TEST_F(CoalescerTest, append_requests__expect_a_packet_of_requests) {
  open(1, 100, wire::Kind::kRequest);
  append(1);
  EXPECT_FALSE(takes(1));
  EXPECT_TRUE(takes(1, 1, kQos, wire::Kind::kRequest));
  append(1);
  const PacketInfo info = close();
  EXPECT_EQ(info.kind, wire::Kind::kRequestMessages);
  EXPECT_EQ(info.messages, 2u);
}

TEST_F(CoalescerTest, suits__expect_what_fits_an_empty_packet) {
  EXPECT_TRUE(coalescer_.suits(18));
  EXPECT_FALSE(coalescer_.suits(19));
}

TEST_F(CoalescerTest, due__expect_at_once_on_an_idle_link_and_at_the_deadline_on_a_busy_one) {
  EXPECT_FALSE(coalescer_.due(1000, true));
  open(1, 100);
  append(1);
  EXPECT_TRUE(coalescer_.due(100, true));
  EXPECT_FALSE(coalescer_.due(149, false));
  EXPECT_TRUE(coalescer_.due(150, false));
}

TEST_F(CoalescerTest, open_again__expect_nothing_of_the_packet_before) {
  open(1);
  append(5);
  (void)close();
  open(2, 500);
  append(2);
  EXPECT_FALSE(coalescer_.due(549, false));
  const PacketInfo info = close();
  EXPECT_EQ(info.group, 2u);
  EXPECT_EQ(info.fragment_offset, 1u);
  EXPECT_EQ(info.payload_bytes, 4u);
}

}  // namespace
}  // namespace lambdacast::node
