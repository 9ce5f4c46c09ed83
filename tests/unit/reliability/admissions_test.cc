// SPDX-License-Identifier: BSD-3-Clause
// Admissions, as part of a StreamSender: who is admitted, waited for, cut off and told.
#include "sender_fixture.h"

namespace lambdacast::reliability {
namespace {

using AdmissionsTest = SenderFixture;

TEST_F(AdmissionsTest, receive_a_joining_status__expect_admission_welcome_and_event) {
  send(5);
  join(0);
  EXPECT_EQ(sender_->receivers().admitted(), 1u);
  const auto verdicts = heartbeat();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0], (wire::VerdictEntry{peer_name(0), kFirst + 5, wire::Verdict::kWelcome}));
  EXPECT_EQ(wire::load_heartbeat(payload_).last_sent, kFirst + 4);
  EXPECT_EQ(wire::load_heartbeat(payload_).next_frame_seq, 500u);
  EXPECT_EQ(header_.incarnation, config_.self.incarnation);
  EXPECT_EQ(events(), std::vector<What>{What::kJoined});
  EXPECT_TRUE(heartbeat().empty());  // told once
  join(0);                           // the welcome was lost
  EXPECT_EQ(heartbeat()[0].open_at, kFirst + 5);
  EXPECT_EQ(sender_->counters().admissions, 1u);
}

TEST_F(AdmissionsTest, evict_who_lags__expect_the_window_to_forget_it_and_it_told_until_it_hears) {
  ReliabilityConfig config = small_sender_config();
  config.slow_receiver = SlowReceiver::kEvict;
  configure(config);
  join(0);
  join(1);
  (void)heartbeat();
  (void)events();
  send(10);
  for (int ms = 0; ms < 60; ++ms) {
    pass(kMs);
    status(0, kFirst + 9);
    if (sender_->receivers().at(1).admitted) status(1, kFirst + 1);
  }
  EXPECT_FALSE(sender_->receivers().at(1).admitted);
  EXPECT_EQ(events(), std::vector<What>{What::kEvictedLag});
  EXPECT_EQ(sender_->counters().evicted_lag, 1u);
  EXPECT_TRUE(sender_->flushed());
  // In every heartbeat: whichever it hears first.
  for (int i = 0; i < 3; ++i) ASSERT_EQ(heartbeat().size(), 1u);
  status(1, kFirst + 1);  // it has not heard
  const auto verdicts = heartbeat();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].verdict, wire::Verdict::kEvictedLag);
  EXPECT_EQ(verdicts[0].receiver, peer_name(1));
  join(1);
  EXPECT_EQ(heartbeat()[0].verdict, wire::Verdict::kWelcome);
  EXPECT_EQ(sender_->receivers().at(1).evictions, 1u);
}

TEST_F(AdmissionsTest, pace_who_lags__expect_it_waited_for_until_it_has_been_silent_for_long) {
  join(0);
  (void)events();
  send(10);
  pass(config_.suspect_after_ns - 10 * kMs);
  EXPECT_EQ(sender_->receivers().admitted(), 1u);
  status(0, kFirst + 1);
  pass(config_.suspect_after_ns - 10 * kMs);
  EXPECT_EQ(sender_->receivers().admitted(), 1u);
  pass(20 * kMs);
  EXPECT_EQ(sender_->receivers().admitted(), 0u);
  EXPECT_EQ(events(), std::vector<What>{What::kEvictedSilent});
  EXPECT_EQ(heartbeat()[0].verdict, wire::Verdict::kEvictedSilent);
}

TEST_F(AdmissionsTest, hear_a_receiver_leave__expect_its_place_free_and_nobody_accused) {
  join(0);
  send(10);
  (void)events();
  const auto end = heartbeat_payload(peer_name(0), 0, 0, 1, {}, wire::kHeartbeatEnd);
  hear(0, end);
  EXPECT_EQ(events(), std::vector<What>{What::kLeft});
  EXPECT_TRUE(sender_->flushed());
  hear(0, end);
  status(0, kFirst);  // of before
  nack(0, kFirst);
  pass(2 * config_.suspect_after_ns);
  EXPECT_TRUE(events().empty());
  EXPECT_TRUE(heartbeat().empty());
  EXPECT_EQ(sender_->counters().left, 1u);
  EXPECT_EQ(sender_->counters().evicted_silent, 0u);
  join(0, 2);
  EXPECT_EQ(events(), std::vector<What>{What::kJoined});
}

TEST_F(AdmissionsTest, hear_a_member_leave__expect_it_to_have_left_with_the_view) {
  const auto end = heartbeat_payload(peer_name(0), 0, 0, 1, {}, wire::kHeartbeatEnd);
  enum class By { kItsExclusion, kOurExclusion, kSilence };
  for (const By by : {By::kItsExclusion, By::kOurExclusion, By::kSilence}) {
    configure(small_sender_config());
    join(0);
    sender_->enlist(0, peer_name(0), kFirst - 1, now_ns_);
    send(10);
    (void)events();
    hear(0, end);
    EXPECT_TRUE(events().empty());
    EXPECT_FALSE(sender_->flushed()) << "the view decides";
    if (by == By::kItsExclusion) sender_->expel(0, peer_name(0), now_ns_);
    if (by == By::kOurExclusion) sender_->discharge(0, now_ns_);
    if (by == By::kSilence) {  // of a member, while no quorum is to be had
      pass(2 * config_.suspect_after_ns);
      EXPECT_TRUE(events().empty());
      sender_->cut_off_silent(now_ns_);
    }
    EXPECT_EQ(events(), std::vector<What>{What::kLeft});
    pass(2 * config_.suspect_after_ns);
    EXPECT_TRUE(events().empty());
    EXPECT_EQ(sender_->counters().evicted_silent, 0u);
  }
}

TEST_F(AdmissionsTest, hear_of_no_end__expect_heartbeats_of_others_to_mean_nothing) {
  join(0);
  (void)events();
  hear(0, heartbeat_payload(peer_name(0), 0, 0, 1, {}, wire::kHeartbeatReport));
  EXPECT_EQ(sender_->receivers().admitted(), 1u);
}

TEST_F(AdmissionsTest, be_stopped_for_long__expect_nobody_accused) {
  join(0);
  send(10);
  pass(100 * config_.suspect_after_ns, 100 * config_.suspect_after_ns);
  EXPECT_EQ(sender_->receivers().admitted(), 1u);
}

// Once it was waited for until it was silent for too long.
TEST_F(AdmissionsTest, evict_who_lags_behind_what_has_expired__expect_it_cut_off) {
  ReliabilityConfig config = small_sender_config();
  config.late_join = LateJoin::kRetained;
  config.slow_receiver = SlowReceiver::kEvict;
  config.retain_ns = 100 * kMs;
  configure(config);
  send(1);
  pass(70 * kMs);
  join(0);
  send(1);
  pass(40 * kMs);
  EXPECT_EQ(release(), 1u);
  EXPECT_EQ(sender_->receivers().admitted(), 1u);
  pass(20 * kMs);
  EXPECT_EQ(sender_->receivers().admitted(), 0u);
  EXPECT_EQ(events(), (std::vector<What>{What::kJoined, What::kEvictedLag}));
}

TEST_F(AdmissionsTest, join_late_where_all_is_retained__expect_the_oldest_and_time_to_catch_up) {
  ReliabilityConfig config = small_sender_config();
  config.late_join = LateJoin::kRetained;
  config.slow_receiver = SlowReceiver::kEvict;
  configure(config);
  send(40);
  release();
  EXPECT_EQ(sender_->window().size(), 32u);  // half a window
  pass(1'000 * kMs);
  join(0);
  EXPECT_EQ(heartbeat()[0].open_at, kFirst + 8);
  pass(config.evict_lag_ns / 2);
  EXPECT_EQ(sender_->receivers().admitted(), 1u);  // though what it lacks was sent long ago
  pass(config.evict_lag_ns);
  EXPECT_EQ(sender_->receivers().admitted(), 0u);
}

TEST_F(AdmissionsTest, hear_a_restarted_receiver__expect_its_old_life_forgotten_and_not_believed) {
  join(0);
  send(10);
  (void)events();
  join(0, 2);
  EXPECT_EQ(events(), (std::vector<What>{What::kRestarted, What::kJoined}));
  EXPECT_EQ(sender_->stable(), kFirst + 9);
  send(1);
  status(0, kFirst + 10);  // of life 1
  EXPECT_EQ(sender_->stable(), kFirst + 9);
}

// Its incarnation is the older number, and the one before spoke just now for all this half knows.
TEST_F(AdmissionsTest, hear_another_receiver_in_a_place__expect_it_believed_and_the_first_cut_off) {
  join(0);
  status(0, kFirst);
  (void)events();
  const wire::StreamName newcomer{peer_name(9).gid, peer_name(9).qpn, 0};
  sender_->accept_control(0, status_payload(newcomer, {}).bytes.data(),
                          status_payload(newcomer, {}).header, now_ns_, newcomer.gid);
  EXPECT_EQ(events(), std::vector<What>{What::kEvictedSilent});
  EXPECT_EQ(sender_->receivers().at(0).name, newcomer);
  EXPECT_EQ(sender_->receivers().admitted(), 0u);
  EXPECT_TRUE(heartbeat().empty()) << "it is told nothing of the one before";
}

TEST_F(AdmissionsTest, hear_an_older_life_behind_a_silence__expect_it_admitted) {
  join(0, 9);
  pass(config_.suspect_after_ns / 2, config_.heartbeat_max_ns / 4);
  join(0, 4);
  EXPECT_EQ(events(), (std::vector<What>{What::kJoined})) << "a late frame";
  pass(config_.suspect_after_ns, config_.heartbeat_max_ns / 4);
  join(0, 4);
  EXPECT_EQ(events(), (std::vector<What>{What::kEvictedSilent, What::kJoined}));
}

// Events are taken later than they come about.
TEST_F(AdmissionsTest,
       hear_a_life_after_the_eviction_of_another__expect_each_event_to_name_its_own) {
  join(0, 4);
  send(10);
  pass(config_.suspect_after_ns + 10 * kMs, config_.heartbeat_max_ns / 4);
  join(0, 5);
  std::vector<std::pair<What, uint32_t>> told;
  while (const auto event = sender_->take_event())
    told.emplace_back(event->what, event->incarnation);
  EXPECT_EQ(told, (std::vector<std::pair<What, uint32_t>>{
                      {What::kJoined, 4}, {What::kEvictedSilent, 4}, {What::kJoined, 5}}));
  join(0, 6);
  while (const auto event = sender_->take_event())
    told.emplace_back(event->what, event->incarnation);
  EXPECT_EQ(told[3], (std::pair<What, uint32_t>{What::kRestarted, 5}));
}

TEST_F(AdmissionsTest, receive_an_echo__expect_the_round_trip_without_what_it_was_held_back) {
  join(0);
  wire::StatusEntry echo = entry(kFirst - 1);
  echo.echo_timestamp_ns = now_ns_ - 30'000;
  echo.echo_delay_ns = 10'000;
  hear(0, status_payload(peer_name(0), {echo}));
  EXPECT_EQ(sender_->rtt_ns(), 20'000u);
  hear(0, status_payload(peer_name(0), {echo}));  // none is sampled twice
  EXPECT_EQ(sender_->receivers().at(0).round_trip.samples(), 1u);
  echo.echo_timestamp_ns = 1;
  echo.echo_delay_ns = ~uint32_t{0};  // for 4.29 s or more: nobody knows
  now_ns_ += 100'000 * kMs;
  hear(0, status_payload(peer_name(0), {echo}));
  EXPECT_EQ(sender_->receivers().at(0).round_trip.samples(), 1u);
}

TEST_F(AdmissionsTest, tell_more_verdicts_than_a_frame_holds__expect_the_rest_in_the_next) {
  for (uint32_t peer = 0; peer < 8; ++peer) join(peer);
  EXPECT_EQ(heartbeat(256).size(), 5u);
  const uint64_t said_ns = now_ns_;
  EXPECT_EQ(heartbeat(256).size(), 3u);
  EXPECT_LE(now_ns_ - said_ns, config_.status_ns);
}

TEST_F(AdmissionsTest,
       cut_off_more_than_a_heartbeat_names__expect_each_in_turn_and_nothing_gone_of_the_others) {
  for (uint32_t peer = 0; peer < 8; ++peer) join(peer);
  send(20);
  pass(config_.suspect_after_ns + 20 * kMs);
  ASSERT_EQ(sender_->receivers().admitted(), 0u);
  release();
  std::vector<int> named(8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(heartbeat(256).size(), 5u);
    EXPECT_EQ(wire::load_heartbeat(payload_).oldest_retained, kFirst);
    for (uint16_t entry = 0; entry < header_.entries; ++entry) {
      const wire::StreamName receiver = wire::load_verdict(payload_, entry).receiver;
      for (uint32_t peer = 0; peer < 8; ++peer) named[peer] += receiver == peer_name(peer) ? 1 : 0;
    }
  }
  EXPECT_EQ(named, std::vector<int>(8, 5));
  EXPECT_EQ(heartbeat().size(), 8u);
  EXPECT_EQ(wire::load_heartbeat(payload_).oldest_retained, kFirst + 20);
}

TEST_F(AdmissionsTest, fill_the_ring_of_events__expect_the_newest_kept) {
  for (uint32_t life = 1; life <= 300; ++life) join(0, life);
  EXPECT_EQ(events().size(), 256u);
  EXPECT_TRUE(events().empty());
}

}  // namespace
}  // namespace lambdacast::reliability
