// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/opcode.h"

#include <gtest/gtest.h>

#include <string>

namespace lambdacast::wire {
namespace {

TEST(OpcodeInfo, DatagramsCarryDeth) {
  const OpcodeInfo& plain = opcode_info(kOpcodeUdSendOnly);
  EXPECT_TRUE(plain.is_ud());
  EXPECT_FALSE(plain.has(kImmediate));
  EXPECT_EQ(plain.header_bytes, 20);
  const OpcodeInfo& immediate = opcode_info(kOpcodeUdSendOnlyImmediate);
  EXPECT_TRUE(immediate.is_ud());
  EXPECT_TRUE(immediate.has(kImmediate));
  EXPECT_EQ(immediate.header_bytes, 24);
}

TEST(OpcodeInfo, OnlyTwoOpcodesAreDatagrams) {
  int datagrams = 0;
  for (int i = 0; i < 256; ++i) datagrams += opcode_info(static_cast<uint8_t>(i)).is_ud();
  EXPECT_EQ(datagrams, 2);
}

// IBTA vol. 1, 9.3: the sizes of the headers behind the BTH.
TEST(OpcodeInfo, HeaderBytesOfReliableConnection) {
  EXPECT_EQ(opcode_info(0x00).header_bytes, 12);  // SEND first
  EXPECT_EQ(opcode_info(0x05).header_bytes, 16);  // SEND only with immediate
  EXPECT_EQ(opcode_info(0x06).header_bytes, 28);  // RDMA WRITE first
  EXPECT_EQ(opcode_info(0x0b).header_bytes, 32);  // RDMA WRITE only with immediate
  EXPECT_EQ(opcode_info(0x11).header_bytes, 16);  // acknowledge
  EXPECT_EQ(opcode_info(0x12).header_bytes, 24);  // atomic acknowledge
  EXPECT_EQ(opcode_info(0x13).header_bytes, 40);  // compare and swap
  EXPECT_EQ(opcode_info(0x17).header_bytes, 16);  // SEND only with invalidate
  EXPECT_STREQ(opcode_info(0x11).name, "RC_ACK");
}

TEST(OpcodeInfo, UnreliableConnectionIsReliableConnectionsFirstTwelve) {
  for (uint8_t i = 0; i < 0x0c; ++i) {
    const OpcodeInfo& rc = opcode_info(i);
    const OpcodeInfo& uc = opcode_info(static_cast<uint8_t>(0x20 + i));
    EXPECT_EQ(rc.headers, uc.headers) << int{i};
    EXPECT_EQ(std::string(rc.name).substr(2), std::string(uc.name).substr(2));
  }
  EXPECT_FALSE(opcode_info(0x2c).known());
}

TEST(OpcodeInfo, OutsideTheTableIsUnknown) {
  for (const uint8_t opcode : {0x15, 0x18, 0x40, 0x63, 0x66, 0x80, 0xa0, 0xff}) {
    EXPECT_FALSE(opcode_info(opcode).known()) << int{opcode};
  }
  EXPECT_TRUE(opcode_info(0x81).known());
}

}  // namespace
}  // namespace lambdacast::wire
