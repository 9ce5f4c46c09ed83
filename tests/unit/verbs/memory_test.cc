// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include <gtest/gtest.h>

#include <array>

namespace lambdacast::verbs {
namespace {

class Keys : public ::testing::Test {
 protected:
  Keys() {
    region.pd = &pd;
    region.addr = bytes.data();
    region.length = bytes.size();
    region.iova = 0x1000;
    region.access = IBV_ACCESS_LOCAL_WRITE;
    EXPECT_TRUE(table.add(region));
  }
  [[nodiscard]] uint8_t* at(uint64_t address, uint64_t count, bool writes = true) const {
    return table.resolve(region.lkey, &pd, address, count, writes);
  }
  std::array<uint8_t, 256> bytes{};
  ProtectionDomain pd, other;
  MemoryRegion region{};
  KeyTable table;
};

TEST_F(Keys, GiveTheirRegionAndNotAByteBeyond) {
  EXPECT_EQ(at(0x1000, 256), bytes.data());
  EXPECT_EQ(at(0x10ff, 1), bytes.data() + 255);
  EXPECT_EQ(at(0x1100, 0), bytes.data() + 256);
  EXPECT_EQ(at(0x0fff, 1), nullptr);
  EXPECT_EQ(at(0x10ff, 2), nullptr);
  EXPECT_EQ(at(0x1101, 0), nullptr);
  EXPECT_EQ(at(0x1001, ~uint64_t{0}), nullptr);
  EXPECT_EQ(at(~uint64_t{0}, 2), nullptr);
}

TEST_F(Keys, AreOfADomain) {
  EXPECT_EQ(table.resolve(region.lkey, &other, 0x1000, 1, false), nullptr);
}

TEST_F(Keys, ThatNobodyHasGiveNothing) {
  EXPECT_EQ(table.resolve(0, &pd, 0x1000, 1, false), nullptr);
  EXPECT_EQ(table.resolve(region.lkey + 1, &pd, 0x1000, 1, false), nullptr);
  EXPECT_EQ(table.resolve(region.lkey + 0x100, &pd, 0x1000, 1, false), nullptr);
  EXPECT_EQ(table.resolve(~0u, &pd, 0x1000, 1, false), nullptr);
}

TEST_F(Keys, WriteOnlyWhatMayBeWritten) {
  region.access = 0;
  EXPECT_EQ(at(0x1000, 1, true), nullptr);
  EXPECT_EQ(at(0x1000, 1, false), bytes.data());
}

TEST_F(Keys, OfARegionThatIsGoneAreNotThoseOfTheNext) {
  const uint32_t old = region.lkey;
  table.remove(region);
  EXPECT_EQ(table.resolve(old, &pd, 0x1000, 1, false), nullptr);
  MemoryRegion next = region;
  ASSERT_TRUE(table.add(next));
  EXPECT_NE(next.lkey, old);
  EXPECT_EQ(table.resolve(old, &pd, 0x1000, 1, false), nullptr);
  EXPECT_EQ(table.resolve(next.lkey, &pd, 0x1000, 1, false), bytes.data());
}

TEST_F(Keys, AreBounded) {
  std::vector<MemoryRegion> many(kMaxRegions - 1, region);
  for (MemoryRegion& each : many) ASSERT_TRUE(table.add(each));
  MemoryRegion more = region;
  EXPECT_FALSE(table.add(more));
  table.remove(many[7]);
  EXPECT_TRUE(table.add(more));
}

}  // namespace
}  // namespace lambdacast::verbs
