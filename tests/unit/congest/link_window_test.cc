// SPDX-License-Identifier: BSD-3-Clause
#include "congest/link_window.h"

#include <gtest/gtest.h>

namespace lambdacast::congest {
namespace {

constexpr uint64_t kTimeout = 1000;

struct Link {
  uint64_t operator()(size_t /*port*/, const Frame& frame) {
    sent.push_back(frame);
    return left_ns;
  }
  std::vector<Frame> sent;
  uint64_t left_ns = 0;
};

Frame message(uint32_t word) { return {.action = Action::kMessage, .message = {{word}}}; }

Frame acknowledgement(uint8_t of_algorithm) {
  Frame frame;
  frame.acknowledged = {0, of_algorithm};
  return frame;
}

TEST(LinkWindow, window__expect_room_until_it_is_full_and_again_when_some_is_acknowledged) {
  Link link;
  LinkWindow window(1, {.timeout_ns = kTimeout, .window = 2});
  window.store(0, message(1), link);
  EXPECT_TRUE(window.room());
  EXPECT_FALSE(window.safe());
  window.store(0, message(2), link);
  EXPECT_FALSE(window.room());
  EXPECT_THROW(window.store(0, message(3), link), std::logic_error);
  EXPECT_FALSE(window.on_frame(0, acknowledgement(1), 0, link));
  EXPECT_TRUE(window.room());
  EXPECT_FALSE(window.safe());
  EXPECT_FALSE(window.on_frame(0, acknowledgement(2), 0, link));
  EXPECT_TRUE(window.safe());
  EXPECT_FALSE(window.on_frame(0, acknowledgement(1), 0, link));  // an old one
  EXPECT_TRUE(window.safe());
}

TEST(LinkWindow, oldest_frame_too_old__expect_all_behind_it_again) {
  Link link;
  LinkWindow window(1, {.timeout_ns = kTimeout, .check_ns = 100});
  for (uint32_t word = 1; word <= 3; ++word) window.store(0, message(word), link);
  EXPECT_FALSE(window.on_frame(0, acknowledgement(1), 0, link));
  EXPECT_EQ(window.next_deadline_ns(), 1100u);  // slot 1 of 2
  window.on_timer(1100, link);
  ASSERT_EQ(link.sent.size(), 5u);
  EXPECT_EQ(link.sent[3].message.words[0], 2u);
  EXPECT_EQ(link.sent[4].message.words[0], 3u);
}

TEST(LinkWindow, frames_that_come__expect_gaps_and_repetitions_dropped) {
  Link link;
  LinkWindow window(1, {.timeout_ns = kTimeout});
  Frame frame = message(1);
  EXPECT_TRUE(window.on_frame(0, frame, 0, link));
  EXPECT_FALSE(window.on_frame(0, frame, 0, link));
  frame.sequence = 2;
  EXPECT_FALSE(window.on_frame(0, frame, 0, link));
  frame.sequence = 1;
  EXPECT_TRUE(window.on_frame(0, frame, 0, link));
}

TEST(LinkWindow, acknowledgement__expect_it_in_the_next_frame_or_alone_after_half_a_timeout) {
  Link link;
  LinkWindow window(1, {.timeout_ns = kTimeout});
  Frame frame = message(1);
  EXPECT_TRUE(window.on_frame(0, frame, 100, link));
  EXPECT_TRUE(link.sent.empty());
  EXPECT_EQ(window.next_deadline_ns(), 600u);
  window.on_timer(600, link);
  ASSERT_EQ(link.sent.size(), 1u);
  EXPECT_EQ(link.sent[0].action, Action::kAcknowledge);
  EXPECT_EQ(link.sent[0].acknowledged[1], 1);
  EXPECT_EQ(window.next_deadline_ns(), kNoDeadline);
  frame.sequence = 1;
  EXPECT_TRUE(window.on_frame(0, frame, 700, link));
  window.store(0, message(9), link);
  EXPECT_EQ(link.sent[1].acknowledged[1], 2);
  window.on_timer(1200, link);  // when an acknowledgement alone would be due
  for (const Frame& sent : link.sent) EXPECT_TRUE(&sent == &link.sent[0] || sent.message.words[0]);
}

}  // namespace
}  // namespace lambdacast::congest
