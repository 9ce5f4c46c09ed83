// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/wire/example_frame.h"
#include "wire/roce/build.h"

namespace lambdacast::wire {
namespace {

constexpr uint8_t kUntouched = 0xa5;

// A buffer of exactly the size that finish may use, so that a sanitizer sees one byte too many.
std::vector<uint8_t> finished(const FrameFields& f, size_t payload_bytes,
                              IcrcMode icrc = IcrcMode::kFull) {
  const FrameTemplate flow(f, icrc);
  std::vector<uint8_t> frame(flow.header_bytes() + payload_bytes + kMaxPadBytes + kIcrcBytes,
                             kUntouched);
  for (size_t i = 0; i < payload_bytes; ++i) {
    frame[flow.header_bytes() + i] = static_cast<uint8_t>(payload_bytes + 7 * i);
  }
  frame.resize(flow.finish(frame.data(), payload_bytes, f.psn, f.ip_id));
  return frame;
}

std::vector<FrameFields> shapes() {
  std::vector<FrameFields> all;
  for (int i = 0; i < 8; ++i) {
    FrameFields f = example_fields((i & 1) != 0);
    f.has_vlan = (i & 2) != 0;
    f.vlan_tci = f.has_vlan ? 0x6042 : 0;
    f.has_immediate = (i & 4) != 0;
    f.immediate = 0x01020304;
    f.solicited = f.ack_request = f.fecn = i % 3 == 0;
    all.push_back(f);
  }
  return all;
}

TEST(Finish, SameBytesAsBuildFrame) {
  for (const FrameFields& f : shapes()) {
    for (const size_t payload_bytes : {0, 1, 2, 3, 4, 5, 48, 63, 64, 65, 1000, 4095, 4096}) {
      ASSERT_EQ(finished(f, payload_bytes), bytes_of(f, payload_bytes)) << payload_bytes;
    }
  }
}

TEST(Finish, EveryIpv4IdHasTheRightChecksum) {
  FrameFields f = example_fields();
  for (uint32_t id = 0; id <= 0xffff; id += 251) {
    f.ip_id = static_cast<uint16_t>(id);
    FrameView view;
    const auto frame = finished(f, 64);
    ASSERT_EQ(parse_frame(frame.data(), frame.size(), view), counters::DropReason::kNone) << id;
    ASSERT_EQ(view.ip_id, id);
  }
}

TEST(Finish, PsnIsTakenModuloItsRange) {
  const FrameTemplate flow(example_fields());
  std::vector<uint8_t> frame(kMaxFrameBytes);
  FrameView view;
  const size_t bytes = flow.finish(frame.data(), 64, 0xff000001, 0);
  ASSERT_EQ(parse_frame(frame.data(), bytes, view), counters::DropReason::kNone);
  EXPECT_EQ(view.psn, 1u);
  EXPECT_FALSE(view.ack_request);
}

TEST(Finish, TheSamePayloadMayBeFinishedAgain) {
  const FrameTemplate flow(example_fields());
  std::vector<uint8_t> once(kMaxFrameBytes), twice(kMaxFrameBytes);
  flow.finish(twice.data(), 65, 1, 1);
  EXPECT_EQ(flow.finish(once.data(), 65, 2, 2), flow.finish(twice.data(), 65, 2, 2));
  EXPECT_EQ(once, twice);
}

TEST(Finish, WithoutIcrcItIsZeroAndAllElseTheSame) {
  for (const FrameFields& f : shapes()) {
    for (const size_t payload_bytes : {0, 1, 48, 64, 4096}) {
      auto expected = finished(f, payload_bytes);
      std::fill(expected.end() - kIcrcBytes, expected.end(), uint8_t{0});
      EXPECT_EQ(finished(f, payload_bytes, IcrcMode::kOff), expected) << payload_bytes;
      EXPECT_NE(finished(f, payload_bytes, IcrcMode::kGenerate), expected) << payload_bytes;
    }
  }
}

TEST(LayAndSeal, AreFinishInTwoHalves) {
  for (const FrameFields& f : shapes()) {
    const FrameTemplate flow(f);
    std::vector<uint8_t> halves(kMaxFrameBytes), whole(kMaxFrameBytes);
    const size_t bytes = flow.lay(halves.data(), 65, 7, 9);
    EXPECT_EQ(bytes, flow.finish(whole.data(), 65, 7, 9));
    EXPECT_NE(halves, whole);
    flow.seal(halves.data(), bytes);
    EXPECT_EQ(halves, whole);
  }
}

TEST(HeaderBytes, CountsWhatStandsBeforeThePayload) {
  const size_t plain = FrameTemplate(example_fields()).header_bytes();
  EXPECT_EQ(plain, 14u + 20 + 8 + 12 + 8);
  EXPECT_EQ(FrameTemplate(example_fields(true)).header_bytes(), plain + 20);
  FrameFields f = example_fields();
  f.has_vlan = f.has_immediate = true;
  EXPECT_EQ(FrameTemplate(f).header_bytes(), plain + 8);
}

TEST(HeaderBytes, ZeroForMixedFamilies) {
  FrameFields f = example_fields();
  f.destination_gid = parse_gid("ff0e::1").value();
  EXPECT_EQ(FrameTemplate(f).header_bytes(), 0u);
}

}  // namespace
}  // namespace lambdacast::wire
