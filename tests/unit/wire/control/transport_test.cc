// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/transport.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace lambdacast::wire {
namespace {

using counters::DropReason;

TransportHeader example() {
  TransportHeader h;
  h.qos = Qos::kSourceOrdered;
  h.flags = kFlagRepair;
  h.incarnation = 0x01020304;
  h.frame_seq = 0x1112131415161718;
  h.rel_seq = 0x2122232425262728;
  h.timestamp_ns = 0x3132333435363738;
  h.group = 0x41424344;
  h.view = 0x51525354;
  h.message_bytes = 10;
  return h;
}

// The second and last fragment of a message of 1010 bytes.
TransportHeader fragment() {
  TransportHeader h = example();
  h.kind = Kind::kFragment;
  h.fragment_offset = 1000;
  h.message_bytes = 1010;
  h.message_id = 0x61626364;
  h.fragment_bytes = 1000;
  return h;
}

// A payload of the header and `data_bytes` behind it.
std::vector<uint8_t> payload_with(size_t data_bytes, const TransportHeader& header = example()) {
  std::vector<uint8_t> payload(transport_header_bytes(header.kind) + data_bytes);
  store_transport(header, payload.data());
  return payload;
}

DropReason load(const std::vector<uint8_t>& payload) {
  TransportHeader h;
  size_t header_bytes = 0;
  return load_transport(payload.data(), payload.size(), h, header_bytes);
}

TEST(StoreTransport, EveryByteInItsPlace) {
  const std::array<uint8_t, kTransportHeaderBytes> expected{
      0x16, 0x01, 0x02, 0x01, 0x01, 0x02, 0x03, 0x04, 0x11, 0x12, 0x13, 0x14,
      0x15, 0x16, 0x17, 0x18, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
      0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x41, 0x42, 0x43, 0x44,
      0x51, 0x52, 0x53, 0x54, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a};
  std::array<uint8_t, kTransportHeaderBytes> out{};
  store_transport(example(), out.data());
  EXPECT_EQ(out, expected);
}

TEST(StoreTransport, FragmentsHaveAnExtension) {
  const auto payload = payload_with(0, fragment());
  EXPECT_EQ(payload[0], 0x17);
  EXPECT_EQ(payload[1], 0x03);
  const std::vector<uint8_t> tail(payload.begin() + 40, payload.end());
  EXPECT_EQ(tail, (std::vector<uint8_t>{0x00, 0x00, 0x03, 0xe8, 0x00, 0x00, 0x03, 0xf2,  //
                                        0x61, 0x62, 0x63, 0x64, 0x03, 0xe8, 0x00, 0x00}));
}

TEST(LoadTransport, ReadsBackWhatWasStored) {
  const auto payload = payload_with(10);
  TransportHeader h;
  size_t header_bytes = 0;
  ASSERT_EQ(load_transport(payload.data(), payload.size(), h, header_bytes), DropReason::kNone);
  EXPECT_EQ(h, example());
  EXPECT_EQ(header_bytes, kTransportHeaderBytes);
}

TEST(LoadTransport, EmptyMessageIsAMessage) {
  TransportHeader empty;
  std::vector<uint8_t> payload(kTransportHeaderBytes);
  store_transport(empty, payload.data());
  EXPECT_EQ(load(payload), DropReason::kNone);
}

TEST(LoadTransport, ShortPayload) {
  auto payload = payload_with(0);
  for (size_t bytes = 0; bytes < kTransportHeaderBytes; ++bytes) {
    payload.resize(bytes);
    payload.shrink_to_fit();
    ASSERT_EQ(load(payload), DropReason::kTransportTooShort) << bytes;
  }
}

TEST(LoadTransport, OtherVersion) {
  auto payload = payload_with(10);
  for (const uint8_t version : {0, 2, 15}) {
    payload[0] = static_cast<uint8_t>(version << 4 | 6);
    EXPECT_EQ(load(payload), DropReason::kTransportVersion) << int{version};
  }
}

TEST(LoadTransport, HeaderBelowItsBase) {
  auto payload = payload_with(10);
  for (const uint8_t units : {0, 5}) {
    payload[0] = static_cast<uint8_t>(0x10 | units);
    EXPECT_EQ(load(payload), DropReason::kTransportHeaderLength) << int{units};
  }
}

TEST(LoadTransport, ExtensionsAreSkipped) {
  auto payload = payload_with(8 + 10);
  payload[0] = 0x17;
  TransportHeader h;
  size_t header_bytes = 0;
  ASSERT_EQ(load_transport(payload.data(), payload.size(), h, header_bytes), DropReason::kNone);
  EXPECT_EQ(h, example());
  EXPECT_EQ(header_bytes, kTransportHeaderBytes + 8);
}

TEST(LoadTransport, ExtensionsBeyondThePayload) {
  auto payload = payload_with(7);
  payload[0] = 0x17;
  EXPECT_EQ(load(payload), DropReason::kTransportTooShort);
}

TEST(LoadTransport, UnknownKind) {
  auto payload = payload_with(10);
  for (const uint8_t kind : {0, 5, 0x10, 0x14, 0x21, 255}) {
    payload[1] = kind;
    EXPECT_EQ(load(payload), DropReason::kTransportKind) << int{kind};
  }
}

TEST(LoadTransport, RequestsAsTheirShapes) {
  auto payload = payload_with(10);
  payload[1] = 0x11;
  EXPECT_EQ(load(payload), DropReason::kNone);
  payload[1] = 0x13;
  EXPECT_EQ(load(payload), DropReason::kTransportHeaderLength) << "it has an extension";
  payload[1] = 0x12;
  EXPECT_EQ(load(payload), DropReason::kNone);
  payload[1] = 0x14;
  EXPECT_EQ(load(payload), DropReason::kTransportKind);
  for (const Kind kind : {Kind::kRequest, Kind::kRequestMessages, Kind::kRequestFragment}) {
    EXPECT_TRUE(is_request(kind));
    EXPECT_EQ(is_messages(kind), kind == Kind::kRequestMessages);
    EXPECT_EQ(is_fragment(kind), kind == Kind::kRequestFragment);
    EXPECT_EQ(transport_header_bytes(kind),
              is_fragment(kind) ? kFragmentHeaderBytes : kTransportHeaderBytes);
  }
  for (const Kind kind : {Kind::kData, Kind::kMessages, Kind::kFragment, Kind::kGroup})
    EXPECT_FALSE(is_request(kind));
}

TEST(LoadTransport, EveryQosLevelAndNoneBeyond) {
  auto payload = payload_with(10);
  for (uint8_t level = 0; level < kQosLevels; ++level) {
    payload[2] = level;
    EXPECT_EQ(load(payload), DropReason::kNone) << int{level};
  }
  payload[2] = kQosLevels;
  EXPECT_EQ(load(payload), DropReason::kTransportQos);
}

TEST(LoadTransport, UnknownFlagsAreIgnored) {
  auto payload = payload_with(10);
  payload[3] = 0xff;
  EXPECT_EQ(load(payload), DropReason::kNone);
}

TEST(LoadTransport, MessageMustBeThePayload) {
  EXPECT_EQ(load(payload_with(9)), DropReason::kTransportFragment);
  EXPECT_EQ(load(payload_with(11)), DropReason::kTransportFragment);
  TransportHeader h = example();
  h.fragment_offset = 1;
  EXPECT_EQ(load(payload_with(10, h)), DropReason::kTransportFragment);
}

TEST(LoadTransport, GroupMessageIsAWholeMessage) {
  TransportHeader h = example();
  h.kind = Kind::kGroup;
  const auto payload = payload_with(10, h);
  EXPECT_EQ(payload[1], 0x04);
  TransportHeader read;
  size_t header_bytes = 0;
  ASSERT_EQ(load_transport(payload.data(), payload.size(), read, header_bytes), DropReason::kNone);
  EXPECT_EQ(read, h);
  EXPECT_EQ(header_bytes, kTransportHeaderBytes);
  EXPECT_EQ(load(payload_with(9, h)), DropReason::kTransportFragment);
  EXPECT_EQ(load(payload_with(11, h)), DropReason::kTransportFragment);
  h.fragment_offset = 1;
  EXPECT_EQ(load(payload_with(10, h)), DropReason::kTransportFragment);
}

TEST(LoadTransport, SharedPacketMustBeThePayload) {
  TransportHeader h = example();
  h.kind = Kind::kMessages;
  h.fragment_offset = 2;
  EXPECT_EQ(load(payload_with(10, h)), DropReason::kNone);
  EXPECT_EQ(load(payload_with(9, h)), DropReason::kTransportMessages);
  EXPECT_EQ(load(payload_with(11, h)), DropReason::kTransportMessages);
}

TEST(LoadTransport, FragmentReadsBack) {
  const auto payload = payload_with(10, fragment());
  TransportHeader h;
  size_t header_bytes = 0;
  ASSERT_EQ(load_transport(payload.data(), payload.size(), h, header_bytes), DropReason::kNone);
  EXPECT_EQ(h, fragment());
  EXPECT_EQ(header_bytes, kFragmentHeaderBytes);
}

TEST(LoadTransport, FragmentMustBeInItsPlace) {
  EXPECT_EQ(load(payload_with(10, fragment())), DropReason::kNone);
  EXPECT_EQ(load(payload_with(9, fragment())), DropReason::kTransportFragment);
  EXPECT_EQ(load(payload_with(11, fragment())), DropReason::kTransportFragment);

  const auto changed = [](auto change, size_t bytes) {
    TransportHeader h = fragment();
    change(h);
    return load(payload_with(bytes, h));
  };
  using H = TransportHeader;
  EXPECT_EQ(changed([](H& h) { h.fragment_offset = 0; }, 1000), DropReason::kNone);
  EXPECT_EQ(changed([](H& h) { h.fragment_offset = 999; }, 11), DropReason::kTransportFragment);
  EXPECT_EQ(changed([](H& h) { h.fragment_offset = 2000; }, 10), DropReason::kTransportFragment);
  EXPECT_EQ(changed([](H& h) { h.fragment_bytes = 0; }, 10), DropReason::kTransportFragment);
  EXPECT_EQ(changed([](H& h) { h.fragment_bytes = 1010; }, 10), DropReason::kTransportFragment);
}

TEST(LoadTransport, WholeMessageIsNoFragment) {
  TransportHeader h = fragment();
  h.fragment_offset = 0;
  h.message_bytes = 1000;
  EXPECT_EQ(load(payload_with(1000, h)), DropReason::kTransportFragment);
}

TEST(LoadTransport, FragmentOfTheLongestMessageAndOneBeyond) {
  TransportHeader h = fragment();
  h.fragment_offset = kMaxMessageBytes - 1000 - kMaxMessageBytes % 1000;
  h.message_bytes = kMaxMessageBytes;
  EXPECT_EQ(load(payload_with(1000, h)), DropReason::kNone);
  ++h.message_bytes;
  EXPECT_EQ(load(payload_with(1000, h)), DropReason::kTransportFragment);
}

TEST(LoadTransport, FragmentEndDoesNotWrap) {
  TransportHeader h = fragment();
  h.fragment_offset = 0xffffffff - 0xffffffff % 1000;
  h.message_bytes = 0xffffffff;
  EXPECT_EQ(load(payload_with(295, h)), DropReason::kTransportFragment);
}

TEST(LoadTransport, FragmentWithoutItsExtension) {
  auto payload = payload_with(10, fragment());
  payload[0] = 0x16;
  EXPECT_EQ(load(payload), DropReason::kTransportHeaderLength);
}

}  // namespace
}  // namespace lambdacast::wire
