// SPDX-License-Identifier: BSD-3-Clause
#include "true_run.h"

namespace lambdacast::sim {
namespace {

using counters::DropReason;

class CheckFramesTest : public TrueRun {
 protected:
  // Of receiver 2 about the sender.
  reliability::StreamReport& account(Log& log) {
    return std::find_if(log.lives[2].accounts.begin(), log.lives[2].accounts.end(),
                        [](const StreamAccount& each) { return each.sender == 0; })
        ->frames;
  }
};

TEST_F(CheckFramesTest, true_run__expect_no_violation_and_losses_counted) {
  EXPECT_EQ(check_frames(scenario_, log_), Violations{});
  EXPECT_GT(account(log_).current.missing, 5u);
}

TEST_F(CheckFramesTest, any_counter_off_by_one__expect_violation) {
  using Field = uint64_t reliability::SequenceCounters::*;
  using reliability::SequenceCounters;
  for (const Field field : {&SequenceCounters::received, &SequenceCounters::missing,
                            &SequenceCounters::late, &SequenceCounters::duplicates,
                            &SequenceCounters::too_old, &SequenceCounters::too_far_ahead}) {
    Log falsified = log_;
    ++(account(falsified).current.*field);
    EXPECT_EQ(check_frames(scenario_, falsified).size(), 1u);
  }
}

TEST_F(CheckFramesTest, sequence_or_psn_wrong__expect_violation) {
  using Field = uint64_t reliability::StreamReport::*;
  using reliability::StreamReport;
  for (const Field field : {&StreamReport::first_frame_seq, &StreamReport::highest_frame_seq,
                            &StreamReport::psn_mismatches}) {
    Log falsified = log_;
    ++(account(falsified).*field);
    EXPECT_EQ(check_frames(scenario_, falsified).size(), 1u);
  }
}

TEST_F(CheckFramesTest, second_copy_taken_for_new__expect_violation) {
  Arrival again = *std::find_if(log_.arrivals.begin(), log_.arrivals.end(), [&](const Arrival& a) {
    return a.receiver == 1 && log_.frames[a.frame].life == 0;
  });
  again.outcome = DropReason::kNone;
  log_.arrivals.push_back(again);
  EXPECT_FALSE(check_frames(scenario_, log_).empty());
}

TEST_F(CheckFramesTest, refused_as_of_an_earlier_life__expect_violation_unless_a_later_one_spoke) {
  const auto arrival =
      std::find_if(log_.arrivals.begin(), log_.arrivals.end(), [&](const Arrival& a) {
        return a.receiver == 1 && log_.frames[a.frame].life == 0 && a.outcome == DropReason::kNone;
      });
  arrival->outcome = DropReason::kStaleIncarnation;
  EXPECT_EQ(check_frames(scenario_, log_).size(), 1u);
  log_.lives[3].node = 0;  // node 3's life as a second one of the sender
  log_.lives[3].accounts.clear();
  log_.heard[1][3].any = true;
  EXPECT_EQ(check_frames(scenario_, log_), Violations{});
}

// Node 1 hears a frame of life 0 of node 0 and one of its next life, whose view it waits for. That
// is silent, and a relay of life 0 comes once more, before a second frame of the next life.
TEST(CheckFrames, relay_of_a_life_that_is_over_heard_behind_its_next__expect_both_counted_anew) {
  Scenario scenario = quiet_scenario(3);
  Log log;
  log.membership = true;
  log.lives.resize(4);
  for (const uint32_t life : {2u, 3u}) log.lives[life].node = life - 1;
  log.heard.assign(4, std::vector<Heard>(4));
  log.heard[2][0].any = true;
  const auto hear = [&](uint32_t life, uint64_t frame_seq, DropReason outcome, bool relay = false) {
    SentFrame frame;
    frame.life = life;
    frame.frame_seq = frame_seq;
    frame.recoverable = true;
    if (relay) frame.relayed_by = 3;
    if (!relay) ++log.lives[life].counters.transmitted_packets;  // a relay counts as none
    log.frames.push_back(frame);
    log.arrivals.push_back({static_cast<uint32_t>(log.frames.size() - 1), 2, outcome});
  };
  hear(0, 10, DropReason::kNone);
  hear(1, 100, DropReason::kStaleIncarnation);
  hear(0, 10, DropReason::kNotJoined, true);
  hear(1, 101, DropReason::kNone);
  StreamAccount account;
  account.sender = 1;
  account.frames.current.received = 1;
  account.frames.first_frame_seq = account.frames.highest_frame_seq = 101;
  log.lives[2].accounts.push_back(account);
  EXPECT_EQ(check_frames(scenario, log), Violations{});
  log.frames[2].relayed_by = kNobody;
  ++log.lives[0].counters.transmitted_packets;
  EXPECT_FALSE(check_frames(scenario, log).empty());
}

TEST_F(CheckFramesTest, stage_counters_off_by_one__expect_violation) {
  for (int which = 0; which < 4; ++which) {
    Log falsified = log_;
    StageTotals& counters = falsified.lives[1].counters;
    if (which == 0) ++counters.receive.received;
    if (which == 1) ++counters.reliability.forwarded;
    if (which == 2) counters.reliability.drops.add(DropReason::kDuplicate);
    if (which == 3) ++counters.transmitted_packets;
    EXPECT_FALSE(check_frames(scenario_, falsified).empty()) << which;
  }
}

}  // namespace
}  // namespace lambdacast::sim
