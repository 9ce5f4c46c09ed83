// SPDX-License-Identifier: BSD-3-Clause
// Control frames in front of the classifier (frame_classifier_test.cc: data).
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "frame_classifier_fixture.h"
#include "wire/control/control.h"
#include "wire/control/view_control.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;

// A frame of `sender_`'s control queue pair about nothing, as the test wants it.
class ReceiveControlTest : public FrameClassifierTest {
 protected:
  std::vector<uint8_t> control(
      const std::function<void(wire::FrameFields&)>& change_fields = [](auto&) {},
      const std::function<void(std::vector<uint8_t>&)>& change_payload = [](auto&) {}) {
    wire::FrameFields fields = multicast_fields(sender_, sender_.control_gid, sender_.control_qpn);
    fields.psn = 0x123;
    change_fields(fields);
    wire::ControlHeader header;
    header.kind = wire::ControlKind::kStatus;
    header.incarnation = sender_.incarnation;
    header.data_qpn = sender_.data_qpn;
    header.timestamp_ns = 4000;
    std::vector<uint8_t> payload(wire::kControlHeaderBytes);
    wire::store_control_header(header, payload.data());
    change_payload(payload);
    std::vector<uint8_t> frame(wire::kMaxFrameBytes);
    frame.resize(wire::build_frame(fields, payload, frame.data(), frame.size()));
    return frame;
  }
};

TEST_P(ReceiveControlTest, receive_control__expect_the_peer_of_its_data_queue_pair) {
  const auto frame = control();
  ASSERT_EQ(receive(frame), DropReason::kNone);
  EXPECT_EQ(info_.kind, wire::Kind::kControl);
  EXPECT_EQ(info_.incarnation, sender_.incarnation);
  EXPECT_EQ(info_.timestamp_ns, 4000u);
  EXPECT_EQ(info_.received_ns, 5000u);
  EXPECT_EQ(info_.psn, 0x123u);
  EXPECT_EQ(info_.payload_bytes, wire::kControlHeaderBytes);
  wire::ControlHeader header;
  EXPECT_EQ(wire::load_control(&frame[info_.payload_offset], info_.payload_bytes, header),
            DropReason::kNone);
  EXPECT_EQ(core_.peers().at(0).qpn, sender_.data_qpn);
  ASSERT_EQ(receive(with_fields([](auto&) {})), DropReason::kNone);  // data of the same peer
  EXPECT_EQ(info_.peer, 0u);
  EXPECT_EQ(core_.peers().size(), 1u);
}

// The stages behind read the header from what the classifier learnt, not from the frame.
TEST_P(ReceiveControlTest, receive_control_of_both_versions__expect_every_field_of_its_header) {
  for (const uint8_t version : {wire::kControlVersion, wire::kWideVersion}) {
    SCOPED_TRACE(int{version});
    wire::ControlHeader said;
    said.kind = wire::ControlKind::kMember;
    said.flags = wire::kMemberLeaving;
    said.incarnation = sender_.incarnation;
    said.data_qpn = sender_.data_qpn;
    said.entries = 1;
    said.timestamp_ns = 4000;
    said.version = version;
    const auto frame = control(
        [](auto&) {},
        [&](auto& payload) {
          payload.assign(wire::member_bytes(version == wire::kWideVersion) + 8, 0);
          wire::store_control_header(said, payload.data());
          wire::store_member({.state = wire::MemberState::kJoining, .members = 1}, payload.data());
        });
    ASSERT_EQ(receive(frame), DropReason::kNone);
    EXPECT_EQ(control_header(info_), said);
  }
}

TEST_P(ReceiveControlTest, receive_our_own_control__expect_own_frame) {
  EXPECT_EQ(receive(control([this](auto& f) {
              f.source_gid = identity_.gid;
              f.source_qpn = identity_.control_qpn;
            })),
            DropReason::kOwnFrame);
  EXPECT_EQ(core_.peers().size(), 0u);
}

// Two endpoints have this address, or it is the last of an earlier life.
TEST_P(ReceiveControlTest, receive_our_own_address__expect_the_incarnation_that_sent_it) {
  const auto from_us = [this](auto& f) {
    f.source_gid = identity_.gid;
    f.source_qpn =
        f.destination_gid == identity_.control_gid ? identity_.control_qpn : identity_.data_qpn;
  };
  ASSERT_EQ(receive(control(from_us)), DropReason::kOwnFrame);
  EXPECT_EQ(info_.incarnation, sender_.incarnation);
  info_ = {};
  const auto header = [this](auto& h) { h.incarnation = sender_.incarnation; };
  ASSERT_EQ(receive(build(from_us, header)), DropReason::kOwnFrame);
  EXPECT_EQ(info_.incarnation, sender_.incarnation);
  const auto no_control = [](auto& payload) { payload[0] = 0; };
  ASSERT_EQ(receive(control(from_us, no_control)), DropReason::kOwnFrame);
  EXPECT_EQ(info_.incarnation, identity_.incarnation) << "it tells none";
}

TEST_P(ReceiveControlTest, receive_malformed_control__expect_it_refused_and_no_peer_learnt) {
  EXPECT_EQ(receive(control([](auto&) {}, [](auto& payload) { payload[1] = 9; })),
            DropReason::kControlKind);
  EXPECT_EQ(receive(control([](auto&) {}, [](auto& payload) { payload.resize(4); })),
            DropReason::kControlMalformed);
  EXPECT_EQ(core_.peers().size(), 0u);
}

TEST_P(ReceiveControlTest, receive_control_with_a_bit_wrong__expect_bad_icrc_if_verified) {
  const auto frame = control();
  FrameClassifierConfig config{identity_, 2};
  config.icrc = wire::IcrcMode::kOff;
  FrameClassifier trusting(config);
  for (size_t at = frame.size() - wire::kControlHeaderBytes - 4; at < frame.size(); ++at) {
    auto damaged = frame;
    damaged[at] ^= 0x01;
    EXPECT_EQ(receive(damaged), DropReason::kBadIcrc) << "byte " << at;
    if (at < frame.size() - 4) continue;  // of the ICRC itself
    EXPECT_EQ(trusting.receive(damaged.data(), damaged.size(), 5000, info_), DropReason::kNone);
  }
  EXPECT_EQ(core_.peers().size(), 0u);
}

TEST_P(ReceiveControlTest, receive_control_beyond_the_path_mtu__expect_payload_too_long) {
  const auto longer = [this](auto& payload) {
    payload.resize(wire::kControlHeaderBytes + 15 * wire::kStatusEntryBytes);
    wire::ControlHeader header;
    header.kind = wire::ControlKind::kStatus;
    header.data_qpn = sender_.data_qpn;
    header.entries = 15;
    wire::store_control_header(header, payload.data());
  };
  EXPECT_EQ(receive(control([](auto&) {}, longer)), DropReason::kPayloadTooLong);
  FrameClassifierConfig config{identity_, 2};
  config.identity.path_mtu = 2048;  // with room for it, it is right
  FrameClassifier core(config);
  const auto frame = control([](auto&) {}, longer);
  EXPECT_EQ(core.receive(frame.data(), frame.size(), 5000, info_), DropReason::kNone);
}

TEST_P(ReceiveControlTest, receive_control_with_wrong_addresses__expect_each_reason) {
  EXPECT_EQ(receive(control([](auto& f) { f.qkey ^= 1; })), DropReason::kQkeyMismatch);
  EXPECT_EQ(receive(control([](auto& f) { f.pkey = 0x8001; })), DropReason::kPkeyMismatch);
  EXPECT_EQ(receive(control([](auto& f) { f.destination_qpn = 0x11; })), DropReason::kMulticastQpn);
}

// A neighbouring fabric's control group is this one's data group, or the other way round.
TEST_P(ReceiveControlTest, receive_control_on_the_data_group__expect_a_foreign_fabric) {
  const auto to_data = [this](auto& f) { f.destination_gid = identity_.multicast_gid; };
  EXPECT_EQ(receive(control(to_data)), DropReason::kForeignFabric);
  for (const size_t bytes : {size_t{47}, size_t{48}, size_t{56}, size_t{1024}, size_t{4096}}) {
    SCOPED_TRACE(bytes);  // too short for data, as long as data, longer than the path MTU
    const auto longer = [=](auto& payload) { payload.resize(bytes & ~size_t{3}); };
    EXPECT_EQ(receive(control(to_data, longer)), DropReason::kForeignFabric);
    const auto wide = [=](auto& payload) {
      payload.resize(bytes & ~size_t{3});
      payload[0] = wire::kWideVersion << 4;
    };
    EXPECT_EQ(receive(control(to_data, wide)), DropReason::kForeignFabric);
  }
  const auto unknown = [](auto& payload) { payload[1] = 0x70; };
  EXPECT_EQ(receive(control(to_data, unknown)), DropReason::kTransportTooShort);
  EXPECT_EQ(core_.peers().size(), 0u);
}

TEST_P(ReceiveControlTest, receive_data_on_the_control_group__expect_a_foreign_fabric) {
  const auto to_control = [this](auto& f) { f.destination_gid = identity_.control_gid; };
  EXPECT_EQ(receive(with_fields(to_control)), DropReason::kForeignFabric);
  // Eight bytes of a message, early in its sender's life, have all that a heartbeat has to have.
  const auto young = [](auto& header) { header.group = header.timestamp_ns = 1; };
  const auto frame = build(to_control, young, 8);
  wire::FrameView view;
  ASSERT_EQ(wire::parse_frame(frame.data(), frame.size(), view), DropReason::kNone);
  wire::ControlHeader heartbeat;
  ASSERT_EQ(wire::load_control(&frame[view.payload_offset], view.payload_bytes, heartbeat),
            DropReason::kNone);
  EXPECT_EQ(receive(frame), DropReason::kForeignFabric);
  EXPECT_EQ(core_.peers().size(), 0u);
}

TEST_P(ReceiveControlTest, receive_control_of_more_peers_than_places__expect_peer_table_full) {
  for (const uint8_t last : {7, 8, 9}) {
    const auto outcome = receive(control([=](auto& f) { f.source_gid.bytes[15] = last; }));
    EXPECT_EQ(outcome, last == 9 ? DropReason::kPeerTableFull : DropReason::kNone);
  }
}

INSTANTIATE_TEST_SUITE_P(families, ReceiveControlTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "ipv6" : "ipv4"; });

}  // namespace
}  // namespace lambdacast::node
