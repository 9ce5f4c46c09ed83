// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/neighbor_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::neighbor {
namespace neighbor_table_test {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr wire::MacAddress kMac{{2, 0, 0, 0, 0, 1}};
constexpr wire::MacAddress kMoved{{2, 0, 0, 0, 0, 2}};
wire::Gid peer(uint32_t number) { return wire::gid_from_ipv4(0x0a4d0000 + number); }

// The times of all questions about one peer who never answers, until `end_ns`.
std::vector<uint64_t> questions(NeighborTable& table, uint64_t end_ns, uint64_t& given_up) {
  std::vector<uint64_t> times;
  while (table.next_deadline_ns() <= end_ns) {
    const uint64_t now_ns = table.next_deadline_ns();
    if (table.poll(now_ns, given_up)) times.push_back(now_ns);
  }
  return times;
}

NeighborTable with_reachable_peer() {
  NeighborTable table({});
  uint64_t given_up = 0;
  EXPECT_EQ(table.resolve(peer(1), 0).state, NeighborState::kIncomplete);
  EXPECT_TRUE(table.poll(0, given_up));
  EXPECT_EQ(table.hear({peer(1), kMac, true}, 0), NeighborTable::Learnt::kResolved);
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kReachable);
  return table;
}

TEST(NeighborTable, resolve_a_stranger__expect_one_question_to_all_and_then_its_address) {
  NeighborTable table({});
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kNone);
  EXPECT_EQ(table.resolve(peer(1), 5).state, NeighborState::kIncomplete);
  uint64_t given_up = 0;
  const auto question = table.poll(5, given_up);
  ASSERT_TRUE(question);
  EXPECT_EQ(question->target, peer(1));
  EXPECT_FALSE(question->mac);
  EXPECT_FALSE(table.poll(5, given_up));
  EXPECT_EQ(table.hear({peer(1), kMac, true}, 6), NeighborTable::Learnt::kResolved);
  EXPECT_EQ(table.resolve(peer(1), 7).mac, kMac);
}

TEST(NeighborTable, no_answer__expect_three_questions_farther_and_farther_apart) {
  NeighborTable table({});
  (void)table.resolve(peer(1), kSecond);
  uint64_t given_up = 0;
  const auto times = questions(table, 1000 * kSecond, given_up);
  EXPECT_EQ(times, (std::vector<uint64_t>{kSecond, 2 * kSecond, 4 * kSecond}));
  EXPECT_EQ(given_up, 1u);
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kFailed);
  EXPECT_EQ(table.next_deadline_ns(), kNever);
}

TEST(NeighborTable, ask_for_a_failed_peer__expect_it_let_alone_for_longer_each_time) {
  NeighborTable table({});
  uint64_t given_up = 0;
  uint64_t now_ns = 0;
  for (const uint64_t pause_s : {8, 16, 32, 60, 60}) {
    (void)table.resolve(peer(1), now_ns);
    EXPECT_EQ(questions(table, now_ns + 100 * kSecond, given_up).size(), 3u);
    const uint64_t failed_ns = now_ns + 7 * kSecond;
    EXPECT_EQ(table.resolve(peer(1), failed_ns + pause_s * kSecond - 1).state,
              NeighborState::kFailed);
    now_ns = failed_ns + pause_s * kSecond;
  }
  EXPECT_EQ(given_up, 5u);
}

TEST(NeighborTable, use_a_peer_not_confirmed_for_long__expect_its_address_and_a_question_to_it) {
  NeighborTable table = with_reachable_peer();
  uint64_t given_up = 0;
  EXPECT_EQ(table.resolve(peer(1), 29 * kSecond).state, NeighborState::kReachable);
  EXPECT_FALSE(table.poll(29 * kSecond, given_up));
  const Lookup old = table.resolve(peer(1), 31 * kSecond);
  EXPECT_EQ(old.state, NeighborState::kProbe);
  EXPECT_EQ(old.mac, kMac);
  const auto question = table.poll(31 * kSecond, given_up);
  ASSERT_TRUE(question);
  EXPECT_EQ(question->mac, kMac);
  (void)table.hear({peer(1), kMac, true}, 31 * kSecond);
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kReachable);
}

TEST(NeighborTable, peer_gone__expect_three_questions_to_it_three_to_all_and_failure) {
  NeighborTable table = with_reachable_peer();
  (void)table.resolve(peer(1), 31 * kSecond);
  uint64_t given_up = 0;
  int to_it = 0;
  int to_all = 0;
  while (table.next_deadline_ns() != kNever) {
    const auto question = table.poll(table.next_deadline_ns(), given_up);
    if (question) ++(question->mac ? to_it : to_all);
  }
  EXPECT_EQ(to_it, 3);
  EXPECT_EQ(to_all, 3);
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kFailed);
  EXPECT_FALSE(table.find(peer(1)).mac);
}

TEST(NeighborTable, peer_moves__expect_the_new_address_to_be_confirmed_when_used) {
  NeighborTable table = with_reachable_peer();
  EXPECT_EQ(table.hear({peer(1), kMoved}, kSecond), NeighborTable::Learnt::kResolved);
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kStale);
  EXPECT_EQ(table.find(peer(1)).mac, kMoved);
  EXPECT_EQ(table.resolve(peer(1), kSecond).state, NeighborState::kProbe);
}

TEST(NeighborTable, another_answer_that_may_not_replace__expect_the_first_address_in_doubt) {
  NeighborTable table = with_reachable_peer();
  EXPECT_EQ(table.hear({peer(1), kMoved, true, false}, kSecond), NeighborTable::Learnt::kNothing);
  EXPECT_EQ(table.find(peer(1)).mac, kMac);
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kStale);
}

TEST(NeighborTable, permanent_entry__expect_no_question_and_no_change) {
  NeighborTable table({.max_neighbors = 1});
  ASSERT_TRUE(table.add_permanent(peer(1), kMac));
  EXPECT_EQ(table.hear({peer(1), kMoved, true}, 1), NeighborTable::Learnt::kNothing);
  EXPECT_EQ(table.resolve(peer(1), 2).mac, kMac);
  EXPECT_EQ(table.next_deadline_ns(), kNever);
  EXPECT_FALSE(table.add_permanent(peer(2), kMac));
  EXPECT_EQ(table.resolve(peer(2), 3).state, NeighborState::kNone);
}

TEST(NeighborTable, full_of_peers_in_use__expect_strangers_refused_and_the_oldest_replaced) {
  NeighborTable table({.max_neighbors = 2});
  for (const uint32_t number : {1, 2}) {
    (void)table.resolve(peer(number), number);
    (void)table.hear({peer(number), kMac, true}, number);
  }
  EXPECT_EQ(table.hear({peer(3), kMac, false, true, true}, 3), NeighborTable::Learnt::kFull);
  EXPECT_EQ(table.resolve(peer(4), 4).state, NeighborState::kIncomplete);
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kNone);
  EXPECT_EQ(table.find(peer(2)).mac, kMac);
}

TEST(NeighborTable, hear_strangers__expect_only_those_who_speak_to_us_to_be_learnt) {
  NeighborTable table({});
  EXPECT_EQ(table.hear({peer(1), kMac}, 1), NeighborTable::Learnt::kNothing);
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kNone);
  EXPECT_EQ(table.hear({peer(1), kMac, false, true, true}, 1), NeighborTable::Learnt::kResolved);
  EXPECT_EQ(table.find(peer(1)).state, NeighborState::kStale);
}

TEST(NeighborTable, resolve_a_hundred_at_once__expect_no_two_questions_within_ten_ms) {
  NeighborTable table({});
  for (uint32_t number = 0; number < 100; ++number) (void)table.resolve(peer(number), 0);
  uint64_t given_up = 0;
  const auto times = questions(table, 10 * kSecond, given_up);
  ASSERT_GE(times.size(), 100u);
  for (size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i] - times[i - 1], 10'000'000u);
}

TEST(NeighborTable, name_the_states__expect_the_words_of_rfc_4861) {
  EXPECT_STREQ(name(NeighborState::kIncomplete), "incomplete");
  EXPECT_STREQ(name(NeighborState::kPermanent), "permanent");
}

}  // namespace neighbor_table_test
}  // namespace lambdacast::neighbor
