// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/receiver.h"

#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::fabric {
namespace {

using test::Segment;

constexpr Geometry kGeometry{2, 64, 256};

class ReceiverTest : public ::testing::Test {
 protected:
  // Takes the next frame and checks its bytes. False: there is none.
  bool take(Receiver& receiver) {
    if (receiver.peek() != Peek::kFrame) return false;
    EXPECT_TRUE(receiver.copy_to(frame_.data()));
    EXPECT_TRUE(test::is_frame(frame_.data(), receiver.length(), receiver.cursor(), 256));
    receiver.advance();
    return true;
  }
  uint64_t take_all(Receiver& receiver) {
    uint64_t taken = 0;
    while (take(receiver)) ++taken;
    return taken;
  }
  Segment segment_{kGeometry};
  std::vector<uint8_t> frame_ = std::vector<uint8_t>(test::kAnyFrame);
};

TEST_F(ReceiverTest, dark_wavelength_expect_empty_and_unlit) {
  Receiver receiver = segment_.receiver();
  EXPECT_EQ(receiver.peek(), Peek::kEmpty);
  EXPECT_FALSE(receiver.lit());
  EXPECT_EQ(receiver.epoch(), 0u);
}

TEST_F(ReceiverTest, frames_sent_expect_the_same_bytes_in_order_once) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 50);
  EXPECT_EQ(take_all(receiver), 50u);
  test::send_burst(transmitter, 60);
  EXPECT_EQ(take_all(receiver), 60u);
  EXPECT_EQ(receiver.cursor(), 110u);
  EXPECT_TRUE(receiver.lit());
}

TEST_F(ReceiverTest, available_expect_what_the_head_tells_and_no_more_than_is_wanted) {
  Receiver receiver = segment_.receiver();
  EXPECT_EQ(receiver.available(32), 0u);
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 20);
  EXPECT_EQ(receiver.available(32), 20u);
  EXPECT_EQ(receiver.available(7), 7u);
  EXPECT_TRUE(take(receiver));
  EXPECT_EQ(receiver.available(32), 19u);
  EXPECT_EQ(take_all(receiver), 19u);
  EXPECT_EQ(receiver.available(32), 0u);
}

TEST_F(ReceiverTest, available_while_a_frame_is_written_or_not_published_expect_none) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  (void)transmitter.begin_frame();
  EXPECT_EQ(receiver.available(1), 0u);
  test::send_frame(transmitter);
  EXPECT_EQ(receiver.available(1), 0u);
  transmitter.end_burst();
  EXPECT_EQ(receiver.available(1), 1u);
}

// The head is looked at only for want of frames: what came meanwhile shows when more are wanted.
TEST_F(ReceiverTest, available_with_as_many_known_expect_the_head_left_alone) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 4);
  EXPECT_EQ(receiver.available(4), 4u);
  test::send_burst(transmitter, 4);
  EXPECT_TRUE(take(receiver));
  EXPECT_EQ(receiver.available(3), 3u);
  EXPECT_EQ(receiver.available(8), 7u);
}

TEST_F(ReceiverTest, available_after_an_overrun_expect_what_is_left_once_it_resumed) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 65);
  EXPECT_EQ(receiver.available(64), 64u);
  EXPECT_EQ(receiver.peek(), Peek::kOverrun);
  (void)receiver.resume();
  EXPECT_EQ(receiver.available(64), 32u);
  EXPECT_EQ(take_all(receiver), 32u);
  EXPECT_EQ(receiver.available(64), 0u);
}

TEST_F(ReceiverTest, available_behind_a_lone_frame_expect_the_next_one_before_the_head_tells) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 1);
  EXPECT_EQ(receiver.available(32), 1u);
  EXPECT_TRUE(take(receiver));
  (void)transmitter.begin_frame();
  EXPECT_EQ(receiver.available(32), 0u);
  test::send_frame(transmitter);  // the head is as it was
  EXPECT_EQ(receiver.available(32), 1u);
  EXPECT_EQ(receiver.available(32), 1u);
  EXPECT_TRUE(take(receiver));
  EXPECT_EQ(receiver.available(32), 0u);
}

TEST_F(ReceiverTest, available_behind_a_lone_frame_expect_a_burst_as_soon_as_it_is_published) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 1);
  EXPECT_EQ(receiver.available(32), 1u);
  EXPECT_TRUE(take(receiver));
  test::send_frame(transmitter);
  test::send_frame(transmitter);  // no lone one: from here on the head is waited for
  EXPECT_EQ(receiver.available(32), 0u);
  transmitter.end_burst();
  EXPECT_EQ(receiver.available(32), 2u);
  EXPECT_EQ(take_all(receiver), 2u);
  test::send_frame(transmitter);
  EXPECT_EQ(receiver.available(32), 0u);
}

TEST_F(ReceiverTest, available_behind_a_lone_frame_and_overrun_expect_what_is_left) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 1);
  EXPECT_EQ(receiver.available(32), 1u);
  EXPECT_TRUE(take(receiver));
  test::send_burst(transmitter, 70);
  EXPECT_EQ(receiver.available(100), 70u);
  EXPECT_EQ(receiver.peek(), Peek::kOverrun);
  (void)receiver.resume();
  EXPECT_EQ(receiver.available(100), 32u);
}

// A reader of states, as one that injects faults is, may be ahead of what the head tells.
TEST_F(ReceiverTest, available_ahead_of_the_head_expect_none_until_the_head_has_passed) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  for (int i = 0; i < 3; ++i) test::send_frame(transmitter);
  EXPECT_EQ(take_all(receiver), 3u);
  EXPECT_EQ(receiver.available(32), 0u);
  transmitter.end_burst();
  EXPECT_EQ(receiver.available(32), 0u);
  test::send_burst(transmitter, 5);
  EXPECT_EQ(receiver.available(32), 5u);
}

TEST_F(ReceiverTest, frame_complete_but_head_not_published_expect_received) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_frame(transmitter);
  EXPECT_EQ(receiver.head(), 0u);
  EXPECT_EQ(take_all(receiver), 1u);
}

TEST_F(ReceiverTest, frame_that_leaves_later_expect_it_there_and_not_left) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  (void)transmitter.begin_frame();
  transmitter.end_frame(64, 1000);
  ASSERT_EQ(receiver.peek(), Peek::kFrame);
  EXPECT_FALSE(receiver.has_left(999, 1'000'000));
  EXPECT_TRUE(receiver.has_left(1000, 1'000'000));
}

TEST_F(ReceiverTest, frame_being_written_expect_empty) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  (void)transmitter.begin_frame();
  EXPECT_EQ(receiver.peek(), Peek::kEmpty);
  transmitter.end_frame(0, 0);
  EXPECT_EQ(receiver.peek(), Peek::kFrame);
  EXPECT_EQ(receiver.length(), 0u);
}

TEST_F(ReceiverTest, late_joiner_expect_to_start_at_the_head) {
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 1000);
  Receiver receiver = segment_.receiver();
  EXPECT_EQ(receiver.cursor(), 1000u);
  EXPECT_EQ(receiver.peek(), Peek::kEmpty);
  test::send_burst(transmitter, 1);
  EXPECT_EQ(take_all(receiver), 1u);
}

TEST_F(ReceiverTest, wavelength_lit_later_expect_its_first_frame) {
  Receiver receiver = segment_.receiver(1);
  Transmitter other = segment_.transmitter(0);
  test::send_burst(other, 10);
  EXPECT_FALSE(receiver.lit());
  Transmitter transmitter = segment_.transmitter(1);
  EXPECT_TRUE(receiver.lit());
  test::send_burst(transmitter, 3);
  EXPECT_EQ(take_all(receiver), 3u);
}

TEST_F(ReceiverTest, exactly_a_ring_behind_expect_nothing_missed) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 64);
  EXPECT_EQ(take_all(receiver), 64u);
}

TEST_F(ReceiverTest, lapped_by_one_expect_half_a_ring_missed_once_and_the_rest_received) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 65);
  ASSERT_EQ(receiver.peek(), Peek::kOverrun);
  EXPECT_EQ(receiver.resume(), 33u);  // from 0 to 65 - 32
  EXPECT_EQ(take_all(receiver), 32u);
}

TEST_F(ReceiverTest, lapped_many_times_expect_every_frame_counted_once) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  uint64_t received = 0, missed = 0;
  for (uint32_t burst = 1; burst < 300; burst += 7) {
    for (uint32_t sent = 0; sent < burst; sent += 16) {
      test::send_burst(transmitter, std::min(16u, burst - sent));
    }
    if (receiver.peek() == Peek::kOverrun) missed += receiver.resume();
    received += take_all(receiver);
    ASSERT_EQ(received + missed, transmitter.next_index());
  }
  EXPECT_GT(missed, 0u);
}

TEST_F(ReceiverTest, lapped_while_the_head_lags_expect_progress_and_no_frame_twice) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  for (int i = 0; i < 65; ++i) test::send_frame(transmitter);  // head still 0
  ASSERT_EQ(receiver.peek(), Peek::kOverrun);
  EXPECT_EQ(receiver.resume(), 1u);
  EXPECT_EQ(take_all(receiver), 64u);
  EXPECT_EQ(receiver.cursor(), transmitter.next_index());
}

TEST_F(ReceiverTest, slot_overwritten_during_the_copy_expect_the_copy_refused) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 64);
  ASSERT_EQ(receiver.peek(), Peek::kFrame);
  EXPECT_TRUE(receiver.still_there());
  (void)transmitter.begin_frame();
  EXPECT_FALSE(receiver.still_there());
  EXPECT_FALSE(receiver.copy_to(frame_.data()));
  transmitter.end_frame(1, 0);
  EXPECT_FALSE(receiver.copy_to(frame_.data()));
  EXPECT_EQ(receiver.peek(), Peek::kOverrun);
}

TEST_F(ReceiverTest, nonsense_length_in_the_slot_expect_bounded_by_the_geometry) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  (void)transmitter.begin_frame();
  transmitter.end_frame(0xffffffff, 0);
  ASSERT_EQ(receiver.peek(), Peek::kFrame);
  EXPECT_EQ(receiver.length(), 256u);
}

TEST_F(ReceiverTest, copy_in_parts_expect_the_whole_frame) {
  Receiver receiver = segment_.receiver();
  Transmitter transmitter = segment_.transmitter();
  test::fill_frame(transmitter.begin_frame(), 0, 200);
  transmitter.end_frame(200, 0);
  ASSERT_EQ(receiver.peek(), Peek::kFrame);
  for (uint32_t at = 0; at < 200; at += 70) {
    receiver.copy_part(frame_.data() + at, at, std::min(70u, 200 - at));
  }
  EXPECT_TRUE(receiver.still_there());
  for (uint32_t i = 0; i < 200; ++i) ASSERT_EQ(frame_[i], test::frame_byte(0, i));
}

TEST_F(ReceiverTest, takeover_after_a_torn_slot_expect_no_torn_frame_no_wait_no_miscount) {
  Receiver receiver = segment_.receiver();
  {
    Transmitter dead = segment_.transmitter();
    test::send_burst(dead, 40);
    for (int i = 0; i < 3; ++i) test::send_frame(dead);
    std::memset(dead.begin_frame(), 0xee, 256);  // dies in the middle of frame 43
  }
  EXPECT_EQ(take_all(receiver), 43u);
  EXPECT_EQ(receiver.peek(), Peek::kEmpty);
  EXPECT_EQ(receiver.epoch(), 1u);
  Transmitter next = segment_.transmitter();
  EXPECT_EQ(receiver.epoch(), 2u);
  EXPECT_EQ(receiver.peek(), Peek::kEmpty);
  test::send_burst(next, 30);
  EXPECT_EQ(take_all(receiver), 30u);
  EXPECT_EQ(receiver.cursor(), 73u);
  EXPECT_EQ(receiver.cursor(), next.next_index());
}

TEST_F(ReceiverTest, takeover_with_a_slow_reader_at_the_torn_slot_expect_one_overrun) {
  Receiver receiver = segment_.receiver();
  {
    Transmitter dead = segment_.transmitter();
    test::send_burst(dead, 64);
    (void)dead.begin_frame();  // tears the slot of frame 0, which the reader has not read
  }
  EXPECT_EQ(receiver.peek(), Peek::kOverrun);
  EXPECT_EQ(receiver.resume(), 32u);
  EXPECT_EQ(take_all(receiver), 32u);
  Transmitter next = segment_.transmitter();
  test::send_burst(next, 1);
  EXPECT_EQ(take_all(receiver), 1u);
}

TEST_F(ReceiverTest, prefetch_expect_the_same_frames_wherever_the_reader_stands) {
  Receiver receiver = segment_.receiver();
  receiver.prefetch(8);
  Transmitter transmitter = segment_.transmitter();
  test::send_burst(transmitter, 20);
  receiver.prefetch(8);  // the head is not known yet
  EXPECT_EQ(receiver.available(32), 20u);
  receiver.prefetch(8);
  receiver.prefetch(100);
  EXPECT_EQ(take_all(receiver), 20u);
  test::send_burst(transmitter, 70);
  EXPECT_EQ(receiver.peek(), Peek::kOverrun);
  (void)receiver.resume();
  receiver.prefetch(8);
  EXPECT_EQ(take_all(receiver), 32u);
}

}  // namespace
}  // namespace lambdacast::fabric
