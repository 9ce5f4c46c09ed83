// SPDX-License-Identifier: BSD-3-Clause
// What a group remembers of its callers outside the view, case by case. The property test has the
// naive model.
#include "group/sessions.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::group {
namespace sessions_test {

using Verdict = Sessions::Verdict;
using Place = Sessions::Place;

wire::StreamName caller(uint32_t number) {
  return {wire::gid_from_ipv4(0x0a000900 + number), 0x11, 7};
}
wire::Envelope request(uint32_t of, const Place& session, uint64_t number, uint64_t floor = 0) {
  wire::Envelope envelope;
  envelope.caller = caller(of);
  envelope.session = session;
  envelope.number = number;
  envelope.floor = floor;
  return envelope;
}

TEST(Sessions, a_number_twice__expect_a_repetition) {
  Sessions sessions(2);
  const Place id = sessions.open(caller(1), {1, 5});
  EXPECT_EQ(id, (Place{1, 5}));
  EXPECT_EQ(sessions.open(caller(1), {1, 6}), id) << "it has one";
  EXPECT_EQ(sessions.take(request(1, id, 1), {1, 7}), Verdict::kNew);
  EXPECT_EQ(sessions.take(request(1, id, 1), {1, 8}), Verdict::kRepetition);
  EXPECT_EQ(sessions.take(request(1, id, 2), {1, 9}), Verdict::kNew) << "in any order";
}

TEST(Sessions, a_number_below_the_floor__expect_a_repetition) {
  Sessions sessions(2);
  const Place id = sessions.open(caller(1), {1, 5});
  EXPECT_EQ(sessions.take(request(1, id, 9, 8), {1, 6}), Verdict::kNew);
  EXPECT_EQ(sessions.take(request(1, id, 8), {1, 7}), Verdict::kRepetition) << "never executed";
}

TEST(Sessions, a_refusal__expect_it_again_for_its_repetitions) {
  Sessions sessions(2);
  const Place id = sessions.open(caller(1), {1, 5});
  ASSERT_EQ(sessions.take(request(1, id, 1), {1, 6}), Verdict::kNew);
  sessions.refuse(request(1, id, 1));
  EXPECT_EQ(sessions.take(request(1, id, 1), {1, 7}), Verdict::kRefused);
}

TEST(Sessions, one_too_many__expect_the_one_used_longest_ago_to_expire) {
  Sessions sessions(2);
  const Place first = sessions.open(caller(1), {1, 1});
  const Place second = sessions.open(caller(2), {1, 2});
  EXPECT_EQ(sessions.take(request(1, first, 1), {1, 3}), Verdict::kNew);
  (void)sessions.open(caller(3), {1, 4});
  EXPECT_EQ(sessions.expired(), 1u);
  EXPECT_EQ(sessions.take(request(2, second, 1), {1, 5}), Verdict::kExpired);
  EXPECT_EQ(sessions.take(request(1, first, 1), {1, 6}), Verdict::kRepetition);
  const Place again = sessions.open(caller(2), {1, 7});
  EXPECT_NE(again, second);
  EXPECT_EQ(sessions.take(request(2, second, 1), {1, 8}), Verdict::kExpired) << "another session";
}

TEST(Sessions, who_was_asked__expect_it_moved_by_views) {
  Sessions sessions(2);
  const Place id = sessions.open(caller(1), {1, 1});
  ASSERT_EQ(sessions.take(request(1, id, 1), {1, 2}), Verdict::kNew);
  ASSERT_EQ(sessions.take(request(1, id, 2), {1, 3}), Verdict::kNew);
  sessions.ask(request(1, id, 1), 2);
  sessions.ask(request(1, id, 2), 0);
  EXPECT_EQ(sessions.asked(request(1, id, 1)), 2);
  const std::vector<uint8_t> now{kGone, 0, 1};
  sessions.move(now);
  EXPECT_EQ(sessions.asked(request(1, id, 1)), 1);
  EXPECT_EQ(sessions.asked(request(1, id, 2)), kGone);
}

TEST(Sessions, what_was_taken__expect_it_known_unless_refused_or_past) {
  Sessions sessions(2);
  const Place id = sessions.open(caller(1), {1, 1});
  EXPECT_FALSE(sessions.took(request(1, id, 1)));
  ASSERT_EQ(sessions.take(request(1, id, 1), {1, 2}), Verdict::kNew);
  ASSERT_EQ(sessions.take(request(1, id, 2), {1, 3}), Verdict::kNew);
  sessions.refuse(request(1, id, 2));
  EXPECT_TRUE(sessions.took(request(1, id, 1))) << "though nobody is asked";
  EXPECT_FALSE(sessions.took(request(1, id, 2)));
  EXPECT_FALSE(sessions.took(request(2, id, 1))) << "another caller";
  ASSERT_EQ(sessions.take(request(1, id, 3, 1), {1, 4}), Verdict::kNew);
  EXPECT_FALSE(sessions.took(request(1, id, 1))) << "below the floor";
}

TEST(Sessions, saved_and_loaded__expect_the_same_verdicts) {
  Sessions sessions(4);
  const Place id = sessions.open(caller(1), {1, 1});
  ASSERT_EQ(sessions.take(request(1, id, 3, 2), {1, 2}), Verdict::kNew);
  sessions.ask(request(1, id, 3, 2), 1);
  std::vector<uint8_t> saved;
  sessions.save(saved);
  Sessions loaded(4);
  ASSERT_TRUE(loaded.load(saved, 3));
  EXPECT_EQ(loaded.take(request(1, id, 3, 2), {1, 3}), Verdict::kRepetition);
  EXPECT_EQ(loaded.asked(request(1, id, 3, 2)), 1);
  EXPECT_EQ(loaded.take(request(1, id, 4, 2), {1, 4}), Verdict::kNew);
  EXPECT_FALSE(loaded.load(std::span(saved).first(saved.size() - 1), 3));
  EXPECT_EQ(loaded.size(), 0u);
  EXPECT_FALSE(loaded.load(saved, 1)) << "it names a rank that there is not";
}

}  // namespace sessions_test
}  // namespace lambdacast::group
