// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/build.h"

#include <gtest/gtest.h>

#include "unit/wire/example_frame.h"

namespace lambdacast::wire {
namespace {

FrameView parsed(const std::vector<uint8_t>& frame) {
  FrameView view;
  EXPECT_EQ(parse_frame(frame.data(), frame.size(), view), counters::DropReason::kNone);
  return view;
}

TEST(RoceSourcePort, EqualsSoftRoceInTheCaptures) {
  EXPECT_EQ(roce_source_port(0x1a), 64407);
  EXPECT_EQ(roce_source_port(0x1b), 54281);
  EXPECT_EQ(roce_source_port(0x11), 57236);
  EXPECT_EQ(roce_source_port(0x20), 52804);
}

TEST(RoceSourcePort, StaysInTheDynamicRange) {
  for (uint32_t qpn = 0; qpn < 0x1000000; qpn += 977) EXPECT_GE(roce_source_port(qpn), 0xc000);
}

TEST(FieldsOf, GivesBackWhatWasBuilt) {
  for (const bool ipv6 : {false, true}) {
    FrameFields f = example_fields(ipv6);
    f.has_vlan = f.has_immediate = f.solicited = f.becn = true;
    f.vlan_tci = 0xa123;
    f.immediate = 0xdeadbeef;
    const auto frame = bytes_of(f, 5);
    const FrameView view = parsed(frame);
    EXPECT_EQ(bytes_of(fields_of(frame.data(), view), 5), frame);
    EXPECT_TRUE(view.solicited && view.becn && !view.fecn && !view.ack_request);
    EXPECT_EQ(view.vlan_tci, 0xa123);
    EXPECT_EQ(view.immediate, 0xdeadbeefu);
  }
}

TEST(BuildFrame, ParsesBackWithAllItsFields) {
  for (const bool ipv6 : {false, true}) {
    const FrameFields f = example_fields(ipv6);
    const auto frame = bytes_of(f, 64);
    const FrameView view = parsed(frame);
    EXPECT_TRUE(icrc_ok(frame.data(), view));
    EXPECT_EQ(view.is_ipv6, ipv6);
    EXPECT_EQ(view.payload_bytes, 64);
    EXPECT_EQ(view.source_gid, f.source_gid);
    EXPECT_EQ(view.destination_gid, f.destination_gid);
    EXPECT_EQ(view.traffic_class, f.traffic_class);
    EXPECT_EQ(view.hop_limit, f.hop_limit);
    EXPECT_EQ(view.flow_label, f.flow_label);
    EXPECT_EQ(view.udp_source_port, f.udp_source_port);
    EXPECT_EQ(view.pkey, f.pkey);
    EXPECT_EQ(view.destination_qpn, f.destination_qpn);
    EXPECT_EQ(view.source_qpn, f.source_qpn);
    EXPECT_EQ(view.qkey, f.qkey);
    EXPECT_EQ(view.psn, f.psn);
  }
}

TEST(BuildFrame, PadCompletesTheLastWordWithZeros) {
  for (size_t payload_bytes = 0; payload_bytes < 9; ++payload_bytes) {
    const auto frame = bytes_of(example_fields(), payload_bytes);
    const FrameView view = parsed(frame);
    EXPECT_EQ((view.payload_bytes + view.pad_bytes) % 4, 0);
    EXPECT_EQ(view.payload_bytes, payload_bytes);
    for (size_t i = 0; i < view.pad_bytes; ++i) {
      EXPECT_EQ(frame[view.payload_offset + payload_bytes + i], 0);
    }
  }
}

TEST(BuildFrame, LargestFrameIsTheMaximumNamed) {
  FrameFields f = example_fields(true);
  f.has_vlan = f.has_immediate = true;
  EXPECT_EQ(bytes_of(f, kMaxPayloadBytes).size(), kMaxFrameBytes - kMaxPadBytes);
}

TEST(BuildFrame, RefusesMixedFamilies) {
  FrameFields f = example_fields();
  f.source_gid = parse_gid("fd77::3").value();
  EXPECT_TRUE(bytes_of(f, 64).empty());
}

TEST(BuildFrame, RefusesPayloadAboveTheLargestPathMtu) {
  EXPECT_FALSE(bytes_of(example_fields(), kMaxPayloadBytes).empty());
  EXPECT_TRUE(bytes_of(example_fields(), kMaxPayloadBytes + 1).empty());
}

TEST(BuildFrame, RefusesFrameBeyondTheCapacity) {
  const auto frame = bytes_of(example_fields(), 64);
  const std::vector<uint8_t> payload(64);
  std::vector<uint8_t> out(frame.size());
  EXPECT_EQ(build_frame(example_fields(), payload, out.data(), out.size() - 1), 0u);
  EXPECT_EQ(build_frame(example_fields(), payload, out.data(), out.size()), out.size());
}

}  // namespace
}  // namespace lambdacast::wire
