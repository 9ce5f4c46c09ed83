// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/frame_shape.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/random.h"
#include "unit/wire/example_frame.h"
#include "wire/roce/frame.h"

namespace lambdacast::wire {
namespace {

using counters::DropReason;

FrameShape shape_for(const FrameFields& f) {
  return FrameShape({f.destination_gid, f.destination_qpn, f.pkey, f.qkey});
}

bool matches(const FrameShape& shape, const std::vector<uint8_t>& frame) {
  ShapedFrame found;
  return shape.matches(frame.data(), frame.size(), found);
}

class FrameShapeTest : public ::testing::TestWithParam<bool> {
 protected:
  FrameFields fields_ = example_fields(GetParam());
  FrameShape shape_ = shape_for(fields_);
};

TEST_P(FrameShapeTest, FramesOfTheShapeMatchWithWhatParseFrameSays) {
  for (size_t payload_bytes = 2; payload_bytes <= 4096; ++payload_bytes) {
    fields_.psn = static_cast<uint32_t>(payload_bytes * 4001);
    const auto frame = bytes_of(fields_, payload_bytes);
    FrameView view;
    ShapedFrame found;
    ASSERT_EQ(parse_frame(frame.data(), frame.size(), view), DropReason::kNone);
    ASSERT_TRUE(shape_.matches(frame.data(), frame.size(), found)) << payload_bytes;
    EXPECT_EQ(found.source_gid, view.source_gid);
    EXPECT_EQ(found.source_qpn, view.source_qpn);
    EXPECT_EQ(found.psn, view.psn);
    EXPECT_EQ(found.payload_offset, view.payload_offset);
    EXPECT_EQ(found.payload_bytes, payload_bytes);
    EXPECT_EQ(found.icrc_offset, view.icrc_offset);
  }
}

TEST_P(FrameShapeTest, OnlyTheDestinationsFieldsDecide) {
  FrameFields f = fields_;
  f.source_mac.bytes[5] ^= 1;
  f.source_gid.bytes[15] ^= 1;
  f.traffic_class ^= 0xff;
  f.hop_limit ^= 0xff;
  f.dont_fragment = !f.dont_fragment && !GetParam();
  f.udp_source_port ^= 0xffff;
  f.source_qpn ^= 0xffffff;
  f.psn ^= 0xffffff;
  f.solicited = f.migration_request = f.ack_request = f.fecn = f.becn = true;
  EXPECT_TRUE(matches(shape_, bytes_of(f, 64)));
}

TEST_P(FrameShapeTest, AnotherDestinationOrKeyDoesNotMatch) {
  const std::function<void(FrameFields&)> changes[] = {
      [](auto& f) { f.destination_gid.bytes[15] ^= 1; },
      [](auto& f) { f.destination_qpn ^= 1; },
      [](auto& f) { f.pkey ^= 1; },
      [](auto& f) { f.pkey ^= 0x8000; },  // a limited member: the long way
      [](auto& f) { f.qkey ^= 1; },
      [](auto& f) { f.has_vlan = true; },
      [](auto& f) { f.has_immediate = true; },
  };
  for (size_t i = 0; i < std::size(changes); ++i) {
    FrameFields f = fields_;
    changes[i](f);
    EXPECT_FALSE(matches(shape_, bytes_of(f, 64))) << i;
  }
}

// A receiver that is a limited member hears full members only.
TEST_P(FrameShapeTest, ALimitedMemberExpectsTheFullMembersKey) {
  FrameFields limited = fields_;
  limited.pkey = fields_.pkey & 0x7fff;
  EXPECT_TRUE(matches(shape_for(limited), bytes_of(fields_, 64)));
  EXPECT_FALSE(matches(shape_for(limited), bytes_of(limited, 64)));
}

TEST_P(FrameShapeTest, APartitionKeyOfNoPartitionMatchesNothing) {
  FrameFields none = fields_;
  none.pkey = 0x8000;
  EXPECT_FALSE(matches(shape_for(none), bytes_of(none, 64)));
}

// Each bit of the headers, and the frame cut short anywhere in a buffer of just that size: a match
// is never anything but what parse_frame accepts as the same frame.
TEST_P(FrameShapeTest, WhatParseFrameRefusesNeverMatches) {
  const auto good = bytes_of(fields_, 66);
  size_t matched = 0;
  const auto check = [&](const std::vector<uint8_t>& frame) {
    FrameView view;
    ShapedFrame found;
    if (!shape_.matches(frame.data(), frame.size(), found)) return;
    ++matched;
    ASSERT_EQ(parse_frame(frame.data(), frame.size(), view), DropReason::kNone);
    EXPECT_EQ(view.destination_gid, fields_.destination_gid);
    EXPECT_EQ(view.payload_bytes, found.payload_bytes);
    EXPECT_EQ(view.icrc_offset, found.icrc_offset);
  };
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto frame = good;
    frame[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    check(frame);
  }
  EXPECT_GT(matched, 66u * 8);  // the payload's at least
  for (size_t bytes = 0; bytes < good.size(); ++bytes) {
    std::vector<uint8_t> frame(good.begin(), good.begin() + static_cast<long>(bytes));
    frame.shrink_to_fit();
    EXPECT_FALSE(matches(shape_, frame)) << bytes;
  }
  auto padded = good;
  padded.resize(good.size() + 20);  // by Ethernet
  EXPECT_TRUE(matches(shape_, padded));
}

INSTANTIATE_TEST_SUITE_P(Families, FrameShapeTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "ipv6" : "ipv4"; });

}  // namespace
}  // namespace lambdacast::wire
