// SPDX-License-Identifier: BSD-3-Clause
#include "node/newcomers.h"

#include "place_fixture.h"

namespace lambdacast::node {
namespace {

using NewcomersTest = PlaceFixture;

TEST_F(NewcomersTest, a_place_for_everybody__expect_nobody_asked) {
  for (const uint32_t number : {0u, 1u, 2u}) hear(number);
  poll_receive();
  EXPECT_EQ(handover_.step(), Step::kIdle);
  EXPECT_FALSE(newcomers_.has_turn());
}

TEST_F(NewcomersTest, find_the_table_full__expect_the_place_of_who_is_gone_and_an_event) {
  fill();
  EXPECT_EQ(arrive(3), kNoPeer);
  EXPECT_TRUE(newcomers_.has_turn());
  poll_receive();
  EXPECT_FALSE(newcomers_.has_turn()) << "reliability has";
  for (int i = 0; i < 3; ++i) poll_both();
  EXPECT_EQ(handover_.step(), Step::kIdle);
  EXPECT_EQ(arrive(3), 1);
  EXPECT_EQ(newcomers_.reused(), 1u);
  const auto event = newcomers_.take_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->newcomer, name(3));
  EXPECT_EQ(event->before, name(1));
  EXPECT_FALSE(event->refused || event->left);
  EXPECT_GT(event->silent_ns, 2 * small_config().suspect_after_ns);
  EXPECT_FALSE(newcomers_.take_event());
  judge();
  EXPECT_EQ(succeeded_, 1u);
}

TEST_F(NewcomersTest, several_find_the_table_full__expect_a_place_each_as_far_as_there_are) {
  for (const uint32_t number : {0u, 1u, 2u}) hear(number);
  pass(3 * small_config().suspect_after_ns);
  for (const uint32_t number : {3u, 4u, 5u}) {
    EXPECT_EQ(arrive(number), kNoPeer);
    for (int i = 0; i < 4; ++i) poll_both();
    EXPECT_NE(arrive(number), kNoPeer);
    judge();
  }
  EXPECT_EQ(newcomers_.reused(), 3u);
  EXPECT_EQ(succeeded_, 3u);
}

TEST_F(NewcomersTest, everybody_is_alive__expect_a_refusal_told_every_ten_seconds) {
  for (const uint32_t number : {0u, 1u, 2u}) hear(number);
  for (int ms = 0; ms < 15'000; ms += 5) {
    pass(5 * kMs);
    for (const uint32_t number : {0u, 1u, 2u}) hear(number);
    EXPECT_EQ(arrive(3), kNoPeer);
    poll_both();
    poll_both();
  }
  for (int times = 0; times < 2; ++times) {
    const auto event = newcomers_.take_event();
    ASSERT_TRUE(event);
    EXPECT_TRUE(event->refused);
    EXPECT_EQ(event->newcomer, name(3));
  }
  EXPECT_FALSE(newcomers_.take_event());
  EXPECT_EQ(newcomers_.reused(), 0u);
  EXPECT_EQ(arrive(0), 0);
}

// --- the peer comes back -------------------------------------------------------------------------

TEST_F(NewcomersTest, hear_the_peer_before_its_place_is_withdrawn__expect_it_to_keep_it) {
  withdraw();
  EXPECT_EQ(arrive(1), 1);
  poll_receive();  // its frame is in the link
  EXPECT_EQ(handover_.step(), Step::kWithdrawn);
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kWithdrawn) << "that frame is not judged yet";
  judge();
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kIdle) << "it is alive";
  poll_both();
  EXPECT_EQ(arrive(1), 1);
  EXPECT_EQ(newcomers_.reused(), 0u);
}

TEST_F(NewcomersTest, hear_the_peer_while_its_place_is_withdrawn__expect_it_to_have_it_again) {
  withdraw();
  poll_receive();
  EXPECT_EQ(handover_.step(), Step::kWithdrawn);
  EXPECT_EQ(arrive(1), 1);
  poll_reliability();  // the frame is in the link, behind those that count
  judge();
  for (int i = 0; i < 4; ++i) poll_both();
  EXPECT_EQ(newcomers_.reused(), 0u);
  EXPECT_EQ(arrive(1), 1);
  EXPECT_EQ(arrive(3), kNoPeer);
  EXPECT_EQ(succeeded_, 0u);
}

TEST_F(NewcomersTest, hear_the_peer_when_its_place_is_granted__expect_it_to_have_it_again) {
  withdraw();
  poll_receive();
  poll_reliability();
  EXPECT_EQ(handover_.step(), Step::kGranted);
  EXPECT_EQ(arrive(1), 1);
  poll_receive();
  EXPECT_EQ(handover_.step(), Step::kIdle);
  EXPECT_EQ(newcomers_.reused(), 0u);
  judge();
  EXPECT_EQ(succeeded_, 0u) << "it is the same peer, and its stream goes on";
  EXPECT_TRUE(receiver_.knows(1));
  for (int i = 0; i < 4; ++i) poll_both();
  EXPECT_EQ(arrive(1), 1);
  EXPECT_EQ(arrive(3), kNoPeer);
}

TEST_F(NewcomersTest, hear_the_peer_when_another_has_its_place__expect_it_to_be_a_newcomer) {
  withdraw();
  for (int i = 0; i < 2; ++i) poll_both();
  EXPECT_EQ(arrive(1), kNoPeer);
  EXPECT_EQ(arrive(3), 1);
  ASSERT_NE(peers_.newcomer(), nullptr);
  EXPECT_EQ(*peers_.newcomer(), name(1));
}

}  // namespace
}  // namespace lambdacast::node
