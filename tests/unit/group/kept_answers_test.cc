// SPDX-License-Identifier: BSD-3-Clause
#include "group/kept_answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace lambdacast::group {
namespace kept_answers_test {

wire::StreamName caller(uint32_t number) {
  wire::StreamName name;
  name.incarnation = number;
  return name;
}
constexpr uint32_t kGroup = 9;

wire::Envelope answer(uint32_t from, uint64_t number, uint32_t group = kGroup) {
  wire::Envelope envelope;
  envelope.type = wire::RequestType::kAnswer;
  envelope.caller = caller(from);
  envelope.number = number;
  envelope.handler = group;
  return envelope;
}

TEST(KeptAnswers, keep__expect_it_found_by_caller_and_number_until_the_floor) {
  KeptAnswers answers(10'000);
  const std::vector<uint8_t> bytes{1, 2, 3};
  for (const uint64_t number : {1, 2, 3}) answers.keep(answer(7, number), bytes);
  answers.keep(answer(8, 2), {});
  ASSERT_NE(answers.find(caller(7), kGroup, 2), nullptr);
  EXPECT_TRUE(std::ranges::equal(answers.find(caller(7), kGroup, 2)->message.bytes(), bytes));
  EXPECT_EQ(answers.find(caller(7), kGroup, 4), nullptr);
  EXPECT_EQ(answers.find(caller(9), kGroup, 2), nullptr);
  answers.keep(answer(7, 2, kGroup + 1), {});
  answers.forget(caller(7), kGroup, 2);
  EXPECT_NE(answers.find(caller(7), kGroup + 1, 2), nullptr) << "of another group";
  EXPECT_EQ(answers.find(caller(7), kGroup, 2), nullptr);
  EXPECT_NE(answers.find(caller(7), kGroup, 3), nullptr);
  EXPECT_NE(answers.find(caller(8), kGroup, 2), nullptr);
  EXPECT_EQ(answers.size(), 3u);
  answers.clear();
  EXPECT_EQ(answers.bytes(), 0u);
}

TEST(KeptAnswers, more_than_there_is_room_for__expect_the_oldest_to_go) {
  const size_t each = sizeof(KeptAnswers::Kept) + 100;
  KeptAnswers answers(3 * each);
  const std::vector<uint8_t> bytes(100);
  for (uint64_t number = 1; number <= 5; ++number) answers.keep(answer(7, number), bytes);
  EXPECT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers.bytes(), 3 * each);
  EXPECT_EQ(answers.find(caller(7), kGroup, 2), nullptr);
  EXPECT_NE(answers.find(caller(7), kGroup, 3), nullptr);
  answers.forget(caller(7), kGroup, 4);
  EXPECT_EQ(answers.bytes(), each);
  answers.keep(answer(7, 6), std::vector<uint8_t>(4 * each));
  EXPECT_EQ(answers.find(caller(7), kGroup, 6), nullptr) << "longer than all";
  EXPECT_NE(answers.find(caller(7), kGroup, 5), nullptr) << "nothing goes for it";
}

TEST(KeptAnswers, bytes_with_an_owner__expect_them_kept_where_they_are_until_forgotten) {
  KeptAnswers answers(10'000);
  auto bytes = std::make_shared<const std::vector<uint8_t>>(100);
  const std::weak_ptr<const std::vector<uint8_t>> alive = bytes;
  const uint8_t* const at = bytes->data();
  answers.keep(answer(7, 1), Content(*bytes, bytes));
  bytes.reset();
  EXPECT_FALSE(alive.expired());
  EXPECT_EQ(answers.find(caller(7), kGroup, 1)->message.bytes().data(), at);
  answers.forget(caller(7), kGroup, 1);
  EXPECT_TRUE(alive.expired());
}

TEST(KeptAnswers, the_same_again__expect_the_first) {
  KeptAnswers answers(10'000);
  answers.keep(answer(7, 1), std::vector<uint8_t>{1});
  answers.keep(answer(7, 1), std::vector<uint8_t>{2});
  EXPECT_EQ(answers.find(caller(7), kGroup, 1)->message.bytes()[0], 1);
  EXPECT_EQ(answers.size(), 1u);
}

}  // namespace kept_answers_test
}  // namespace lambdacast::group
