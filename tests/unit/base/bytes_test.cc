// SPDX-License-Identifier: BSD-3-Clause
#include "base/bytes.h"

#include <gtest/gtest.h>

namespace lambdacast::base {
namespace {

const uint8_t kBytes[] = {0xff, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

TEST(LoadBe, unaligned_bytes_expect_most_significant_first) {
  EXPECT_EQ(load_be16(kBytes + 1), 0x0123u);
  EXPECT_EQ(load_be24(kBytes + 1), 0x012345u);
  EXPECT_EQ(load_be32(kBytes + 1), 0x01234567u);
  EXPECT_EQ(load_be64(kBytes + 1), 0x0123456789abcdefu);
  EXPECT_EQ(load_be24(kBytes), 0xff0123u);
}

TEST(StoreBe, any_width_expect_read_back_and_nothing_beside_touched) {
  uint8_t to[10] = {};
  store_be16(to + 1, 0x0102);
  EXPECT_EQ(load_be32(to), 0x00010200u);
  store_be24(to + 1, 0xff030405);  // the top byte does not count
  EXPECT_EQ(load_be32(to), 0x00030405u);
  EXPECT_EQ(to[4], 0);
  store_be32(to + 1, 0x06070809);
  EXPECT_EQ(load_be32(to + 1), 0x06070809u);
  EXPECT_EQ(to[5], 0);
  store_be64(to + 1, 0x0a0b0c0d0e0f1011);
  EXPECT_EQ(load_be64(to + 1), 0x0a0b0c0d0e0f1011u);
  EXPECT_EQ(to[0], 0);
  EXPECT_EQ(to[9], 0);
}

TEST(Raw, store_expect_the_same_value_loaded) {
  uint8_t to[9] = {};
  store_raw(to + 1, uint64_t{0x1122334455667788});
  EXPECT_EQ(load_raw<uint64_t>(to + 1), 0x1122334455667788u);
}

}  // namespace
}  // namespace lambdacast::base
