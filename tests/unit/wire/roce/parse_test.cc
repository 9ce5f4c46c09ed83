// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "unit/wire/example_frame.h"
#include "wire/roce/frame.h"
#include "wire/roce/ip.h"

namespace lambdacast::wire {
namespace {

using counters::DropReason;

constexpr size_t kL3 = 14;
constexpr size_t kUdpV4 = kL3 + 20;
constexpr size_t kBthV4 = kUdpV4 + 8;
constexpr size_t kUdpV6 = kL3 + 40;

// Of an exact-size copy, so that a sanitizer sees a read beyond the end.
DropReason parse(const std::vector<uint8_t>& frame, FrameView* view = nullptr) {
  const std::vector<uint8_t> exact(frame.begin(), frame.end());
  FrameView unused;
  return parse_frame(exact.data(), exact.size(), view != nullptr ? *view : unused);
}

void mend_ipv4_checksum(std::vector<uint8_t>& frame) {
  uint8_t* ip = &frame[kL3];
  base::store_be16(ip + 10, 0);
  const size_t header_bytes = (ip[0] & 0x0fu) * 4;
  base::store_be16(ip + 10, static_cast<uint16_t>(~fold_sum(internet_sum(ip, header_bytes))));
}

// The example frame with one byte of it set, its IPv4 checksum made right again.
DropReason with_byte(size_t offset, uint8_t value, bool ipv6 = false) {
  auto frame = bytes_of(example_fields(ipv6), 64);
  frame[offset] = value;
  if (!ipv6) mend_ipv4_checksum(frame);
  return parse(frame);
}

TEST(Parse, UnchangedExampleIsAccepted) {
  EXPECT_EQ(parse(bytes_of(example_fields(), 64)), DropReason::kNone);
  EXPECT_EQ(parse(bytes_of(example_fields(true), 64)), DropReason::kNone);
}

TEST(Parse, Offsets) {
  FrameView view;
  ASSERT_EQ(parse(bytes_of(example_fields(), 65), &view), DropReason::kNone);
  EXPECT_EQ(view.l3_offset, 14);
  EXPECT_EQ(view.bth_offset, 42);
  EXPECT_EQ(view.payload_offset, 62);
  EXPECT_EQ(view.payload_bytes, 65);
  EXPECT_EQ(view.pad_bytes, 3);
  EXPECT_EQ(view.icrc_offset, 62 + 68);
  EXPECT_EQ(view.frame_bytes(), 62u + 68 + 4);
}

TEST(Parse, EveryTruncationIsRefused) {
  for (const bool ipv6 : {false, true}) {
    auto frame = bytes_of(example_fields(ipv6), 5);
    while (!frame.empty()) {
      frame.pop_back();
      const DropReason reason = parse(frame);
      ASSERT_TRUE(reason == DropReason::kTooShort || reason == DropReason::kTruncated)
          << frame.size() << ' ' << counters::name(reason);
    }
  }
}

TEST(Parse, EthernetPaddingIsNotPayload) {
  auto frame = bytes_of(example_fields(), 0);
  const size_t bytes = frame.size();
  frame.resize(200, 0xcc);
  FrameView view;
  ASSERT_EQ(parse(frame, &view), DropReason::kNone);
  EXPECT_EQ(view.payload_bytes, 0);
  EXPECT_EQ(view.frame_bytes(), bytes);
}

TEST(Parse, TooLong) {
  auto frame = bytes_of(example_fields(), 64);
  frame.resize(0xffff);
  EXPECT_EQ(parse(frame), DropReason::kNone);
  frame.resize(0x10000);
  EXPECT_EQ(parse(frame), DropReason::kTooLong);
}

std::vector<uint8_t> with_outer_tag(std::vector<uint8_t> frame, uint16_t type, uint16_t tci) {
  std::vector<uint8_t> tag(4);
  base::store_be16(&tag[0], type);
  base::store_be16(&tag[2], tci);
  frame.insert(frame.begin() + 12, tag.begin(), tag.end());
  return frame;
}

TEST(Parse, OneVlanTag) {
  FrameView view;
  const auto plain = bytes_of(example_fields(), 64);
  ASSERT_EQ(parse(plain, &view), DropReason::kNone);
  EXPECT_FALSE(view.has_vlan);
  const auto tagged = with_outer_tag(plain, 0x8100, 0xe064);
  ASSERT_EQ(parse(tagged, &view), DropReason::kNone);
  EXPECT_TRUE(view.has_vlan);
  EXPECT_EQ(view.vlan_tci, 0xe064);
  EXPECT_TRUE(icrc_ok(tagged.data(), view)) << "a tag is outside the ICRC";
}

TEST(Parse, OfTwoVlanTagsTheInnerCounts) {
  FrameView view;
  auto frame = with_outer_tag(bytes_of(example_fields(), 64), 0x8100, 100);
  frame = with_outer_tag(frame, 0x88a8, 200);
  ASSERT_EQ(parse(frame, &view), DropReason::kNone);
  EXPECT_EQ(view.vlan_tci, 100);
  EXPECT_EQ(view.l3_offset, 22);
  EXPECT_EQ(parse(with_outer_tag(frame, 0x88a8, 300)), DropReason::kNotIp);
}

TEST(Parse, NotIp) {
  EXPECT_EQ(with_byte(13, 0x06), DropReason::kNotIp);  // ARP
}

TEST(Parse, Ipv4Header) {
  EXPECT_EQ(with_byte(kL3, 0x65), DropReason::kIpv4Header);
  EXPECT_EQ(with_byte(kL3, 0x44), DropReason::kIpv4Header);
  auto frame = bytes_of(example_fields(), 64);
  base::store_be16(&frame[kL3 + 2], 19);  // total length below the header's own
  EXPECT_EQ(parse(frame), DropReason::kIpv4Header);
}

TEST(Parse, Ipv4LengthBeyondTheFrame) {
  auto frame = bytes_of(example_fields(), 64);
  base::store_be16(&frame[kL3 + 2], static_cast<uint16_t>(frame.size() - kL3 + 1));
  EXPECT_EQ(parse(frame), DropReason::kTruncated);
  base::store_be16(&frame[kL3 + 2], 0xffff);
  EXPECT_EQ(parse(frame), DropReason::kTruncated);
}

TEST(Parse, Ipv4ChecksumOverEveryBitOfTheHeader) {
  for (size_t byte = 4; byte < 20; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      auto frame = bytes_of(example_fields(), 64);
      frame[kL3 + byte] ^= static_cast<uint8_t>(1 << bit);
      ASSERT_EQ(parse(frame), DropReason::kIpv4Checksum) << byte << '.' << bit;
    }
  }
}

TEST(Parse, NotUdp) {
  EXPECT_EQ(with_byte(kL3 + 9, 6), DropReason::kNotUdp);
  EXPECT_EQ(with_byte(kL3 + 6, 58, true), DropReason::kNotUdp);
}

TEST(Parse, Ipv4Options) {
  auto frame = bytes_of(example_fields(), 64);
  const std::vector<uint8_t> router_alert{0x94, 0x04, 0x00, 0x00};
  frame.insert(frame.begin() + kUdpV4, router_alert.begin(), router_alert.end());
  frame[kL3] = 0x46;
  base::store_be16(&frame[kL3 + 2], static_cast<uint16_t>(frame.size() - kL3));
  mend_ipv4_checksum(frame);
  EXPECT_EQ(parse(frame), DropReason::kIpv4Options);
  frame[kL3 + 9] = 2;  // IGMP, which does carry that option, is no anomaly
  mend_ipv4_checksum(frame);
  EXPECT_EQ(parse(frame), DropReason::kNotUdp);
}

TEST(Parse, Ipv4Fragment) {
  EXPECT_EQ(with_byte(kL3 + 6, 0x20), DropReason::kIpv4Fragment);
  EXPECT_EQ(with_byte(kL3 + 7, 0x01), DropReason::kIpv4Fragment);
  EXPECT_EQ(with_byte(kL3 + 6, 0x00), DropReason::kNone) << "without don't-fragment";
}

TEST(Parse, Ipv6Header) { EXPECT_EQ(with_byte(kL3, 0x4b, true), DropReason::kIpv6Header); }

TEST(Parse, Ipv6Extension) {
  for (const uint8_t header : {0, 43, 44, 50, 51, 60, 135, 139, 140}) {
    EXPECT_EQ(with_byte(kL3 + 6, header, true), DropReason::kIpv6Extension) << int{header};
  }
}

TEST(Parse, Ipv6LengthBeyondTheFrame) {
  EXPECT_EQ(with_byte(kL3 + 4, 0xff, true), DropReason::kTruncated);
}

TEST(Parse, Ipv6PosingAsIpv4) {
  for (const size_t address : {kL3 + 8, kL3 + 24}) {
    auto frame = bytes_of(example_fields(true), 64);
    const Gid mapped = parse_gid("10.77.0.3").value();
    std::copy(mapped.bytes.begin(), mapped.bytes.end(),
              frame.begin() + static_cast<ptrdiff_t>(address));
    EXPECT_EQ(parse(frame), DropReason::kIpv6MappedAddress);
  }
}

TEST(Parse, MulticastSource) {
  EXPECT_EQ(with_byte(kL3 + 12, 239), DropReason::kSourceAddress);
  EXPECT_EQ(with_byte(kL3 + 8, 0xff, true), DropReason::kSourceAddress);
}

TEST(Parse, OtherPort) {
  EXPECT_EQ(with_byte(kUdpV4 + 3, 0xb8), DropReason::kNotRocePort);
  EXPECT_EQ(with_byte(kUdpV6 + 3, 0xb8, true), DropReason::kNotRocePort);
}

TEST(Parse, UdpLengthMustBeIpsPayload) {
  const auto frame = bytes_of(example_fields(), 64);
  const uint8_t low = frame[kUdpV4 + 5];
  EXPECT_EQ(with_byte(kUdpV4 + 5, low), DropReason::kNone);
  EXPECT_EQ(with_byte(kUdpV4 + 5, static_cast<uint8_t>(low - 4)), DropReason::kUdpLength);
  EXPECT_EQ(with_byte(kUdpV4 + 5, static_cast<uint8_t>(low + 4)), DropReason::kUdpLength);
}

TEST(Parse, UdpChecksumIsIgnored) { EXPECT_EQ(with_byte(kUdpV4 + 6, 0x12), DropReason::kNone); }

TEST(Parse, BthVersion) { EXPECT_EQ(with_byte(kBthV4 + 1, 0x01), DropReason::kBthVersion); }

TEST(Parse, UnknownOpcode) { EXPECT_EQ(with_byte(kBthV4, 0x66), DropReason::kOpcodeUnknown); }

TEST(Parse, ConnectionOpcodesAreTakenApartToo) {
  auto frame = bytes_of(example_fields(), 64);
  frame[kBthV4] = 0x11;  // RC acknowledge: AETH
  FrameView view;
  ASSERT_EQ(parse(frame, &view), DropReason::kNone);
  EXPECT_FALSE(view.is_ud);
  EXPECT_EQ(view.payload_offset, kBthV4 + 16);
  EXPECT_EQ(view.qkey, 0u);
  EXPECT_EQ(view.source_qpn, 0u);
}

TEST(Parse, OpcodeWhoseHeadersDoNotFit) {
  auto frame = bytes_of(example_fields(), 16);  // 20 + 16 bytes of BTH, DETH and payload
  frame[kBthV4] = 0x13;                         // compare and swap: 40
  EXPECT_EQ(parse(frame), DropReason::kTooShort);
  frame[kBthV4] = 0x12;  // atomic acknowledge: 24
  EXPECT_EQ(parse(frame), DropReason::kNone);
}

TEST(Parse, PadBeyondThePayload) {
  auto frame = bytes_of(example_fields(), 0);
  frame[kBthV4 + 1] |= 0x10;
  EXPECT_EQ(parse(frame), DropReason::kBadPad);
  EXPECT_EQ(with_byte(kBthV4 + 1, 0x30), DropReason::kNone) << "61 bytes and 3 of pad";
}

TEST(Parse, PayloadAndPadAreWholeWords) {
  auto frame = bytes_of(example_fields(), 64);
  frame.resize(frame.size() - 1);
  base::store_be16(&frame[kL3 + 2], static_cast<uint16_t>(frame.size() - kL3));
  base::store_be16(&frame[kUdpV4 + 4], static_cast<uint16_t>(frame.size() - kUdpV4));
  mend_ipv4_checksum(frame);
  EXPECT_EQ(parse(frame), DropReason::kBadPad);
}

TEST(IcrcOk, AnyFlippedBitOfThePayloadIsFound) {
  auto frame = bytes_of(example_fields(), 64);
  FrameView view;
  ASSERT_EQ(parse_frame(frame.data(), frame.size(), view), DropReason::kNone);
  EXPECT_TRUE(icrc_ok(frame.data(), view));
  for (size_t i = view.payload_offset; i < view.frame_bytes(); ++i) {
    frame[i] ^= 0x10;
    EXPECT_FALSE(icrc_ok(frame.data(), view)) << i;
    frame[i] ^= 0x10;
  }
}

}  // namespace
}  // namespace lambdacast::wire
