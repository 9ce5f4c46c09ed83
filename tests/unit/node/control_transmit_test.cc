// SPDX-License-Identifier: BSD-3-Clause
#include "node/control_transmit.h"

#include <gtest/gtest.h>

#include "test_identity.h"
#include "wire/roce/frame.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;

class ControlTransmitTest : public ::testing::TestWithParam<bool> {
 protected:
  // A NACK about nothing, as a frame.
  std::vector<uint8_t> frame(ControlTransmit& control, uint64_t now_ns) {
    std::vector<uint8_t> out(wire::kMaxFrameBytes);
    uint8_t* const payload = out.data() + control.payload_offset();
    wire::ControlHeader header;
    header.kind = wire::ControlKind::kNack;
    header.incarnation = identity_.incarnation;
    header.data_qpn = identity_.data_qpn;
    wire::store_control_header(header, payload);
    wire::store_nack({identity_.gid, identity_.data_qpn, 7}, 1'000, payload);
    out.resize(control.finish(out.data(), wire::kNackHeaderBytes, now_ns));
    return out;
  }
  EndpointIdentity identity_ = test_identity(1, GetParam());
  ControlTransmit control_{identity_, wire::IcrcMode::kFull};
};

TEST_P(ControlTransmitTest, finish__expect_a_valid_frame_from_the_control_queue_pair) {
  const auto sent = frame(control_, 0x123456789);
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(sent.data(), sent.size(), view), DropReason::kNone);
  EXPECT_TRUE(wire::icrc_ok(sent.data(), view));
  EXPECT_EQ(view.source_gid, identity_.gid);
  EXPECT_EQ(view.destination_gid, identity_.control_gid);
  EXPECT_EQ(view.destination_qpn, wire::kMulticastQpn);
  EXPECT_EQ(view.source_qpn, identity_.control_qpn);
  EXPECT_EQ(view.qkey, identity_.qkey);
  EXPECT_EQ(view.pkey, identity_.pkey);
  EXPECT_EQ(view.payload_offset, control_.payload_offset());
  EXPECT_EQ(view.payload_bytes, wire::kNackHeaderBytes);
  wire::ControlHeader header;
  ASSERT_EQ(wire::load_control(sent.data() + view.payload_offset, view.payload_bytes, header),
            DropReason::kNone);
  EXPECT_EQ(header.timestamp_ns, 0x123456789u);
}

TEST_P(ControlTransmitTest, finish_several__expect_a_psn_that_counts_them_alone) {
  for (uint32_t i = 0; i < 3; ++i) {
    const auto sent = frame(control_, i);
    wire::FrameView view;
    ASSERT_EQ(wire::parse_frame(sent.data(), sent.size(), view), DropReason::kNone);
    EXPECT_EQ(view.psn, i);
  }
  EXPECT_EQ(control_.sent(), 3u);
  EXPECT_EQ(control_.room_bytes(), identity_.path_mtu);
}

INSTANTIATE_TEST_SUITE_P(families, ControlTransmitTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "ipv6" : "ipv4"; });

}  // namespace
}  // namespace lambdacast::node
