// SPDX-License-Identifier: BSD-3-Clause
#include "datagram/datagram_core.h"

#include <gtest/gtest.h>

#include <functional>

#include "unit/node/test_identity.h"
#include "wire/roce/build.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;
using Fields = wire::FrameFields;

constexpr uint32_t kQpn = 0x4242;
constexpr uint32_t kQkey = 0x11111111;
const wire::Gid kOwnIpv4 = *wire::parse_gid("10.77.0.1");
const wire::Gid kOwnIpv6 = *wire::parse_gid("fd77::1");
const wire::Gid kGroup = *wire::parse_gid("239.255.1.1");

class DatagramCoreTest : public ::testing::Test {
 protected:
  // What becomes of a message of `bytes` to this queue pair, from a stranger, changed that way.
  DropReason receive(const std::function<void(Fields&)>& change, size_t bytes = 5) {
    Fields fields;
    fields.source_gid = *wire::parse_gid("10.77.0.2");
    fields.destination_gid = kOwnIpv4;
    fields.destination_qpn = kQpn;
    fields.source_qpn = 0x11;
    fields.qkey = kQkey;
    change(fields);
    frame_.resize(wire::kMaxFrameBytes);
    frame_.resize(wire::build_frame(fields, counting_bytes(bytes), frame_.data(), frame_.size()));
    return core_.receive(frame_.data(), frame_.size(), view_);
  }
  static void multicast(Fields& fields) {
    fields.destination_gid = kGroup;
    fields.destination_qpn = wire::kMulticastQpn;
  }

  DatagramCore core_{{kQpn, kQkey, wire::kDefaultPkey, {}, 1024, {kOwnIpv4, kOwnIpv6}}};
  std::vector<uint8_t> frame_;
  wire::FrameView view_;
};

TEST_F(DatagramCoreTest, receive_a_message__expect_its_bytes_sender_and_immediate) {
  ASSERT_EQ(receive([](Fields& f) {
              f.has_immediate = true;
              f.immediate = 0xdeadbeef;
              f.psn = 0xffffff;
            }),
            DropReason::kNone);
  const auto content = counting_bytes(5);
  ASSERT_EQ(view_.payload_bytes, content.size());
  EXPECT_TRUE(std::equal(content.begin(), content.end(), frame_.begin() + view_.payload_offset));
  EXPECT_EQ(wire::format(view_.source_gid), "10.77.0.2");
  EXPECT_EQ(view_.source_qpn, 0x11u);
  EXPECT_EQ(view_.immediate, 0xdeadbeefu);
}

TEST_F(DatagramCoreTest, receive_the_same_frame_twice__expect_both) {
  EXPECT_EQ(receive([](Fields& f) { f.psn = 7; }), DropReason::kNone);
  EXPECT_EQ(core_.receive(frame_.data(), frame_.size(), view_), DropReason::kNone);
}

TEST_F(DatagramCoreTest, receive_at_either_own_gid__expect_accepted_and_at_others_dropped) {
  EXPECT_EQ(receive([](Fields& f) {
              f.source_gid = *wire::parse_gid("fd77::2");
              f.destination_gid = kOwnIpv6;
            }),
            DropReason::kNone);
  EXPECT_EQ(receive([](Fields& f) { f.destination_gid = wire::gid_from_ipv4(0x0a4d0003); }),
            DropReason::kWrongDestinationGid);
}

TEST_F(DatagramCoreTest, receive_multicast__expect_accepted_only_while_attached) {
  EXPECT_EQ(receive(multicast), DropReason::kWrongDestinationGid);
  core_.attach(kGroup);
  core_.attach(kGroup);
  EXPECT_EQ(receive(multicast), DropReason::kNone);
  EXPECT_TRUE(core_.detach(kGroup));
  EXPECT_FALSE(core_.detach(kGroup));
  EXPECT_EQ(receive(multicast), DropReason::kWrongDestinationGid);
}

TEST_F(DatagramCoreTest, receive_with_the_other_kind_of_qpn__expect_multicast_qpn) {
  core_.attach(kGroup);
  EXPECT_EQ(receive([](Fields& f) { f.destination_gid = kGroup; }), DropReason::kMulticastQpn);
  EXPECT_EQ(receive([](Fields& f) { f.destination_qpn = wire::kMulticastQpn; }),
            DropReason::kMulticastQpn);
}

TEST_F(DatagramCoreTest, receive_for_another_queue_pair_or_partition__expect_its_reason) {
  EXPECT_EQ(receive([](Fields& f) { f.destination_qpn = kQpn + 1; }), DropReason::kUnknownQpn);
  EXPECT_EQ(receive([](Fields& f) { f.qkey ^= 1; }), DropReason::kQkeyMismatch);
  EXPECT_EQ(receive([](Fields& f) { f.pkey = 0x9234; }), DropReason::kPkeyMismatch);
  EXPECT_EQ(receive([](Fields& f) { f.pkey = 0x7fff; }), DropReason::kNone);
  EXPECT_EQ(receive([](Fields& f) {
              f.has_vlan = true;
              f.vlan_tci = 9;
            }),
            DropReason::kWrongVlan);
}

TEST_F(DatagramCoreTest, receive_more_than_the_path_mtu__expect_payload_too_long) {
  EXPECT_EQ(receive([](Fields&) {}, 1024), DropReason::kNone);
  EXPECT_EQ(receive([](Fields&) {}, 1025), DropReason::kPayloadTooLong);
}

TEST_F(DatagramCoreTest, receive_a_frame_with_any_bit_of_the_icrc_wrong__expect_bad_icrc) {
  ASSERT_EQ(receive([](Fields&) {}), DropReason::kNone);
  for (size_t bit = 0; bit < 32; ++bit) {
    std::vector<uint8_t> frame = frame_;
    frame[frame.size() - 4 + bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    EXPECT_EQ(core_.receive(frame.data(), frame.size(), view_), DropReason::kBadIcrc) << bit;
  }
}

}  // namespace
}  // namespace lambdacast::node
