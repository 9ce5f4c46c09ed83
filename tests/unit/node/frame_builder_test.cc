// SPDX-License-Identifier: BSD-3-Clause
#include "node/frame_builder.h"

#include <gtest/gtest.h>

#include "test_identity.h"
#include "wire/roce/frame.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;

class FrameBuilderTest : public ::testing::TestWithParam<bool> {
 protected:
  EndpointIdentity identity_ = test_identity(1, GetParam());
  FrameBuilder core_{FrameBuilderConfig{identity_, (uint64_t{1} << 32) - 2}};
};

TEST_P(FrameBuilderTest, prepare__expect_a_valid_frame_with_the_identitys_fields) {
  const auto content = counting_bytes(61);
  const auto frame = transmit(core_, content, 77, wire::Qos::kUnreliable, 123456);
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(frame.data(), frame.size(), view), DropReason::kNone);
  EXPECT_TRUE(wire::icrc_ok(frame.data(), view));
  EXPECT_EQ(view.source_gid, identity_.gid);
  EXPECT_EQ(view.destination_gid, identity_.multicast_gid);
  EXPECT_EQ(view.destination_qpn, wire::kMulticastQpn);
  EXPECT_EQ(view.source_qpn, identity_.data_qpn);
  EXPECT_EQ(view.qkey, identity_.qkey);
  EXPECT_EQ(view.pkey, identity_.pkey);
  EXPECT_EQ(view.psn, 0xfffffeu);
  EXPECT_FALSE(view.has_vlan);
  EXPECT_EQ(view.udp_source_port, wire::roce_source_port(identity_.data_qpn));
  const auto mac = wire::multicast_mac(identity_.multicast_gid);
  EXPECT_TRUE(std::equal(mac.bytes.begin(), mac.bytes.end(), frame.begin()));

  wire::TransportHeader header;
  size_t header_bytes = 0;
  ASSERT_EQ(wire::load_transport(frame.data() + view.payload_offset, view.payload_bytes, header,
                                 header_bytes),
            DropReason::kNone);
  EXPECT_EQ(header.frame_seq, (uint64_t{1} << 32) - 2);
  EXPECT_EQ(header.rel_seq, 0u);
  EXPECT_EQ(header.timestamp_ns, 123456u);
  EXPECT_EQ(header.group, 77u);
  EXPECT_EQ(header.incarnation, identity_.incarnation);
  EXPECT_EQ(header.message_bytes, content.size());
  EXPECT_EQ(view.payload_offset + header_bytes, core_.payload_offset());
  EXPECT_TRUE(std::equal(content.begin(), content.end(),
                         frame.begin() + static_cast<long>(core_.payload_offset())));
}

TEST_P(FrameBuilderTest, prepare_the_longest_message__expect_a_payload_of_the_path_mtu) {
  const auto frame = transmit(core_, counting_bytes(core_.room_bytes()));
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(frame.data(), frame.size(), view), DropReason::kNone);
  EXPECT_EQ(view.payload_bytes, identity_.path_mtu);
}

TEST_P(FrameBuilderTest, prepare_one_byte_more__expect_refusal_and_no_number_used) {
  std::vector<uint8_t> frame(core_.buffer_bytes(core_.room_bytes() + 1), 0xee);
  const auto untouched = frame;
  EXPECT_EQ(core_.prepare(frame.data(), core_.room_bytes() + 1, 1, wire::Qos::kUnreliable, 0),
            FrameBuilder::kRefused);
  EXPECT_EQ(frame, untouched);
  EXPECT_EQ(core_.sequencer().sent(), 0u);
}

TEST_P(FrameBuilderTest, prepare_nothing__expect_a_frame_of_the_header_alone) {
  const auto frame = transmit(core_, {});
  EXPECT_EQ(frame.size(), core_.payload_offset() + wire::kIcrcBytes);
}

TEST_P(FrameBuilderTest, prepare_in_an_exact_buffer__expect_nothing_written_behind_it) {
  for (size_t bytes = 0; bytes < 9; ++bytes) {
    std::vector<uint8_t> frame(core_.buffer_bytes(bytes) + 8, 0xee);
    const size_t made = core_.prepare(frame.data(), bytes, 1, wire::Qos::kUnreliable, 0);
    EXPECT_LE(made, core_.buffer_bytes(bytes));
    for (size_t i = made; i < frame.size(); ++i) ASSERT_EQ(frame[i], 0xee);
  }
}

TEST_P(FrameBuilderTest, prepare_recoverable__expect_rel_seq_to_advance) {
  (void)transmit(core_, {}, 1, wire::Qos::kReliable);
  (void)transmit(core_, {}, 1, wire::Qos::kUnreliable);
  EXPECT_EQ(core_.sequencer().rel_seq(), 1u);
}

TEST_P(FrameBuilderTest, lay_repair__expect_a_new_transmission_of_the_same_rel_seq) {
  const auto content = counting_bytes(61);
  std::vector<uint8_t> frame(core_.buffer_bytes(content.size()));
  std::copy(content.begin(), content.end(),
            frame.begin() + static_cast<long>(core_.payload_offset()));
  PacketInfo info{};
  info.kind = wire::Kind::kData;
  info.qos = wire::Qos::kSourceOrdered;
  info.group = 77;
  info.payload_bytes = static_cast<uint16_t>(content.size());
  info.message_bytes = info.payload_bytes;
  frame.resize(core_.lay(frame.data(), info, 1000));
  (void)transmit(core_, {}, 1, wire::Qos::kReliable);  // rel_seq 2, meanwhile
  const size_t bytes = core_.lay_repair(frame.data(), info, 1, 2000);
  core_.seal(frame.data(), bytes);
  EXPECT_EQ(bytes, frame.size());
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(frame.data(), frame.size(), view), DropReason::kNone);
  EXPECT_TRUE(wire::icrc_ok(frame.data(), view));
  wire::TransportHeader header;
  size_t header_bytes = 0;
  ASSERT_EQ(wire::load_transport(frame.data() + view.payload_offset, view.payload_bytes, header,
                                 header_bytes),
            DropReason::kNone);
  EXPECT_EQ(header.frame_seq, uint64_t{1} << 32);
  EXPECT_EQ(view.psn, 0u);
  EXPECT_EQ(header.rel_seq, 1u);
  EXPECT_EQ(header.flags, wire::kFlagRepair);
  EXPECT_EQ(header.timestamp_ns, 2000u);
  EXPECT_EQ(header.group, 77u);
  EXPECT_EQ(header.qos, wire::Qos::kSourceOrdered);
  EXPECT_EQ(core_.sequencer().rel_seq(), 2u);  // none used up
  EXPECT_TRUE(std::equal(content.begin(), content.end(),
                         frame.begin() + static_cast<long>(core_.payload_offset())));
}

INSTANTIATE_TEST_SUITE_P(families, FrameBuilderTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "ipv6" : "ipv4"; });

TEST(FrameBuilder, vlan_tag__expect_it_in_the_frame) {
  EndpointIdentity identity = test_identity(1);
  const size_t untagged = FrameBuilder({identity, 0}).payload_offset();
  identity.vlan_tci = 0x6005;
  FrameBuilder core({.identity = identity, .traffic_class = 0x68});
  EXPECT_EQ(core.payload_offset(), untagged + 4);
  const auto frame = transmit(core, counting_bytes(8));
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(frame.data(), frame.size(), view), DropReason::kNone);
  EXPECT_TRUE(view.has_vlan);
  EXPECT_EQ(view.vlan_tci, 0x6005);
  EXPECT_EQ(view.traffic_class, 0x68);
}

}  // namespace
}  // namespace lambdacast::node
