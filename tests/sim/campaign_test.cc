// SPDX-License-Identifier: BSD-3-Clause
// A few hundred random scenarios through every checker, on the shipped cores. A failing seed is
// replayed with: lambdacast-sim replay --seed SEED --trace

#include <gtest/gtest.h>

#include <span>

#include "sim/multicast/random_rates.h"
#include "sim/multicast/random_ring.h"
#include "sim/multicast/random_scenario.h"
#include "sim/multicast/random_views.h"
#include "sim/multicast/run_seed.h"

namespace lambdacast::sim {
namespace {

// A sanitizer makes each seed several times as long, and finds its kind of fault in few of them.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LAMBDACAST_INSTRUMENTED
#endif
#endif
#if defined(LAMBDACAST_INSTRUMENTED) || defined(__SANITIZE_ADDRESS__)
constexpr bool kAllSeeds = false;
#else
constexpr bool kAllSeeds = true;
#endif

// The `count` seeds behind that one; none may have a violation. Without all of them what they
// cover is not to be asked.
Coverage run_seeds(uint64_t before, uint64_t count) {
  Coverage coverage;
  if (!kAllSeeds) count = (count + 3) / 4;
  for (uint64_t seed = before + 1; seed <= before + count; ++seed) {
    const SeedResult result = run_seed(seed);
    EXPECT_TRUE(result.violations.empty())
        << "seed " << seed << ": " << result.violations.size()
        << " violations, the first: " << result.violations.front();
    coverage.add(result.coverage);
  }
  return coverage;
}

// Seeds that are kept for what they found: in calm surroundings, as they found it, and in wild
// ones.
void run_kept(uint64_t before, std::span<const uint64_t> seeds) {
  for (const uint64_t seed : seeds) {
    for (const Weather weather : {Weather::kCalm, Weather::kWild}) {
      if (!kAllSeeds && weather == Weather::kCalm) continue;
      const SeedResult result =
          run_seed(before + seed, make_shipped_endpoint, nullptr, nullptr, weather);
      EXPECT_TRUE(result.violations.empty())
          << "seed " << seed << (weather == Weather::kCalm ? ", calm: " : ", wild: ")
          << result.violations.front();
    }
  }
}

TEST(Campaign, random_scenarios__expect_no_violation_and_every_kind_of_event) {
  const Coverage coverage = run_seeds(0, 400);
  if (!kAllSeeds) return;
  EXPECT_STREQ(coverage.missing(), nullptr);
  EXPECT_GT(coverage.delivered, 100'000u);
  EXPECT_GT(coverage.delivered_unreliable, 10'000u);
  EXPECT_GT(coverage.repaired, 10'000u);
  EXPECT_GT(coverage.lost_at_transmitter, 100u);
  EXPECT_GT(coverage.copies_damaged, 1'000u);
  EXPECT_GT(coverage.ring_losses, 100u);
  EXPECT_GT(coverage.nacks_suppressed, 100u);
  EXPECT_GT(coverage.slow_consumer, 100u);
  EXPECT_GT(coverage.lost_outside_retention, 0u);
}

TEST(Campaign, random_scenarios_with_views__expect_no_violation_and_views_to_change) {
  const Coverage coverage = run_seeds(kViewSeeds, 110);
  if (!kAllSeeds) return;
  EXPECT_STREQ(coverage.missing(), nullptr);
  EXPECT_GT(coverage.view_changes, 300u);
  EXPECT_GT(coverage.excluded, 20u);
  EXPECT_GT(coverage.recovered, 1'000u);
  EXPECT_GT(coverage.totally_resilient, 10'000u);
}

TEST(Campaign, the_first_seeds_of_a_fabric_that_tells_of_deaths__expect_no_violation) {
  const Coverage coverage = run_seeds(kDeathSeeds, 60);
  if (!kAllSeeds) return;
  EXPECT_GT(coverage.buried, 50u);
  EXPECT_GT(coverage.view_changes, 100u);
}

TEST(Campaign, random_scenarios_with_groups__expect_no_violation_and_states_handed_over) {
  const Coverage coverage = run_seeds(kGroupSeeds, 40);
  if (!kAllSeeds) return;
  EXPECT_STREQ(coverage.missing(), nullptr);
  EXPECT_GT(coverage.group_views, 1'000u);
  EXPECT_GT(coverage.states_restored, 300u);
}

TEST(Campaign, random_scenarios_with_a_ring__expect_no_violation_and_tokens_passed) {
  const Coverage coverage = run_seeds(kRingSeeds, 40);
  if (!kAllSeeds) return;
  EXPECT_GT(coverage.passes, 1'000u);
  EXPECT_GT(coverage.passes_empty, 100u);
  EXPECT_GT(coverage.view_changes, 50u);
}

// Found bugs of membership, or checkers that claimed too much.
TEST(Campaign, seeds_with_a_ring_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      403193,    // a joiner held on to a view of lives that were over, and heard none of their next
      403194,    // the view before the last was news to an application that died
      407200,    // who began a view alone died before its application was told
      20053420,  // a joiner waited for a first view that was over, and missed the next one
      20067955,  // a joiner was cut off as a member of a view that it had not heard of
      77272,     // a member was in two first views, and its passes were taken for those of one
  };
  run_kept(kRingSeeds, kSeeds);
}

TEST(Campaign, the_first_seeds_with_long_messages__expect_no_violation_and_some_that_go_on) {
  const Coverage coverage = run_seeds(kLongSeeds, 60);
  if (!kAllSeeds) return;
  EXPECT_GT(coverage.long_messages, 5'000u);
  EXPECT_GT(coverage.resumed, 0u);
}

TEST(Campaign, the_first_seeds_with_messages_of_several_packets__expect_no_violation) {
  const Coverage coverage = run_seeds(kPartsSeeds, 200);
  const Coverage with_views = run_seeds(kViewPartsSeeds, 60);
  if (!kAllSeeds) return;
  EXPECT_GT(coverage.long_messages, 5'000u);
  EXPECT_GT(coverage.lost_in_reassembly, 0u);
  EXPECT_GT(with_views.long_messages, 5'000u);
  EXPECT_GT(with_views.resumed, 0u);  // with views losses in reassembly are rare
}

// Found bugs of reassembly, or checkers that claimed too much.
TEST(Campaign, seeds_with_messages_of_several_packets_that_failed__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      kPartsSeeds + 230,        // another message's loss ended this one, and nobody was told
      kPartsSeeds + 532,        // the same
      kPartsSeeds + 20002463,   // cut off for silence, and its status stood in a link
      kPartsSeeds + 20004131,   // the port had all packets, and nobody one to hand it
      kPartsSeeds + 20011591,   // the odd frame stayed the turn of data with a closed window
      kPartsSeeds + 20011915,   // the pool had nothing for a message's rest, and nobody tried again
      kViewPartsSeeds + 695,    // a departing member's ordered message was given up before its view
      kViewPartsSeeds + 1356,   // the same
      kViewPartsSeeds + 10927,  // out by itself, for its sender had cut it off before the view
      kViewPartsSeeds + 20000366,  // who goes on alone says so later than it does
      kViewPartsSeeds + 20033622,  // last words on their way to the half that decides
  };
  run_kept(0, kSeeds);
}

TEST(Campaign, random_scenarios_with_rates__expect_no_receiver_sent_too_much) {
  const Coverage coverage = run_seeds(kRateSeeds, 40);
  if (!kAllSeeds) return;
  EXPECT_GT(coverage.view_changes, 50u);
  EXPECT_GT(coverage.raises, 500u);
}

// Found bugs of rate control, or checkers that claimed too much.
TEST(Campaign, rate_seeds_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      100050,    // who is out may send at its own limit, which is no share
      100529,    // a newcomer and one whose share falls began a view in the same moment
      200010,    // the same
      200082,    // the same
      100065,    // statuses that waited for the share told of the past, and no view formed
      100081,    // the same: what they held up was asked for again
      200769,    // the same: windows stayed closed
      100477,    // who was alone in a view keeps the lease that it has granted itself
      10025014,  // a ballot waited for repairs at the rate of a node without a share
      14050003,  // words of a quorum that had waited in the port for longer than a lease renewed it
      13004030,  // relays of a member turned frame accounting back to it from its next life
      12500002,  // a node that came again heard nothing of its new stream from one that gave up the
                 // old
      11032375,  // a node that had left was in the view that its ballot ended with
      14101646,  // one that had left in the ballot for its first view was accused of silence there
      14154312,  // a pause was the first round trip, and a NACK was not repeated for 31 ms
      14151309,  // a view counts for its members from when it is chosen
      14251870,  // a node admits a member in the turn behind the one in which the view begins
      15059884,  // a node earns at its higher rate until the turn in which it hears of the fall
      15055160,  // who leaves may be the quorum of its view, and let itself out unheard
      15050371,  // among twenty nodes control leaves repairs little of a rate without a share
      15050380,  // a view counts for who is not in it from when it is chosen, too
      14251882,  // a port took a burst behind the fall of the rate, and had refused it before
      15068354,  // a node that was left out still had its part of the last view's reserve
      15034718,  // a rate fell and rose before the node heard of either
      15041620,  // one that left ended its view alone, and said so in the turn behind
  };
  run_kept(kRateSeeds, kSeeds);
}

// Found bugs of calls by sessions, and of the streams under them.
TEST(Campaign, seeds_of_locks_and_calls_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      591,   // callers whom entries refused came again at once, and left no room for anything else
      1044,  // a life whose clock was set back was heard twice before the one before it had ended
      700067,  // what was sent before a first view is for those alone that had been admitted
      501476,  // a node that was left out was told that the positions given up were held
      501992,  // each step of a slow caller's calls came behind a backlog of 100 ms
      20219,   // two calls were repeated in step, and the first one took the room at their entry
      2147484623,  // a slow consumer heard behind its backlog that it was out, and came back late
      2493,        // relays turned frame accounting back to a life whose next one was paused
      2148582355,  // the same, of a life whose frames had been refused as stale
      1063529,     // a session had expired where its group had been founded anew, by another number
      1014588,     // a node without quorum let marks go that it had framed and not sent
  };
  run_kept(kHandlerSeeds, kSeeds);
}

TEST(Campaign, random_scenarios_with_locks__expect_no_violation_and_locks_that_move) {
  const Coverage coverage = run_seeds(kHandlerSeeds, 40);
  if (!kAllSeeds) return;
  EXPECT_GT(coverage.locks_granted, 200u);
  EXPECT_GT(coverage.locks_moved, 100u);
  EXPECT_GT(coverage.register_writes, 500u);
}

TEST(Campaign, random_scenarios_with_locks_of_suspended_groups__expect_no_violation) {
  const Coverage coverage = run_seeds(kSuspendedSeeds, 10);
  if (!kAllSeeds) return;
  EXPECT_GT(coverage.locks_withheld, 20u);
}

// Found bugs of membership and order, or checkers that claimed too much.
TEST(Campaign, view_seeds_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      21,    // a member that never heard of its first view joined the second one as a newcomer
      26,    // a leader accused all others for ever, and found no quorum
      65,    // source ordered packets waited for other groups, and were overtaken in their own
      93,    // what nobody had marked was left for a view whose newcomers do not hold it
      102,   // what was source ordered behind it
      105,   // a first view was adopted again and again, and one of its members was dead
      255,   // a member's next life took its place before the view began
      971,   // of a departed life that had a next one nothing relayed was taken
      248,   // a coordinator alone waited for the next life of whom it had proposed
      483,   // the same: a member that had not heard of the ballot's end
      540,   // all had accepted a first view, and who alone had installed it died
      413,   // a last member left, and handed over to newcomers alone
      654,   // a member heard of the view without it before anybody had installed it
      241,   // the silence was as long as suspect_after, the fault shorter by a part of a heartbeat
      4634,  // a first view whose dead member most of the living lacked the stream of
      5419,  // the same, and few had come along to it
      730,   // marks applied over a hole, by one excluded that did not know it
      775,   // given up for a ballot that came to nothing: its sender was there, and had it
      2606,  // the same
      9469,  // marks have an age as well
      5998,  // a slow application, and one stream's backlog had all its turns
      53841,  // cut off before the first view, and held on to who had cut it off
      55069,  // a value that all had accepted, let go for a later ballot that offered it again
      58059,  // a coordinator waited for its own ballot's dead member, and was too few for another
      55179,  // the same: all who had accepted it
      54530,  // ballots fail, windows fill, all accuse each other of lagging
      56441,  // a coordinator that had stood still excluded who had suspected it
      61839,  // what came while joining was of the view, and forgotten when its ballot was repeated
      11845,  // a full hold, and behind skipped positions nothing else was taken
      1125,   // members that cannot come along are too few with the others for another view
      26839,  // accused of lagging by one who had been told of it while it stood still
      71363,  // a member's suspicion of the view before, read by the ranks of the next one
      76403,  // what a departed life still sent was held, and its next life's order waited behind
              // it
      56166,  // what holes are in an order that some had by marks, and recovery gave otherwise to
              // the rest
      82965,  // a member had left, and another one was out of the view before it was seen off
      24457,  // accused of lagging while ballots fail, and without them too few for a view
      49257,  // who was to join had promised a ballot of a view that died to the last member
      997,    // what a receiver lacked was called stable before it was said to be cut off
      73,     // an application that refused: marks of a view were said under the next one's ranks
      20000124,  // the application refused before a ballot, and its node was deaf from then on
  };
  run_kept(kViewSeeds, kSeeds);
}

// The same with groups that have names.
TEST(Campaign, group_seeds_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      74924,    // too full a hold ended its membership, and a source ordered message with it
      82316,    // no view could follow, and a member stood still before a change of the group
      78960,    // a checker that claimed too much: who was to join had not heard of its view, whose
                // only other member died
      1016461,  // who came along at the last moment voted for the view without it
      1010490,  // a first view was refuted, and who knew it still asked for it to be completed
  };
  run_kept(kGroupSeeds, kSeeds);
}

// The same where the fabric tells of deaths.
TEST(Campaign, death_seeds_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      8589937856,  // a member, its clock set back, was taken for late frames of the life before it
  };
  run_kept(kDeathSeeds, kSeeds);
}

// The same with long messages, both times checkers that claimed too much.
TEST(Campaign, long_seeds_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      74170,  // who gave up what nobody had died before it installed the view
      570,    // silence counts from the last control frame: data came for a little longer
  };
  run_kept(kLongSeeds, kSeeds);
}

// A process that is out of its view does not end by itself: what it says is heard by all others.
TEST(Campaign, excluded_lives_linger__expect_no_violation_and_the_others_to_go_on) {
  Coverage coverage;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Scenario scenario = random_view_scenario(kViewSeeds + seed);
    scenario.membership.linger_ns = 4 * scenario.membership.views.suspect_after_ns;
    Simulation simulation(scenario, kViewSeeds + seed);
    const Report report = simulation.run();
    const Violations violations = check_all(scenario, report.log);
    EXPECT_TRUE(violations.empty()) << "seed " << seed << ": " << violations.front();
    coverage.add(report.log);
  }
  EXPECT_GT(coverage.excluded, 10u);
}

// Each of these once found a bug of the cores, or a checker that claimed too much.
TEST(Campaign, seeds_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      20003044,  // cut off for silence, and its status stood in a link
      20030482,  // admitted anew before it had heard that it was cut off, and the welcome was lost
      430,       // positions announced beyond a full window, and then the sender went away
      1459,      // cut off again before it had heard of being admitted anew
      4924,      // cut off by a sender that died before it was joined again
      6759,      // repairs for one that had died since it asked
      6894,      // a receiver cut off and heard in its next life before anybody took the event
      7127,      // the same
      15261,     // repairs within a round trip that nobody had measured yet
      24961,     // the same, after a restart
      19552,     // a receiver that was leaving when its sender's next life spoke
      22788,     // a receiver cut off for its lag and admitted anew at once
      25037,     // packets behind the heartbeat of their sender's next life
      79964,     // a newcomer asked again for what was under way to it
      77895,     // a sender died between admitting anew and saying so
      54535,     // a copy of a NACK, later than a repair is held off
      5029322,   // a frame that overtook its receiver's welcome, and then the sender went away
      20011438,  // statuses dropped in a full link: packets beyond a window
      20013290,  // the same: repairs of use to nobody
      20037117,  // the same, of another sender
      20034842,  // the same: a receiver was taken for slow
      20038700,  // a receiver paused while its application had not taken what it had acknowledged
      20043410,  // behind short links a slow consumer asked again for what stood before it
      17199906699,  // last words dropped in a full link
  };
  run_kept(0, kSeeds);
}

// The seed as it is, whatever its kind.
TEST(Campaign, wild_seeds_with_views_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      9389940411,   // left alone in its view it delivered what its port had not taken
      22274845898,  // the sending half acted upon a view some turns after it was told
      5094983136,   // the same
      5094979872,   // a newcomer was told of the next view before a member of the one before
      5094982596,   // it died, and had acted upon a view that it was not told
      22274855042,  // the same, of one that left
      22274854354,  // a slow coordinator excluded those who accused it
      9389957151,   // left alone it was told of its view late
      13684926633,  // acted upon a view some turns after it was told, again
      9389953815,   // stable late: sent before its sender was in a view
  };
  run_kept(0, kSeeds);
}

TEST(Campaign, equal_seeds__expect_equal_traces_and_different_ones_otherwise) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const uint64_t hash = run_seed(seed).trace_hash;
    EXPECT_EQ(run_seed(seed).trace_hash, hash) << "seed " << seed;
    EXPECT_NE(run_seed(seed + 1000).trace_hash, hash) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lambdacast::sim
