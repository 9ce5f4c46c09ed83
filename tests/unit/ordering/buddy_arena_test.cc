// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/buddy_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"

namespace lambdacast::ordering {
namespace buddy_arena_test {

constexpr size_t kUnit = BuddyArena::kMinBlockBytes;

class BuddyArenaTest : public ::testing::Test {
 protected:
  std::vector<uint8_t> memory_ = std::vector<uint8_t>(16 * kUnit);
  BuddyArena arena_{memory_};
};

TEST_F(BuddyArenaTest, allocate_everything_in_one_block__expect_no_second) {
  uint8_t* all = arena_.allocate(16 * kUnit);
  EXPECT_EQ(all, memory_.data());
  EXPECT_EQ(arena_.free_bytes(), 0u);
  EXPECT_EQ(arena_.allocate(1), nullptr);
  arena_.release(all);
  EXPECT_EQ(arena_.allocate(16 * kUnit), all);
}

TEST_F(BuddyArenaTest, allocate_more_than_there_is__expect_null_and_nothing_changed) {
  EXPECT_EQ(arena_.allocate(16 * kUnit + 1), nullptr);
  EXPECT_EQ(arena_.free_bytes(), 16 * kUnit);
}

TEST_F(BuddyArenaTest, block_bytes__expect_the_next_power_of_two_units) {
  EXPECT_EQ(BuddyArena::block_bytes(0), kUnit);
  EXPECT_EQ(BuddyArena::block_bytes(1), kUnit);
  EXPECT_EQ(BuddyArena::block_bytes(kUnit), kUnit);
  EXPECT_EQ(BuddyArena::block_bytes(kUnit + 1), 2 * kUnit);
  EXPECT_EQ(BuddyArena::block_bytes(5 * kUnit), 8 * kUnit);
}

TEST_F(BuddyArenaTest, release_in_any_order__expect_the_pieces_to_merge) {
  std::vector<uint8_t*> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(arena_.allocate(1));
  EXPECT_EQ(arena_.allocate(1), nullptr);
  base::SplitMix64 random(1);
  for (size_t i = blocks.size(); i > 1; --i) std::swap(blocks[i - 1], blocks[random.below(i)]);
  for (uint8_t* block : blocks) arena_.release(block);
  EXPECT_NE(arena_.allocate(16 * kUnit), nullptr);
}

// Against a map of what is given out: blocks never overlap, are as long as promised, and a request
// fails only if no aligned run of free units of its length exists.
TEST(BuddyArena, random_requests__expect_what_a_map_of_units_says) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    base::SplitMix64 random(seed);
    const size_t units = size_t{1} << random.below(9);
    std::vector<uint8_t> memory(units * kUnit);
    BuddyArena arena(memory);
    std::map<uint8_t*, size_t> given;  // units
    std::vector<bool> used(units);
    for (int step = 0; step < 3000; ++step) {
      if (random.below(2) == 0 && !given.empty()) {
        auto gone = std::next(given.begin(), static_cast<long>(random.below(given.size())));
        const auto first = static_cast<size_t>(gone->first - memory.data()) / kUnit;
        std::fill_n(used.begin() + static_cast<long>(first), gone->second, false);
        arena.release(gone->first);
        given.erase(gone);
        continue;
      }
      const size_t bytes = 1 + random.below((units * kUnit) >> random.below(8));
      const size_t wanted = BuddyArena::block_bytes(bytes) / kUnit;
      bool possible = false;
      for (size_t at = 0; at + wanted <= units; at += wanted) {
        const auto begin = used.begin() + static_cast<long>(at);
        possible = possible || std::none_of(begin, begin + static_cast<long>(wanted),
                                            [](bool each) { return each; });
      }
      uint8_t* block = arena.allocate(bytes);
      ASSERT_EQ(block != nullptr, possible);
      if (block == nullptr) continue;
      const auto first = static_cast<size_t>(block - memory.data()) / kUnit;
      for (size_t i = first; i < first + wanted; ++i) {
        ASSERT_FALSE(used[i]);
        used[i] = true;
      }
      std::fill_n(block, bytes, 0xee);  // what is given out may be written
      given.emplace(block, wanted);
    }
    const auto free_units = static_cast<size_t>(std::count(used.begin(), used.end(), false));
    ASSERT_EQ(arena.free_bytes(), free_units * kUnit);
  }
}

}  // namespace buddy_arena_test
}  // namespace lambdacast::ordering
