// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/pass.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::wire {
namespace {

TEST(Pass, stored__expect_these_bytes_and_the_same_again) {
  std::vector<uint8_t> bytes(pass_bytes(2));
  store_pass({0x0102030405060708, 9}, bytes.data());
  store_pass_item({79, 0x1112131415161718}, bytes.data(), 0);
  store_pass_item({0, 1}, bytes.data(), 1);
  const std::vector<uint8_t> expected = {
      1, 2,  3, 4, 5,    6,    7,    8,    0,    0,    0,    0,    0, 0, 0, 9,  //
      0, 79, 0, 0, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,              //
      0, 0,  0, 0, 0,    0,    0,    0,    0,    0,    0,    1};
  EXPECT_EQ(bytes, expected);
  ASSERT_TRUE(valid_pass(bytes));
  EXPECT_EQ(load_pass(bytes), (Pass{0x0102030405060708, 9}));
  ASSERT_EQ(count_pass_items(bytes), 2u);
  EXPECT_EQ(load_pass_item(bytes, 0).rank, 79);
  EXPECT_EQ(load_pass_item(bytes, 0).through, 0x1112131415161718u);
  EXPECT_EQ(load_pass_item(bytes, 1).through, 1u);
}

TEST(Pass, lengths__expect_a_header_and_whole_items_alone) {
  for (size_t bytes = 0; bytes <= 60; ++bytes) {
    const bool whole = bytes >= kPassHeaderBytes && (bytes - kPassHeaderBytes) % kMarkBytes == 0;
    EXPECT_EQ(valid_pass(std::vector<uint8_t>(bytes)), whole) << bytes;
  }
}

TEST(Pass, groups__expect_those_of_marks_and_passes_to_order) {
  EXPECT_TRUE(is_order_group(kPassGroup));
  EXPECT_TRUE(is_order_group(kMarksGroup));
  EXPECT_FALSE(is_order_group(kRateGroup));
  EXPECT_FALSE(is_order_group(kDirectoryGroup));
}

}  // namespace
}  // namespace lambdacast::wire
