// SPDX-License-Identifier: BSD-3-Clause
#include "congest/stored_frames.h"

#include <gtest/gtest.h>

namespace lambdacast::congest {
namespace stored_frames_test {

constexpr uint64_t kTimeout = 1000;

struct Sent {
  size_t port;
  Frame frame;
};

struct Link {
  uint64_t operator()(size_t port, const Frame& frame) {
    sent.push_back({port, frame});
    return left_ns;
  }
  std::vector<Sent> sent;
  uint64_t left_ns = 0;
};

Frame message(uint32_t word) { return {.action = Action::kMessage, .message = {{word}}}; }
Frame sync() { return {.frame_class = FrameClass::kSynchroniser, .action = Action::kSync}; }

TEST(StoredFrames,
     frame_without_acknowledgement__expect_it_again_at_the_first_look_behind_timeout) {
  Link link;
  StoredFrames stored(2, {.timeout_ns = kTimeout, .check_ns = 100});
  link.left_ns = 50;
  stored.store(1, message(7), link);  // slot 3 of 4: looked at at 300, 700, 1100 ...
  EXPECT_EQ(stored.next_deadline_ns(), 1100u);
  stored.on_timer(1099, link);
  EXPECT_EQ(link.sent.size(), 1u);
  link.left_ns = 1100;
  stored.on_timer(1100, link);
  ASSERT_EQ(link.sent.size(), 2u);
  EXPECT_EQ(link.sent[1].port, 1u);
  EXPECT_EQ(link.sent[1].frame.message.words[0], 7u);
  EXPECT_EQ(stored.next_deadline_ns(), 2300u);
}

TEST(StoredFrames, acknowledgements__expect_only_those_of_class_port_and_sequence_to_count) {
  Link link;
  StoredFrames stored(2, {.timeout_ns = kTimeout});
  stored.store(0, message(1), link);
  stored.store(0, sync(), link);
  EXPECT_FALSE(stored.safe());
  EXPECT_THROW(stored.store(0, message(2), link), std::logic_error);
  Frame wrong_sequence{.frame_class = FrameClass::kAlgorithm, .acknowledged = {1, 1}};
  EXPECT_FALSE(stored.on_frame(0, wrong_sequence, 0, link));
  EXPECT_FALSE(stored.on_frame(1, Frame{}, 0, link));  // another port
  EXPECT_FALSE(stored.safe());
  EXPECT_FALSE(stored.on_frame(0, Frame{}, 0, link));
  EXPECT_FALSE(stored.safe());  // the other class waits still
  EXPECT_FALSE(stored.on_frame(0, {.frame_class = FrameClass::kSynchroniser}, 0, link));
  EXPECT_TRUE(stored.safe());
  EXPECT_EQ(link.sent.size(), 2u);
  stored.store(0, message(2), link);
  EXPECT_EQ(link.sent[2].frame.sequence, 1);
}

TEST(StoredFrames, frame_that_comes_twice__expect_it_handed_on_once_and_acknowledged_twice) {
  Link link;
  StoredFrames stored(1, {});
  Frame frame = message(3);
  EXPECT_TRUE(stored.on_frame(0, frame, 0, link));
  EXPECT_FALSE(stored.on_frame(0, frame, 0, link));
  frame.sequence = 1;
  EXPECT_TRUE(stored.on_frame(0, frame, 0, link));
  ASSERT_EQ(link.sent.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(link.sent[i].frame.action, Action::kAcknowledge);
    EXPECT_EQ(link.sent[i].frame.acknowledged[1], i == 2 ? 1 : 0);
  }
  EXPECT_TRUE(stored.safe());  // an acknowledgement is not stored
}

}  // namespace stored_frames_test
}  // namespace lambdacast::congest
