// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/stream_receiver.h"

#include "receiver_fixture.h"

namespace lambdacast::reliability {
namespace {

using StreamReceiverTest = ReceiverFixture;

TEST_F(StreamReceiverTest, receive_before_the_welcome__expect_only_unreliable_to_pass) {
  EXPECT_EQ(accept({.rel_seq = 50}).reason, DropReason::kNotJoined);
  EXPECT_EQ(accept({.rel_seq = 50, .qos = wire::Qos::kUnreliable}).disposition,
            Disposition::kDeliver);
  const auto entries = statuses();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].stream, peer_name(0));
  EXPECT_EQ(entries[0].flags, wire::kStatusJoining);
  EXPECT_FALSE(report().open);
  EXPECT_EQ(report().contiguous, 0u);
}

TEST_F(StreamReceiverTest, receive_the_welcome__expect_the_stream_from_its_position_on) {
  open(100);
  EXPECT_EQ(report().opened_at, 100u);
  EXPECT_EQ(accept({.rel_seq = 99}).reason, DropReason::kTooOld);
  EXPECT_EQ(data(100), Disposition::kDeliver);
  EXPECT_EQ(accept({.rel_seq = 100}).reason, DropReason::kDuplicate);
  EXPECT_EQ(report().duplicates, 1u);
  EXPECT_EQ(report().contiguous, 100u);
}

TEST_F(StreamReceiverTest, receive_beyond_a_gap__expect_a_nack_at_once_and_order_when_repaired) {
  open();
  EXPECT_EQ(data(100), Disposition::kDeliver);
  EXPECT_EQ(data(103), Disposition::kKeep);
  EXPECT_EQ(data(104), Disposition::kKeep);
  EXPECT_EQ(receiver_->kept(), 2u);
  EXPECT_EQ(nack(), (std::vector<Run>{{101, 2}}));
  EXPECT_TRUE(nack().empty());
  now_ns_ += 10'000;
  EXPECT_EQ(data(101), Disposition::kDeliver);
  EXPECT_EQ(data(102), Disposition::kDeliver);
  EXPECT_EQ(drain(), 2u);
  EXPECT_EQ(delivered_, (std::vector<uint64_t>{103, 104}));
  EXPECT_EQ(report().repaired, 2u);
  EXPECT_EQ(report().first_losses, 2u);
  EXPECT_EQ(receiver_->repair_ns().count(), 2u);
  EXPECT_EQ(receiver_->repair_ns().max(), 10'000u);
  EXPECT_EQ(receiver_->kept(), 0u);
  EXPECT_FALSE(receiver_->backlogged());
}

TEST_F(StreamReceiverTest, receive_unordered_beyond_a_gap__expect_no_waiting) {
  open();
  EXPECT_EQ(accept({.rel_seq = 102, .qos = wire::Qos::kReliable}).disposition,
            Disposition::kDeliver);
  EXPECT_EQ(accept({.rel_seq = 102, .qos = wire::Qos::kReliable}).reason, DropReason::kDuplicate);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 2}}));
}

TEST_F(StreamReceiverTest, receive_unreliable__expect_its_rel_seq_to_tell_of_what_was_lost) {
  open();
  EXPECT_EQ(accept({.rel_seq = 99, .qos = wire::Qos::kUnreliable}).disposition,
            Disposition::kDeliver);
  EXPECT_TRUE(nack().empty());  // a lost unreliable packet is no gap
  EXPECT_EQ(accept({.rel_seq = 101, .qos = wire::Qos::kUnreliable}).disposition,
            Disposition::kDeliver);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 2}}));
}

TEST_F(StreamReceiverTest, receive_a_heartbeat__expect_a_lost_tail_asked_for) {
  open();
  heartbeat(100, 102);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 3}}));
}

TEST_F(StreamReceiverTest, fill_the_window__expect_too_far_ahead) {
  open();
  for (uint64_t at = 101; at < 164; ++at) EXPECT_EQ(data(at), Disposition::kKeep);
  EXPECT_EQ(accept({.rel_seq = 164}).reason, DropReason::kTooFarAhead);
  EXPECT_EQ(report().kept, 63u);
  EXPECT_EQ(report().room, 64u);  // counted from the gap
  EXPECT_EQ(report().contiguous, 99u);
}

// Of all streams together: what one keeps, another lacks.
TEST_F(StreamReceiverTest, fill_the_hold__expect_slow_consumer_and_only_the_first_gap_asked_for) {
  ReliabilityConfig config = small_config();
  config.hold_pkts = 4;
  configure(config);
  open();
  open(100, 1);
  for (const uint64_t at : {101, 103}) {
    EXPECT_EQ(data(at), Disposition::kKeep);
    EXPECT_EQ(accept({.peer = 1, .rel_seq = at}).disposition, Disposition::kKeep);
  }
  EXPECT_EQ(accept({.rel_seq = 105}).reason, DropReason::kSlowConsumer);
  EXPECT_EQ(report().missing, 4u);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 1}}));
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 1}}));  // peer 1's
  now_ns_ += config.initial_rtt_ns;
  EXPECT_TRUE(nack().empty());                  // the others would be refused
  EXPECT_EQ(data(100), Disposition::kDeliver);  // what unlocks is always taken
  EXPECT_EQ(drain(), 1u);
  now_ns_ += 2 * config.initial_rtt_ns;
  EXPECT_EQ(nack(), (std::vector<Run>{{102, 1}, {104, 2}}));
}

TEST_F(StreamReceiverTest, hear_that_it_is_not_retained__expect_it_declared_lost_in_its_place) {
  open();
  EXPECT_EQ(data(102), Disposition::kKeep);
  EXPECT_EQ(data(104), Disposition::kKeep);
  heartbeat(103, 104);
  EXPECT_EQ(drain(), 2u);
  EXPECT_EQ(gaps_, (std::vector<Gap>{{0, 1, 100, 2, LossReason::kOutsideRetention}}));
  EXPECT_EQ(delivered_, std::vector<uint64_t>{102});
  EXPECT_EQ(lost(LossReason::kOutsideRetention), 2u);
  EXPECT_EQ(nack(), (std::vector<Run>{{103, 1}}));
}

TEST_F(StreamReceiverTest, ask_in_vain_until_the_deadline__expect_only_what_is_missing_lost) {
  open();
  for (const uint64_t at : {101, 102, 104}) EXPECT_EQ(data(at), Disposition::kKeep);
  for (uint64_t ms = 0; ms < config_.repair_deadline_ns / kMs + 20; ++ms) {
    pass(kMs);
    heartbeat(100, 104);
    (void)nack();
  }
  drain();
  EXPECT_EQ(lost(LossReason::kDeadline), 2u);
  EXPECT_EQ(gaps_, (std::vector<Gap>{{0, 1, 100, 1, LossReason::kDeadline},
                                     {0, 1, 103, 1, LossReason::kDeadline}}));
  EXPECT_EQ(delivered_, (std::vector<uint64_t>{101, 102, 104}));
  EXPECT_EQ(report().first_losses, report().repaired + lost(LossReason::kDeadline));
}

TEST_F(StreamReceiverTest, refuse_a_gap__expect_it_told_later_and_order_kept) {
  open();
  EXPECT_EQ(data(101), Disposition::kKeep);
  heartbeat(101, 101);
  refuse_gaps_ = true;
  EXPECT_EQ(drain(), 0u);
  EXPECT_TRUE(receiver_->backlogged());
  EXPECT_EQ(data(102), Disposition::kKeep);
  refuse_gaps_ = false;
  EXPECT_EQ(drain(1), 1u);
  EXPECT_EQ(drain(), 2u);
  EXPECT_EQ(delivered_, (std::vector<uint64_t>{101, 102}));
}

TEST_F(StreamReceiverTest, hear_of_eviction__expect_a_gap_and_the_stream_joined_anew) {
  open();
  EXPECT_EQ(data(102), Disposition::kKeep);
  verdict(wire::Verdict::kEvictedLag, 120);
  EXPECT_FALSE(report().open);
  EXPECT_EQ(report().evictions, 1u);
  EXPECT_EQ(drain(), 2u);
  EXPECT_EQ(gaps_, (std::vector<Gap>{{0, 1, 100, 2, LossReason::kEvicted}}));
  EXPECT_EQ(statuses()[0].flags, wire::kStatusJoining);
  verdict(wire::Verdict::kWelcome, 130);
  EXPECT_EQ(drain(), 1u);  // what was sent meanwhile
  EXPECT_EQ(gaps_.back(), (Gap{0, 1, 103, 27, LossReason::kEvicted}));
  EXPECT_TRUE(report().open);
  EXPECT_EQ(data(130), Disposition::kDeliver);
  EXPECT_EQ(lost(LossReason::kEvicted), 29u);
}

TEST_F(StreamReceiverTest,
       hear_of_eviction_and_of_what_is_gone_at_once__expect_the_first_as_reason) {
  open();
  EXPECT_EQ(data(102), Disposition::kKeep);
  heartbeat(120, 140, {{config_.self, 141, wire::Verdict::kEvictedLag}});
  drain();
  EXPECT_EQ(gaps_, (std::vector<Gap>{{0, 1, 100, 2, LossReason::kEvicted}}));
  EXPECT_EQ(lost(LossReason::kOutsideRetention), 0u);
}

// The first welcome has not taken effect yet: what it opened with is gone again.
TEST_F(StreamReceiverTest, welcomed_twice_with_an_eviction_between__expect_the_second_to_count) {
  open();
  EXPECT_EQ(data(102), Disposition::kKeep);
  verdict(wire::Verdict::kEvictedLag, 120);
  drain();
  verdict(wire::Verdict::kWelcome, 130);
  verdict(wire::Verdict::kEvictedLag, 140);
  EXPECT_EQ(drain(), 0u);
  EXPECT_FALSE(report().open);
  verdict(wire::Verdict::kWelcome, 150);
  drain();
  EXPECT_EQ(gaps_.back(), (Gap{0, 1, 103, 47, LossReason::kEvicted}));
  EXPECT_EQ(data(150), Disposition::kDeliver);
}

TEST_F(StreamReceiverTest, welcomed_anew_while_open__expect_what_lies_before_lost_to_the_eviction) {
  open();
  EXPECT_EQ(data(102), Disposition::kKeep);
  heartbeat(110, 120, {{config_.self, 110, wire::Verdict::kWelcome}});
  heartbeat(110, 120, {{config_.self, 110, wire::Verdict::kWelcome}});
  drain();
  EXPECT_EQ(lost(LossReason::kEvicted), 9u);
  EXPECT_EQ(lost(LossReason::kOutsideRetention), 0u);
  EXPECT_EQ(report().evictions, 1u);
  EXPECT_EQ(report().missing, 11u);
}

TEST_F(StreamReceiverTest, hear_of_an_old_eviction_again__expect_it_ignored) {
  open();
  const auto eviction = heartbeat_payload(peer_name(0), 0, 119, ++stamp_,
                                          {{config_.self, 120, wire::Verdict::kEvictedLag}});
  (void)hear(0, eviction);
  verdict(wire::Verdict::kWelcome, 120);
  drain();
  ASSERT_TRUE(report().open);
  EXPECT_EQ(data(121), Disposition::kKeep);
  (void)hear(0, eviction);
  EXPECT_TRUE(report().open);
  EXPECT_EQ(report().evictions, 1u);
  EXPECT_EQ(report().missing, 1u);
}

TEST_F(StreamReceiverTest, hear_a_restarted_sender__expect_the_old_life_ended_and_its_losses_kept) {
  open();
  EXPECT_EQ(data(102), Disposition::kKeep);
  EXPECT_EQ(accept({.incarnation = 2, .rel_seq = 1}).reason, DropReason::kNotJoined);
  EXPECT_EQ(drain(), 2u);
  EXPECT_EQ(gaps_, (std::vector<Gap>{{0, 1, 100, 2, LossReason::kSenderGone}}));
  EXPECT_EQ(accept({.rel_seq = 103}).reason, DropReason::kStaleIncarnation);
  EXPECT_EQ(statuses()[0].stream, peer_name(0, 2));
  verdict(wire::Verdict::kWelcome, 2, 0, 2);
  EXPECT_EQ(accept({.incarnation = 2, .rel_seq = 2}).disposition, Disposition::kDeliver);
  EXPECT_EQ(report().first_losses, 2u);
  EXPECT_EQ(lost(LossReason::kSenderGone), 2u);
}

// Once the new life's packets went into the window of the old one.
TEST_F(StreamReceiverTest,
       leave_and_hear_a_restarted_sender__expect_nothing_of_its_new_life_taken) {
  open();
  receiver_->leave();
  EXPECT_EQ(accept({.incarnation = 2, .rel_seq = 100}).reason, DropReason::kNotJoined);
  EXPECT_EQ(accept({.incarnation = 2, .rel_seq = 105, .qos = wire::Qos::kUnreliable}).disposition,
            Disposition::kDeliver);
  EXPECT_EQ(report().missing, 0u);
  EXPECT_EQ(drain(), 0u);
}

TEST_F(StreamReceiverTest, lose_the_sender__expect_its_gaps_lost_after_the_silence_allowed) {
  open();
  EXPECT_EQ(data(101), Disposition::kKeep);
  pass(config_.suspect_after_ns - 20 * kMs);
  EXPECT_TRUE(report().open);
  pass(40 * kMs);
  drain();
  EXPECT_EQ(lost(LossReason::kSenderGone), 1u);
  EXPECT_FALSE(report().open);
}

// Found by lambdacast-sim's seed 430: nobody was told of what a window had no room to reveal.
TEST_F(StreamReceiverTest, lose_a_sender_that_announced_more_than_a_window__expect_all_of_it_lost) {
  open();
  heartbeat(0, 100 + 200 - 1);
  pass(config_.suspect_after_ns + 40 * kMs);
  drain();
  EXPECT_EQ(lost(LossReason::kSenderGone), 200u);
  EXPECT_FALSE(report().open);
}

// Found by control_fuzz: what a stream's end tells of came on top of a full burst.
TEST_F(StreamReceiverTest, drain_one_at_a_time_at_a_streams_end__expect_never_more_than_one) {
  open();
  EXPECT_EQ(data(101), Disposition::kKeep);
  heartbeat(0, 100 + 200 - 1);
  pass(config_.suspect_after_ns + 40 * kMs);
  for (size_t told = 1; told <= 4; ++told) {  // 100, 101, to the window's end, beyond
    EXPECT_EQ(drain(1), 1u);
    EXPECT_EQ(gaps_.size() + delivered_.size(), told);
  }
  verdict(wire::Verdict::kWelcome, 400);
  EXPECT_EQ(drain(1), 1u);
  EXPECT_EQ(drain(1), 0u);
  EXPECT_EQ(delivered_, (std::vector<uint64_t>{101}));
  EXPECT_EQ(lost(LossReason::kSenderGone), 299u);
  EXPECT_TRUE(report().open);
}

// A slow application takes one packet a turn, and peer 0 sends one for each that is taken.
TEST_F(StreamReceiverTest,
       drain_less_than_one_sender_fills__expect_the_others_to_have_their_turns) {
  open(100, 0);
  open(100, 1);
  for (const uint16_t peer : {0, 1}) {
    for (uint64_t at = 101; at < 120; ++at) (void)accept({.peer = peer, .rel_seq = at});
    (void)accept({.peer = peer, .rel_seq = 100});
  }
  for (uint64_t at = 120; at < 160; ++at) {
    EXPECT_EQ(drain(1), 1u);
    (void)accept({.peer = 0, .rel_seq = at});
  }
  EXPECT_EQ(receiver_->handed_through(1), 119u);
}

TEST_F(StreamReceiverTest, lose_a_sender_that_owes_nothing__expect_the_stream_still_open) {
  open();
  EXPECT_EQ(data(100), Disposition::kDeliver);
  pass(10 * config_.suspect_after_ns);
  EXPECT_TRUE(report().open);
}

TEST_F(StreamReceiverTest, be_stopped_for_long__expect_nothing_lost_and_starvation_counted) {
  open();
  EXPECT_EQ(data(101), Disposition::kKeep);
  pass(100 * config_.repair_deadline_ns, 100 * config_.repair_deadline_ns);
  drain();
  EXPECT_TRUE(gaps_.empty());
  EXPECT_EQ(receiver_->counters().starved, 1u);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 1}}));
}

TEST_F(StreamReceiverTest, receive_statuses_and_nacks__expect_those_about_us_for_the_sender) {
  wire::StatusEntry entry;
  entry.stream = config_.self;
  entry.echo_timestamp_ns = now_ns_ - 30'000;
  entry.echo_delay_ns = 10'000;
  EXPECT_EQ(hear(0, status_payload(peer_name(0), {entry})), DropReason::kNone);
  EXPECT_TRUE(for_sender_);
  EXPECT_EQ(report().rtt_ns, 20'000u);
  EXPECT_EQ(report().rtt_samples, 1u);
  (void)hear(0, nack_payload(peer_name(0), config_.self, 5, {{0, 1}}));
  EXPECT_TRUE(for_sender_);
  entry.stream = peer_name(1);
  (void)hear(0, status_payload(peer_name(0), {entry}));
  EXPECT_FALSE(for_sender_);
  (void)hear(0, nack_payload(peer_name(0), peer_name(1), 5, {{0, 1}}));
  EXPECT_FALSE(for_sender_);
}

TEST_F(StreamReceiverTest, receive_a_nack_with_a_status__expect_each_for_whom_it_names) {
  open();
  const auto about = [](const wire::StreamName& stream) {
    wire::StatusEntry entry;
    entry.stream = stream;
    entry.echo_timestamp_ns = 1;
    return entry;
  };
  (void)hear(1, nack_payload(peer_name(1), peer_name(0), 5, {{0, 1}}, 1, {about(peer_name(0))}));
  EXPECT_FALSE(for_sender_);
  (void)hear(1, nack_payload(peer_name(1), peer_name(0), 5, {{0, 1}}, 2,
                             {about(peer_name(0)), about(config_.self)}));
  EXPECT_TRUE(for_sender_);
  EXPECT_EQ(receiver_->report(1).rtt_samples, 1u);
  EXPECT_EQ(report().nacks_heard, 2u);
  (void)hear(1, nack_payload(peer_name(1), config_.self, 5, {{0, 1}}, 3, {about(peer_name(0))}));
  EXPECT_TRUE(for_sender_);
  EXPECT_EQ(receiver_->report(1).rtt_samples, 1u);
}

TEST_F(StreamReceiverTest, clear__expect_every_packet_kept_given_back) {
  open();
  EXPECT_EQ(data(101), Disposition::kKeep);
  EXPECT_EQ(data(102), Disposition::kKeep);
  size_t given = 0;
  receiver_->clear([&](PacketHandle) { ++given; });
  EXPECT_EQ(given, 2u);
  EXPECT_EQ(receiver_->kept(), 0u);
}

TEST_F(StreamReceiverTest, members_stream__expect_what_is_missing_of_that_life_and_nothing_else) {
  open(100);
  const auto misses = [&](uint64_t rel_seq, uint32_t incarnation = 1) {
    return receiver_->misses(0, incarnation, rel_seq);
  };
  EXPECT_FALSE(misses(100)) << "of no member: frame accounting alone decides";
  receiver_->enlist(0, peer_name(0, 1));
  (void)data(100);
  (void)data(102);
  EXPECT_FALSE(misses(100));
  EXPECT_TRUE(misses(101));
  EXPECT_FALSE(misses(102));
  EXPECT_TRUE(misses(103));
  EXPECT_FALSE(misses(101, 2)) << "another incarnation's";
}

}  // namespace
}  // namespace lambdacast::reliability
