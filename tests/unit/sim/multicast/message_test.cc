// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/message.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

TEST(Message, make_and_read__expect_its_name_and_intact) {
  for (const size_t bytes : {8u, 9u, 600u}) {
    const MessageId id{3, 70'000};
    const std::vector<uint8_t> message = make_message(id, bytes);
    EXPECT_EQ(message.size(), bytes);
    EXPECT_EQ(read_message_id(message), id);
    EXPECT_TRUE(message_intact(id, message));
  }
}

TEST(Message, any_byte_changed__expect_not_intact_or_another_name) {
  const MessageId id{1, 2};
  for (size_t at = 0; at < 300; ++at) {
    std::vector<uint8_t> message = make_message(id, 300);
    message[at] ^= 0x10;
    EXPECT_FALSE(read_message_id(message) == id && message_intact(id, message)) << at;
  }
}

TEST(Message, too_short_for_a_name__expect_none) {
  EXPECT_FALSE(read_message_id(std::vector<uint8_t>(7)));
}

}  // namespace
}  // namespace lambdacast::sim
