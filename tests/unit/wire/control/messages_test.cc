// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/messages.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::wire {
namespace messages_test {

using Bytes = std::vector<uint8_t>;

std::optional<uint32_t> count(const Bytes& payload) {
  return count_messages(payload.data(), payload.size());
}

TEST(CountMessages, WholeOnesOfAnyLength) {
  EXPECT_EQ(count({0, 1, 7}), 1u);
  EXPECT_EQ(count({0, 0}), 1u);
  EXPECT_EQ(count({0, 0, 0, 3, 1, 2, 3, 0, 1, 9}), 3u);
}

TEST(CountMessages, NothingIsNoPacketOfMessages) { EXPECT_EQ(count({}), std::nullopt); }

TEST(CountMessages, LastOneMustEndWithThePayload) {
  EXPECT_EQ(count({0, 2, 7}), std::nullopt);
  EXPECT_EQ(count({0, 1, 7, 0}), std::nullopt);  // half a length
  EXPECT_EQ(count({0xff, 0xff, 7}), std::nullopt);
}

TEST(ForEachMessage, InTheirOrder) {
  const Bytes payload{0, 0, 0, 3, 1, 2, 3, 0, 1, 9};
  std::vector<Bytes> seen;
  for_each_message(payload, [&](std::span<const uint8_t> message) {
    seen.emplace_back(message.begin(), message.end());
  });
  EXPECT_EQ(seen, (std::vector<Bytes>{{}, {1, 2, 3}, {9}}));
}

}  // namespace messages_test
}  // namespace lambdacast::wire
