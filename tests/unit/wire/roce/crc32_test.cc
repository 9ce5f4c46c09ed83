// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/crc32.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"
#include "unit/wire/slow_icrc.h"

namespace lambdacast::wire {
namespace {

TEST(Crc32, CheckValue) {
  EXPECT_EQ(crc32(0, reinterpret_cast<const uint8_t*>("123456789"), 9), 0xcbf43926u);
}

TEST(Crc32, EqualsTheDefinitionAtEveryLengthAndAlignment) {
  std::array<uint8_t, 600> data;
  base::SplitMix64 random(1);
  for (auto& byte : data) byte = static_cast<uint8_t>(random());
  for (size_t bytes = 0; bytes < 580; ++bytes) {
    const size_t offset = bytes % 17;
    ASSERT_EQ(crc32(7, &data[offset], bytes), slow_crc32(7, &data[offset], bytes)) << bytes;
  }
}

TEST(Crc32, PartsChain) {
  std::array<uint8_t, 100> data;
  data.fill(0x5a);
  for (size_t cut = 0; cut <= data.size(); ++cut) {
    const uint32_t first = crc32(0, data.data(), cut);
    ASSERT_EQ(crc32(first, &data[cut], data.size() - cut), crc32(0, data.data(), data.size()));
  }
}

TEST(Crc32OfOnes, EqualsTheCrcOfSoManyOnes) {
  const std::array<uint8_t, 8> ones{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  for (size_t bytes = 0; bytes <= ones.size(); ++bytes) {
    EXPECT_EQ(crc32_of_ones(bytes), crc32(0, ones.data(), bytes));
  }
  EXPECT_EQ(kIcrcSeed, crc32_of_ones(8));
}

}  // namespace
}  // namespace lambdacast::wire
