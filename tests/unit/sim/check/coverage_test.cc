// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/coverage.h"

#include <set>
#include <string>

#include "lock_script.h"
#include "true_run.h"

namespace lambdacast::sim {
namespace {

using CoverageTest = TrueRun;

TEST_F(CoverageTest, true_run__expect_what_its_log_says) {
  Coverage coverage;
  coverage.add(log_);
  EXPECT_EQ(coverage.seeds, 1u);
  EXPECT_EQ(coverage.frames, log_.frames.size());
  EXPECT_EQ(coverage.nacks, log_.nack_frames.size());
  EXPECT_GT(coverage.delivered, coverage.delivered_unreliable);
  EXPECT_GT(coverage.repairs, 0u);
  EXPECT_EQ(coverage.crashes, 1u);
  EXPECT_EQ(coverage.evicted_lag, 0u);
  EXPECT_GE(coverage.evicted_silent, 1u);
  EXPECT_GT(coverage.lost_evicted, 0u);
  EXPECT_EQ(coverage.lost_deadline, 0u);
  EXPECT_EQ(coverage.missing(), nullptr);
}

TEST_F(CoverageTest, add_two__expect_sums_of_all_fields) {
  Coverage one;
  one.add(log_);
  Coverage two = one;
  two.add(one);
  std::vector<uint64_t> singles;
  std::set<std::string> names;
  one.for_each([&](const char* name, const char*, uint64_t& value) {
    singles.push_back(value);
    names.insert(name);
  });
  EXPECT_EQ(names.size(), singles.size());
  size_t i = 0;
  two.for_each([&](const char* name, const char*, uint64_t& value) {
    EXPECT_EQ(value, 2 * singles[i++]) << name;
  });
}

TEST(Coverage, true_story_of_views__expect_what_its_log_says) {
  Coverage coverage;
  coverage.add(true_story().log_);
  EXPECT_EQ(coverage.with_membership, 1u);
  EXPECT_EQ(coverage.first_views, 5u);
  EXPECT_EQ(coverage.view_changes, 6u);
  EXPECT_EQ(coverage.recovered, 3u);
  EXPECT_EQ(coverage.totally_resilient, 4u);
  EXPECT_EQ(coverage.k_resilient, 3u);
  EXPECT_EQ(coverage.majority, 3u);
  EXPECT_EQ(coverage.totally_ordered, 7u);
}

TEST(Coverage, nothing_ordered_with_membership__expect_that_missing) {
  Coverage coverage;
  coverage.delivered = coverage.repairs = coverage.repaired = coverage.with_membership = 1;
  coverage.stable = 1;
  EXPECT_STREQ(coverage.missing(), "nothing was totally ordered");
  coverage.totally_ordered = 1;
  EXPECT_EQ(coverage.missing(), nullptr);
  coverage.seeds = 200;
  EXPECT_STREQ(coverage.missing(), "no view changed");
  coverage.view_changes = 1;
  EXPECT_STREQ(coverage.missing(), "nothing was recovered of a member that is no more");
}

// One of eight seeds of rates agrees on none.
TEST(Coverage, nobody_cut_off_for_lag__expect_that_missing_unless_all_seeds_are_of_rates) {
  Coverage coverage;
  coverage.delivered = coverage.repairs = coverage.repaired = coverage.stable = 1;
  coverage.seeds = coverage.with_rates = 1000;
  EXPECT_STREQ(coverage.missing(), "nobody was cut off");
  coverage.evicted_silent = 1;
  for (; coverage.seeds < 1009; ++coverage.seeds) {
    for (const uint64_t before : {0, 3, 7}) {
      coverage.with_rates = coverage.seeds - (coverage.seeds + before) / 8;
      EXPECT_STREQ(coverage.missing(), "nobody restarted");
    }
    coverage.with_rates = coverage.seeds / 2;
    EXPECT_STREQ(coverage.missing(), "nobody was cut off");
  }
}

TEST(Coverage, no_neighbours_of_a_ring_died__expect_that_missing) {
  Coverage coverage;
  coverage.delivered = coverage.repairs = coverage.repaired = coverage.stable = 1;
  coverage.seeds = coverage.with_ring = 1000;
  EXPECT_STREQ(coverage.missing(), "no token was on its way to rest");
  coverage.passes_empty = 1;
  EXPECT_STREQ(coverage.missing(), "no token site died");
  coverage.dead_sites = coverage.evicted_lag = coverage.evicted_silent = coverage.restarts = 1;
  coverage.in_runs = coverage.lost_sender_gone = coverage.lost_evicted = 1;
  EXPECT_STREQ(coverage.missing(), "no two neighbours of a ring died");
  coverage.dead_neighbours = 1;
  EXPECT_STREQ(coverage.missing(), "no view ended with a hole");
  coverage.holes = 1;
  EXPECT_EQ(coverage.missing(), nullptr);
}

TEST(Coverage, nothing_happened__expect_something_missing) {
  Coverage coverage;
  EXPECT_STREQ(coverage.missing(), "nothing was delivered");
  coverage.delivered = 1;
  EXPECT_STREQ(coverage.missing(), "nothing was repaired");
  coverage.repairs = coverage.repaired = 1;
  EXPECT_STREQ(coverage.missing(), "nothing was called stable");
  coverage.stable = 1;
  EXPECT_EQ(coverage.missing(), nullptr);
  coverage.seeds = 1000;
  EXPECT_STREQ(coverage.missing(), "nobody was cut off");
  coverage.evicted_lag = coverage.evicted_silent = 1;
  EXPECT_STREQ(coverage.missing(), "nobody restarted");
  coverage.restarts = 1;
  EXPECT_STREQ(coverage.missing(), "nothing was judged a run at a time");
  coverage.in_runs = 1;
  EXPECT_STREQ(coverage.missing(), "nothing was declared lost");
}

TEST(Coverage, a_story_of_locks__expect_what_its_log_says) {
  LockScript script;
  EXPECT_EQ(script.coverage().with_locks, 0u);
  script.say(LockSaid::What::kAcquire, 0, 3);
  using Lock = GroupTold::Lock;
  for (uint32_t life = 0; life < 3; ++life) script.tell(life, Lock::kGranted, 0, 1, 4);
  script.tell(1, Lock::kRefused, 0, 1, 4);
  EXPECT_STREQ(script.coverage().missing_of_locks(), "no messages shared a packet");
  SentFrame frame;
  frame.shared = 2;
  script.log_.frames.push_back(frame);
  EXPECT_EQ(script.coverage().frames_shared, 1u);
  EXPECT_STREQ(script.coverage().missing_of_locks(), "no lock was granted, or none moved");
  for (uint32_t life = 0; life < 3; ++life) script.tell(life, Lock::kMoved, 1, 1, 7);
  EXPECT_STREQ(script.coverage().missing_of_locks(), "no view moved a lock");
  script.tell(2, Lock::kMoved, 2, 2, 0);
  EXPECT_STREQ(script.coverage().missing_of_locks(),
               "no group was suspended when a lock was asked for");
  script.tell(2, Lock::kQueued, 0, 1, 4);
  script.suspend(2);
  EXPECT_EQ(script.coverage().locks_withheld, 0u) << "the group went on then";
  script.tell(2, Lock::kQueued, kNobody, 0, 0);
  EXPECT_STREQ(script.coverage().missing_of_locks(), "no register refused a stale write");
  script.write(1, 1, 7, true);
  script.write(0, 1, 4, false);
  EXPECT_STREQ(script.coverage().missing_of_locks(), "no two believed at once to hold a lock");
  script.log_.register_writes.back().believers = 2;
  EXPECT_STREQ(script.coverage().missing_of_locks(), "no call was acknowledged");
  for (const auto what :
       {Outcome::What::kAcknowledged, Outcome::What::kAnswered, Outcome::What::kShort,
        Outcome::What::kNobody, Outcome::What::kHolderDeparted, Outcome::What::kTimeout,
        Outcome::What::kUnknown, Outcome::What::kExpired, Outcome::What::kNoAnswerKept,
        Outcome::What::kRefused}) {
    CallTold told;
    told.what = CallTold::What::kEnded;
    told.outcome = static_cast<uint8_t>(what);
    script.log_.calls_told.push_back(told);
  }
  EXPECT_STREQ(script.coverage().missing_of_locks(), "no request of a session was repeated");
  script.log_.lives[0].repetitions = 1;
  EXPECT_STREQ(script.coverage().missing_of_locks(), "no request came again that had been refused");
  script.log_.lives[0].refused_again = 1;
  EXPECT_STREQ(script.coverage().missing_of_locks(),
               "no answer was kept in case the holder departs");
  CallTold kept;
  kept.what = CallTold::What::kKeeping;
  script.log_.calls_told.push_back(kept);
  const Coverage coverage = script.coverage();
  EXPECT_EQ(coverage.missing_of_locks(), nullptr);
  EXPECT_EQ(coverage.with_locks, 1u);
  EXPECT_EQ(coverage.locks_granted, 1u);
  EXPECT_EQ(coverage.locks_moved, 2u);
  EXPECT_EQ(coverage.locks_moved_by_view, 1u);
  EXPECT_EQ(coverage.locks_withheld, 1u);
  EXPECT_EQ(coverage.register_writes, 1u);
  EXPECT_EQ(coverage.stale_writes, 1u);
}

}  // namespace
}  // namespace lambdacast::sim
