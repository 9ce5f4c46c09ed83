// SPDX-License-Identifier: BSD-3-Clause
#include "trees/repair_frame.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace lambdacast::trees {
namespace {

using Bytes = std::vector<uint8_t>;

std::optional<Record> first_of(const Bytes& bytes) {
  std::span<const uint8_t> body(bytes);
  return take_record(body);
}

TEST(RepairFrame, records_one_behind_the_other__expect_each_and_then_none) {
  const Bytes bytes{1, 0, 0, 2, 0, 0, 7, 0, 1, 0, /* kFlood */ 7 /* kKeep */, 5, 1 /* kRound */};
  std::span<const uint8_t> body(bytes);
  const auto flood = take_record(body);
  ASSERT_TRUE(flood);
  EXPECT_EQ(flood->kind, RecordKind::kFlood);
  EXPECT_EQ(flood->bytes[2], 2);
  EXPECT_EQ(number_at(flood->bytes, 3, 3), 7u);
  EXPECT_EQ(number_at(flood->bytes, 6, 3), 256u);
  EXPECT_EQ(take_record(body)->kind, RecordKind::kKeep);
  const auto round = take_record(body);
  EXPECT_EQ(round->kind, RecordKind::kRound);
  EXPECT_EQ(round->bytes[0], kLastRound);
  EXPECT_FALSE(take_record(body));
}

TEST(RepairFrame, malformed__expect_no_record) {
  EXPECT_FALSE(first_of({}));
  EXPECT_FALSE(first_of({0})) << "no such kind";
  EXPECT_FALSE(first_of({13})) << "no such kind";
  EXPECT_FALSE(first_of({1, 0, 0})) << "kFlood without its count";
  EXPECT_FALSE(first_of({1, 0, 0, 1, 0, 0})) << "kFlood cut short";
  Bytes many(60);
  many[0] = 1;
  many[3] = kMostFailed + 1;
  EXPECT_FALSE(first_of(many)) << "more failed switches than there may be";
  EXPECT_FALSE(first_of({2, 10})) << "kBits of too many words";
  EXPECT_FALSE(first_of({3, 0, 0, 0, 0})) << "kSubtree cut short";
  EXPECT_FALSE(first_of({8, 19})) << "kList of too many numbers";
  EXPECT_FALSE(first_of({9, 0, 0})) << "kRange cut short";
}

TEST(FloodName, two_floods__expect_the_later_generation_and_then_the_least_detector) {
  const FloodName none, first{1, 9}, other{1, 4}, second{2, 30};
  EXPECT_TRUE(first.beats(none));
  EXPECT_TRUE(other.beats(first));
  EXPECT_FALSE(first.beats(other));
  EXPECT_TRUE(second.beats(other));
  EXPECT_FALSE(second.beats(second));
}

std::vector<Bytes> written(const std::vector<uint16_t>& numbers, bool ranges) {
  std::vector<Bytes> records;
  SetWriter::write(numbers, ranges, [&](std::span<const uint8_t> record) {
    records.emplace_back(record.begin(), record.end());
  });
  return records;
}

TEST(SetWriter, sets_of_all_densities__expect_them_again_and_records_that_fit) {
  base::SplitMix64 random(7);
  for (int i = 0; i < 400; ++i) {
    const uint64_t one_of = 1 + random.below(200);
    std::vector<uint16_t> numbers;
    for (uint32_t number = 0; number < 3000; ++number)
      if (random.below(one_of) == 0) numbers.push_back(static_cast<uint16_t>(number));
    for (const bool ranges : {false, true}) {
      std::vector<uint16_t> read;
      for (const Bytes& bytes : written(numbers, ranges)) {
        ASSERT_LE(bytes.size(), kBodyBytes);
        SetWriter::read(*first_of(bytes), [&](uint16_t number) { read.push_back(number); });
      }
      EXPECT_EQ(read, numbers);
    }
    EXPECT_LE(written(numbers, true).size(), written(numbers, false).size());
  }
}

TEST(SetWriter, dense_and_sparse_sets__expect_a_range_and_a_list) {
  std::vector<uint16_t> dense, sparse;
  for (uint16_t i = 0; i < 100; ++i) {
    dense.push_back(static_cast<uint16_t>(500 + i));
    sparse.push_back(static_cast<uint16_t>(300 * i));
  }
  EXPECT_EQ(written(dense, true).size(), 1u);
  EXPECT_EQ(written(dense, false).size(), 6u);
  EXPECT_EQ(written(sparse, true), written(sparse, false));
}

}  // namespace
}  // namespace lambdacast::trees
