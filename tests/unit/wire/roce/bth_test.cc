// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/bth.h"

#include <gtest/gtest.h>

#include <array>

namespace lambdacast::wire {
namespace {

TEST(StoreBth, EveryBitInItsPlace) {
  Bth h;
  h.opcode = 0x64;
  h.solicited = true;
  h.pad_bytes = 3;
  h.pkey = 0x8001;
  h.becn = true;
  h.destination_qpn = 0x123456;
  h.ack_request = true;
  h.psn = 0xfedcba;
  std::array<uint8_t, kBthBytes> out;
  out.fill(0xee);
  store_bth(h, out.data());
  EXPECT_EQ(out, (std::array<uint8_t, kBthBytes>{0x64, 0xb0, 0x80, 0x01, 0x40, 0x12, 0x34, 0x56,
                                                 0x80, 0xfe, 0xdc, 0xba}));
}

TEST(LoadBth, OneBitAtATime) {
  const std::array<uint8_t, kBthBytes> zero{};
  const auto with = [&zero](size_t byte, uint8_t bits) {
    auto bytes = zero;
    bytes[byte] = bits;
    return load_bth(bytes.data());
  };
  EXPECT_FALSE(load_bth(zero.data()).solicited);
  EXPECT_TRUE(with(1, 0x80).solicited);
  EXPECT_TRUE(with(1, 0x40).migration_request);
  EXPECT_EQ(with(1, 0x20).pad_bytes, 2);
  EXPECT_EQ(with(1, 0x08).version, 8);
  EXPECT_TRUE(with(4, 0x80).fecn);
  EXPECT_TRUE(with(4, 0x40).becn);
  EXPECT_TRUE(with(8, 0x80).ack_request);
  EXPECT_EQ(with(8, 0x7f).psn, 0u) << "reserved bits are no part of the PSN";
}

TEST(Deth, ReservedByteIsNoPartOfTheQueuePair) {
  std::array<uint8_t, kDethBytes> bytes;
  store_deth({0x11223344, 0xffabcdef}, bytes.data());
  EXPECT_EQ(bytes, (std::array<uint8_t, kDethBytes>{0x11, 0x22, 0x33, 0x44, 0, 0xab, 0xcd, 0xef}));
  bytes[4] = 0xff;
  EXPECT_EQ(load_deth(bytes.data()).source_qpn, 0xabcdefu);
}

}  // namespace
}  // namespace lambdacast::wire
