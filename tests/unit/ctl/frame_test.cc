// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/frame.h"

#include <gtest/gtest.h>

namespace lambdacast::ctl {
namespace {

TEST(FrameTest, encode_a_payload__expect_its_length_its_type_and_itself) {
  EXPECT_EQ(encode(FrameType::kRequest, "abc"), std::string("\x03\0\0\0\x02"
                                                            "abc",
                                                            8));
}

TEST(FrameTest, feed_byte_by_byte__expect_a_frame_when_it_is_whole_and_not_before) {
  FrameReader reader(100);
  const std::string bytes = encode(FrameType::kAnswer, "hello");
  for (size_t i = 0; i + 1 < bytes.size(); ++i) {
    reader.feed(bytes.substr(i, 1));
    ASSERT_FALSE(reader.ready());
    ASSERT_FALSE(reader.next()->has_value());
  }
  reader.feed(bytes.substr(bytes.size() - 1));
  EXPECT_TRUE(reader.ready());
  const auto frame = *reader.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->type, FrameType::kAnswer);
  EXPECT_EQ(frame->payload, "hello");
  EXPECT_EQ(reader.waiting_bytes(), 0u);
}

TEST(FrameTest, feed_two_frames_at_once__expect_both_in_order) {
  FrameReader reader(100);
  reader.feed(encode(FrameType::kEvent, "") + encode(FrameType::kEvent, "two"));
  EXPECT_EQ((*reader.next())->payload, "");
  EXPECT_EQ((*reader.next())->payload, "two");
  EXPECT_FALSE(reader.next()->has_value());
}

TEST(FrameTest, feed_a_longer_frame_than_allowed__expect_an_error_from_its_header_alone) {
  FrameReader reader(4);
  reader.feed(encode(FrameType::kRequest, "12345").substr(0, kFrameHeaderBytes));
  EXPECT_TRUE(reader.ready());
  const auto frame = reader.next();
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().message, "a frame of 5 bytes is too long; allowed: 4");
}

TEST(FrameTest, feed_an_unknown_type__expect_an_error) {
  for (const char type : {'\0', '\6', '\xff'}) {
    FrameReader reader(4);
    reader.feed(std::string(4, '\0') + type);
    EXPECT_FALSE(reader.next());
  }
}

}  // namespace
}  // namespace lambdacast::ctl
