// SPDX-License-Identifier: BSD-3-Clause
#include "node/identity_guard.h"

#include <gtest/gtest.h>

#include <array>

namespace lambdacast::node {
namespace identity_guard_test {

using State = IdentityGuard::State;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kListen = 100 * kMs;
constexpr uint64_t kPatience = 2'000 * kMs;
constexpr uint32_t kSelf = 1'000;
constexpr uint32_t kOlder = 999;
constexpr uint32_t kNewer = 1'001;

class IdentityGuardTest : public ::testing::Test {
 protected:
  // Asks every millisecond; hears `incarnation` every ten, as often as an idle endpoint speaks.
  void run_ms(uint64_t ms, uint32_t incarnation = kSelf) {
    for (; ms != 0; --ms, now_ns_ += kMs) {
      if (incarnation != kSelf && now_ns_ / kMs % 10 == 0) guard_.heard(incarnation, now_ns_);
      may_speak_ = guard_.may_speak(now_ns_);
      notices_ += guard_.next_notice(payload_.data(), now_ns_) != 0 ? 1 : 0;
    }
  }
  void speak() {
    run_ms(101);
    ASSERT_TRUE(may_speak_);
  }

  IdentityGuard guard_{{{wire::gid_from_ipv4(0x0a000001), 0x10, kSelf}, kListen, kPatience}};
  uint64_t now_ns_ = 5'000 * kMs;
  bool may_speak_ = false;
  int notices_ = 0;
  std::array<uint8_t, 1'024> payload_{};
};

TEST_F(IdentityGuardTest, hear_nobody__expect_it_to_speak_after_listening) {
  run_ms(100);
  EXPECT_FALSE(may_speak_);
  EXPECT_EQ(guard_.next_deadline_ns(), 5'100 * kMs);
  run_ms(1);
  EXPECT_TRUE(may_speak_);
  EXPECT_EQ(guard_.state(), State::kSpeaking);
  EXPECT_EQ(guard_.next_deadline_ns(), ~uint64_t{0});
  EXPECT_FALSE(guard_.take_event());
  EXPECT_EQ(notices_, 0);
}

TEST_F(IdentityGuardTest, hear_its_own_frames__expect_nothing_of_it) {
  for (int i = 0; i < 100; ++i, now_ns_ += kMs) {
    guard_.heard(kSelf, now_ns_);
    (void)guard_.may_speak(now_ns_);
  }
  run_ms(1);
  EXPECT_TRUE(may_speak_);
}

// What a killed life said last comes at once, and then no more.
TEST_F(IdentityGuardTest, hear_the_last_frames_of_an_earlier_life__expect_it_to_speak_soon) {
  run_ms(20, kOlder);
  run_ms(100);
  EXPECT_TRUE(may_speak_);
  EXPECT_FALSE(guard_.take_event());
}

TEST_F(IdentityGuardTest, hear_another_on_and_on_while_listening__expect_it_lost_and_told) {
  for (const uint32_t other : {kOlder, kNewer}) {
    IdentityGuard guard({{wire::gid_from_ipv4(0x0a000001), 0x10, kSelf}, kListen, kPatience});
    for (int i = 0; i < 40; ++i, now_ns_ += kMs) {
      if (i % 10 == 0) guard.heard(other, now_ns_);
      EXPECT_FALSE(guard.may_speak(now_ns_));
    }
    EXPECT_TRUE(guard.lost()) << other;
    const auto event = guard.take_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->one, kSelf);
    EXPECT_EQ(event->other, other);
    EXPECT_TRUE(event->own && event->lost);
    EXPECT_FALSE(guard.take_event());
  }
}

TEST_F(IdentityGuardTest, lose__expect_three_notices_that_name_both_and_then_silence) {
  run_ms(300, kOlder);
  EXPECT_FALSE(may_speak_);
  EXPECT_EQ(notices_, 3);
  EXPECT_EQ(guard_.next_deadline_ns(), ~uint64_t{0});
  wire::ControlHeader header;
  ASSERT_EQ(wire::load_control(payload_.data(), wire::kDoubleBytes, header),
            counters::DropReason::kNone);
  EXPECT_EQ(header.kind, wire::ControlKind::kDouble);
  EXPECT_EQ(header.incarnation, kSelf);
  EXPECT_EQ(header.data_qpn, 0x10u);
  EXPECT_EQ(wire::load_double(payload_.data()), kOlder);
  run_ms(5'000);
  EXPECT_TRUE(guard_.lost()) << "for good, though the other one is silent now";
}

TEST_F(IdentityGuardTest, speak_newly_and_hear_an_older_one__expect_it_to_give_way_at_once) {
  speak();
  run_ms(11, kOlder);
  EXPECT_TRUE(guard_.lost());
}

TEST_F(IdentityGuardTest, speak_for_long_and_hear_an_older_one__expect_it_to_stay_and_tell) {
  speak();
  run_ms(3'000);
  run_ms(5'000, kOlder);
  EXPECT_TRUE(may_speak_);
  const auto event = guard_.take_event();
  ASSERT_TRUE(event);
  EXPECT_TRUE(event->own);
  EXPECT_FALSE(event->lost);
  EXPECT_FALSE(guard_.take_event()) << "not again so soon";
  EXPECT_EQ(notices_, 3);
  run_ms(6'000, kOlder);
  EXPECT_TRUE(guard_.take_event());
}

// A newcomer may give way yet: it gets the time for it.
TEST_F(IdentityGuardTest, hear_a_newer_one_for_a_moment__expect_it_to_stay) {
  speak();
  run_ms(3'000);
  run_ms(1'900, kNewer);
  run_ms(3'000);
  EXPECT_TRUE(may_speak_);
  run_ms(1'900, kNewer);
  EXPECT_TRUE(may_speak_) << "it counts anew behind a pause";
}

TEST_F(IdentityGuardTest, hear_a_newer_one_for_long__expect_it_to_give_way) {
  speak();
  run_ms(3'000);
  run_ms(2'020, kNewer);
  EXPECT_TRUE(guard_.lost());
}

TEST_F(IdentityGuardTest, wake_long_after_the_other_began__expect_a_pause_of_its_own_not_to_count) {
  speak();
  now_ns_ += 60'000 * kMs;  // stopped: what the port kept comes all at once
  for (int i = 0; i < 100; ++i) guard_.heard(kNewer, now_ns_);
  run_ms(1'000, kNewer);
  EXPECT_TRUE(may_speak_);
  run_ms(1'020, kNewer);
  EXPECT_TRUE(guard_.lost());
}

}  // namespace identity_guard_test
}  // namespace lambdacast::node
