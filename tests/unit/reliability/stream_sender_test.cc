// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/stream_sender.h"

#include "sender_fixture.h"

namespace lambdacast::reliability {
namespace {

using StreamSenderTest = SenderFixture;

TEST_F(StreamSenderTest, send_to_nobody__expect_all_stable_and_released_at_once) {
  EXPECT_EQ(sender_->allowance(), 64u);
  EXPECT_EQ(send(3), kFirst + 2);
  EXPECT_EQ(sender_->allowance(), 64u);
  EXPECT_TRUE(sender_->flushed());
  EXPECT_EQ(release(), 3u);
}

TEST_F(StreamSenderTest, receive_statuses__expect_the_slowest_to_limit_and_to_release) {
  join(0);
  join(1);
  send(20);
  status(0, kFirst + 19, 64);
  status(1, kFirst + 4, 20);
  EXPECT_EQ(sender_->stable(), kFirst + 4);
  EXPECT_EQ(sender_->allowance(), 5u);  // up to kFirst + 24
  EXPECT_EQ(release(), 5u);
  EXPECT_FALSE(sender_->flushed());
  status(1, kFirst + 19, 64);
  EXPECT_EQ(release(), 15u);
  EXPECT_TRUE(sender_->flushed());
}

TEST_F(StreamSenderTest, receive_a_status_about_what_was_never_sent__expect_it_ignored) {
  join(0);
  send(2);
  status(0, kFirst + 2);
  EXPECT_EQ(sender_->stable(), kFirst - 1);
  status(0, kFirst + 1);
  EXPECT_EQ(sender_->stable(), kFirst + 1);
}

TEST_F(StreamSenderTest,
       flood_a_receiver_that_is_slower__expect_less_in_flight_until_it_is_faster) {
  ReliabilityConfig config = small_sender_config();
  config.transmit_window_pkts = 1'024;
  config.transmit_window_bytes = 1 << 20;
  config.in_flight_pkts = 512;
  config.status_ns = 20'000;
  configure(config);
  join(0);
  uint64_t sent = kFirst - 1;
  uint64_t heard = sent;
  const auto turns = [&](uint64_t packets) {
    for (int i = 0; i < 200; ++i) {
      now_ns_ += config.status_ns;
      heard = std::min(sent, heard + packets);
      wire::StatusEntry told = entry(heard, 1'000);
      told.heard_of = heard;
      hear(0, status_payload(peer_name(0), {told}));
      if (const uint64_t more = sender_->allowance()) sent = send(more);
    }
  };
  turns(160);
  EXPECT_LE(sender_->in_flight(), 240u);
  EXPECT_GE(sender_->in_flight(), 200u);
  EXPECT_EQ(sent - heard, sender_->in_flight());
  turns(500);
  EXPECT_EQ(sender_->in_flight(), 512u);
}

TEST_F(StreamSenderTest, fill_the_transmit_window__expect_no_allowance_until_something_is_stable) {
  ReliabilityConfig config = small_sender_config();
  config.transmit_window_bytes = 1 << 20;
  configure(config);
  join(0);
  status(0, kFirst - 1, 1'000);
  send(64);
  EXPECT_EQ(sender_->window().size(), 64u);
  EXPECT_EQ(sender_->allowance(), 0u);
  sender_->note_closed();
  EXPECT_EQ(sender_->counters().window_closed, 1u);
  status(0, kFirst, 1'000);
  EXPECT_EQ(sender_->allowance(), 1u);
  send();
  EXPECT_EQ(released_.size(), 1u);
}

TEST_F(StreamSenderTest, use_up_the_bytes__expect_no_allowance_and_nothing_unstable_given_up) {
  ReliabilityConfig config = small_sender_config();
  config.transmit_window_bytes = 500;
  configure(config);
  join(0);
  status(0, kFirst - 1, 1'000);
  send(4);
  EXPECT_NE(sender_->allowance(), 0u);
  send(4);  // a burst that was allowed as a whole
  EXPECT_EQ(sender_->allowance(), 0u);
  EXPECT_TRUE(released_.empty());
  EXPECT_EQ(sender_->window().size(), 8u);
  status(0, kFirst + 7, 1'000);
  EXPECT_NE(sender_->allowance(), 0u);
  send();
  EXPECT_EQ(released_.size(), 8u);
}

TEST_F(StreamSenderTest, receive_two_nacks_for_one_packet__expect_one_repair) {
  join(0);
  join(1);
  send(10);
  nack(0, kFirst + 3, 2);
  nack(1, kFirst + 4, 2);
  EXPECT_EQ(repair_all(), (std::vector<uint64_t>{kFirst + 3, kFirst + 4, kFirst + 5}));
  EXPECT_EQ(sender_->counters().nacks, 2u);
  EXPECT_EQ(sender_->counters().requested, 4u);
  EXPECT_EQ(sender_->counters().joined, 1u);
  EXPECT_EQ(sender_->counters().repairs, 3u);
}

TEST_F(StreamSenderTest, ask_what_is_kept_for_whom__expect_bytes_and_repairs_of_each_receiver) {
  join(0);
  join(1);
  send(10);
  status(0, kFirst + 3);
  nack(0, kFirst + 4);
  nack(1, kFirst + 4, 2);
  EXPECT_EQ(sender_->retained_bytes(0), 600u);
  EXPECT_EQ(sender_->retained_bytes(1), 1'000u);
  EXPECT_EQ(sender_->retained_bytes(2), 0u);  // a stranger
  EXPECT_EQ(repair_all().size(), 2u);
  EXPECT_EQ(sender_->receivers().at(0).repairs, 1u);
  EXPECT_EQ(sender_->receivers().at(1).repairs, 1u);
}

// A status may tell of a loss before the NACK does.
TEST_F(StreamSenderTest, repair__expect_its_life_noted_from_its_sending) {
  join(0);
  const uint64_t sent_ns = now_ns_;
  send(4);
  pass(1'000);
  wire::StatusEntry told = entry(kFirst);
  told.runs = 1;
  told.run[0] = {kFirst + 1, 1};
  hear(0, status_payload(peer_name(0), {told}));
  nack(0, kFirst + 1);
  EXPECT_EQ(repair_all().size(), 1u);
  pass(1'000);
  nack(0, kFirst + 1);
  std::vector<RepairStep> steps;
  sender_->trace().for_each([&](const TraceEvent& event) {
    EXPECT_EQ(event.position, kFirst + 1);
    steps.push_back(event.step);
    if (event.step == RepairStep::kSent) {
      EXPECT_EQ(event.at_ns, sent_ns);
    }
  });
  EXPECT_EQ(steps, (std::vector<RepairStep>{RepairStep::kSent, RepairStep::kNackTaken,
                                            RepairStep::kRepaired, RepairStep::kNackTaken,
                                            RepairStep::kHeldOff}));
}

TEST_F(StreamSenderTest, receive_a_nack_while_the_repair_is_under_way__expect_it_held_off) {
  join(0);
  send(10);
  nack(0, kFirst + 3);
  EXPECT_EQ(repair_all().size(), 1u);
  pass(config_.initial_rtt_ns, 10'000);
  nack(0, kFirst + 3);
  EXPECT_TRUE(repair_all().empty());
  EXPECT_EQ(sender_->counters().held_off, 1u);
  pass(config_.initial_rtt_ns, 10'000);
  nack(0, kFirst + 3);
  EXPECT_EQ(repair_all().size(), 1u);
}

TEST_F(StreamSenderTest, repair_in_vain_256_times__expect_it_held_off_as_long_as_before) {
  ReliabilityConfig config = small_sender_config();
  config.suspect_after_ns = 2'000 * kMs;
  config.retain_ns = 3'600'000 * kMs;
  configure(config);
  join(0);
  send(10);
  for (int i = 0; i < 256; ++i) {
    nack(0, kFirst + 3);
    ASSERT_EQ(repair_all().size(), 1u) << i;
    pass(config.suspect_after_ns / 4 + kMs, 50 * kMs);
  }
  nack(0, kFirst + 3);
  ASSERT_EQ(repair_all().size(), 1u);
  pass(config.suspect_after_ns / 8, 50 * kMs);
  nack(0, kFirst + 3);
  EXPECT_TRUE(repair_all().empty());
}

// Found by lambdacast-sim's seed 54535: a copy of a NACK, later than a repair is held off.
TEST_F(StreamSenderTest, receive_a_nack_again_much_later__expect_no_second_repair) {
  join(0);
  send(10);
  nack(0, kFirst + 3);
  EXPECT_EQ(repair_all().size(), 1u);
  pass(10 * config_.initial_rtt_ns, 10'000);
  --nack_stamp_;
  nack(0, kFirst + 3);
  EXPECT_TRUE(repair_all().empty());
  EXPECT_EQ(sender_->counters().nacks, 2u);
  nack(0, kFirst + 3);
  EXPECT_EQ(repair_all().size(), 1u);
}

TEST_F(StreamSenderTest, receive_a_nack_for_what_is_gone__expect_a_heartbeat_that_says_so) {
  send(10);
  release();
  (void)heartbeat();
  const uint64_t said_ns = now_ns_;
  nack(0, kFirst + 3, 2);
  EXPECT_TRUE(repair_all().empty());
  EXPECT_EQ(sender_->counters().too_late, 2u);
  (void)heartbeat();
  EXPECT_LE(now_ns_, said_ns + config_.status_ns);
  EXPECT_EQ(wire::load_heartbeat(payload_).oldest_retained, kFirst + 10);
}

TEST_F(StreamSenderTest, postpone_a_repair__expect_it_offered_again) {
  join(0);
  send(10);
  nack(0, kFirst + 3);
  const auto repair = sender_->next_repair(false);
  ASSERT_TRUE(repair);
  EXPECT_FALSE(sender_->next_repair(false));
  sender_->postpone(repair->position);
  EXPECT_TRUE(sender_->repairs_wait());
  EXPECT_EQ(repair_all(), std::vector<uint64_t>{kFirst + 3});
}

TEST_F(StreamSenderTest, receive_a_nack_with_a_status__expect_both_taken) {
  join(0);
  send(10);
  hear(0, nack_payload(peer_name(0), config_.self, kFirst + 3, {{0, 1}}, ++nack_stamp_,
                       {entry(kFirst + 2)}));
  EXPECT_EQ(sender_->counters().nacks, 1u);
  EXPECT_EQ(sender_->stable(), kFirst + 2);
  EXPECT_EQ(release(), 3u);
  EXPECT_EQ(repair_all(), (std::vector<uint64_t>{kFirst + 3}));
}

TEST_F(StreamSenderTest, receive_anothers_nack_with_a_status__expect_only_the_status_taken) {
  join(0);
  send(10);
  hear(0, nack_payload(peer_name(0), peer_name(1), kFirst + 3, {{0, 1}}, ++nack_stamp_,
                       {entry(kFirst + 2)}));
  EXPECT_EQ(sender_->counters().nacks, 0u);
  EXPECT_EQ(sender_->stable(), kFirst + 2);
  EXPECT_TRUE(repair_all().empty());
}

TEST_F(StreamSenderTest, learn_that_a_request_is_stable__expect_no_repair) {
  join(0);
  send(10);
  nack(0, kFirst + 3);
  status(0, kFirst + 9);
  release();
  EXPECT_TRUE(repair_all().empty());
  EXPECT_EQ(sender_->counters().repairs, 0u);
}

TEST_F(StreamSenderTest, repair_while_data_waits__expect_the_share_only) {
  ReliabilityConfig config = small_sender_config();
  config.transmit_window_pkts = 1024;
  config.transmit_window_bytes = 1 << 20;
  configure(config);
  join(0);
  status(0, kFirst - 1, 1'024);
  send(1'000);
  nack(0, kFirst, 1'000);
  const size_t burst = repair_all(true).size();
  EXPECT_LT(burst, 200u);
  EXPECT_TRUE(repair_all(true).empty());
  sender_->sent_data(10);
  EXPECT_EQ(repair_all(true).size(), 10u);  // half of 20 frames
  EXPECT_EQ(repair_all(false).size(), 1'000 - burst - 10);
}

TEST_F(StreamSenderTest, lose_at_one_and_at_all__expect_the_place_of_each_counted) {
  for (uint32_t peer = 0; peer < 3; ++peer) join(peer);
  send(10);
  wire::StatusEntry told = entry(kFirst + 1);
  told.runs = 1;
  told.run[0] = {kFirst + 2, 1};  // missed by all
  hear(0, status_payload(peer_name(0), {told}));
  told.runs = 2;
  told.run[1] = {kFirst + 5, 2};  // by peer 1 alone
  hear(1, status_payload(peer_name(1), {told}));
  nack(2, kFirst + 2);
  for (uint32_t peer = 0; peer < 3; ++peer) status(peer, kFirst + 9);
  EXPECT_EQ(release(), 10u);
  EXPECT_EQ(sender_->counters().lost_by_all, 1u);
  EXPECT_EQ(sender_->counters().lost_by_some, 2u);
  EXPECT_EQ(sender_->receivers().at(1).missed_alone, 2u);
  EXPECT_EQ(sender_->receivers().at(0).missed_alone, 0u);
}

TEST_F(StreamSenderTest, retain_for_longer_than_allowed__expect_it_released_stable_or_not) {
  for (const LateJoin late_join : {LateJoin::kNow, LateJoin::kRetained}) {
    ReliabilityConfig config = small_sender_config();
    config.late_join = late_join;
    config.retain_ns = 100 * kMs;
    configure(config);
    packets_ = 0;
    join(0);
    send(4);
    status(0, kFirst);
    pass(50 * kMs);
    send(1);
    pass(60 * kMs);
    release();
    EXPECT_EQ(sender_->window().oldest(), kFirst + 4);
    EXPECT_EQ(sender_->counters().expired, 3u);  // one was stable
  }
}

TEST_F(StreamSenderTest, heartbeat__expect_flags_for_what_waits_and_for_the_end) {
  join(0);
  (void)heartbeat();
  EXPECT_EQ(header_.flags, 0);
  send();
  (void)heartbeat();
  EXPECT_EQ(header_.flags, 0);  // its status will come by itself
  send(15);
  (void)heartbeat();
  EXPECT_EQ(header_.flags, wire::kHeartbeatReport);
  sender_->finish();
  status(0, kFirst + 15);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(sender_->said_the_end());
    (void)heartbeat();
    EXPECT_EQ(header_.flags, wire::kHeartbeatEnd);
  }
  EXPECT_TRUE(sender_->said_the_end());
}

TEST_F(StreamSenderTest, clear__expect_everything_given_back) {
  join(0);
  send(10);
  std::vector<PacketHandle> given;
  sender_->clear([&](PacketHandle packet) { given.push_back(packet); });
  EXPECT_EQ(given.size(), 10u);
  EXPECT_EQ(sender_->window().size(), 0u);
}

}  // namespace
}  // namespace lambdacast::reliability
