// SPDX-License-Identifier: BSD-3-Clause
// StreamReceiver: who asks when for what is missing.
#include "receiver_fixture.h"

namespace lambdacast::reliability {
namespace receiver_gaps_test {

using ReceiverGapsTest = ReceiverFixture;

TEST_F(ReceiverGapsTest, expect_reordering__expect_the_nack_only_after_the_delay) {
  ReliabilityConfig config = small_config();
  config.nack_delay_ns = 50'000;
  configure(config);
  open();
  (void)data(101);
  EXPECT_TRUE(nack().empty());
  EXPECT_LE(receiver_->next_deadline_ns(), now_ns_ + 50'000);
  EXPECT_EQ(data(100), Disposition::kDeliver);
  pass(50'000, 50'000);
  EXPECT_TRUE(nack().empty());
}

TEST_F(ReceiverGapsTest, back_off_as_rfc_5401_has_it__expect_times_within_its_bound) {
  ReliabilityConfig config = small_config();
  config.nack_backoff_ns = 1'000'000;
  configure(config);
  open();
  uint64_t earliest_ns = ~uint64_t{0};
  uint64_t latest_ns = 0;
  for (uint64_t at = 101; at < 2'000; at += 2) {
    (void)data(at);
    const uint64_t begun_ns = now_ns_;
    while (nack().empty()) pass(10'000, 10'000);
    earliest_ns = std::min(earliest_ns, now_ns_ - begun_ns);
    latest_ns = std::max(latest_ns, now_ns_ - begun_ns);
    EXPECT_EQ(data(at - 1), Disposition::kDeliver);
    drain();
  }
  EXPECT_LE(latest_ns, 1'020'000u);
  EXPECT_GT(latest_ns, 800'000u);
  EXPECT_LT(earliest_ns, 200'000u);
}

TEST_F(ReceiverGapsTest, hear_anothers_nack__expect_our_own_spared_and_sent_if_that_was_in_vain) {
  ReliabilityConfig config = small_config();
  config.nack_delay_ns = 50'000;
  configure(config);
  open();
  (void)data(103);
  (void)hear(1, nack_payload(peer_name(1), peer_name(0), 100, {{0, 2}}));
  EXPECT_EQ(report().nacks_heard, 1u);
  EXPECT_EQ(report().nacks_suppressed, 2u);
  pass(50'000, 50'000);
  EXPECT_EQ(nack(), (std::vector<Run>{{102, 1}}));
  pass(RoundTrip(config.initial_rtt_ns).retry_ns(), 10'000);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 3}}));
}

// A receiver that may not ask because it has just asked for something else is given more time.
TEST_F(ReceiverGapsTest, miss_while_first_askers_pause__expect_the_others_to_wait_for_them) {
  constexpr uint16_t kOthers = 20;
  for (const bool common : {false, true}) {
    configure(small_config());
    open();
    for (uint16_t other = 1; other <= kOthers; ++other) (void)accept({.peer = other, .rel_seq = 1});
    uint64_t position = 100;
    const auto first = [&] {
      (void)data(position + 1);
      const bool at_once = !nack().empty();
      pass(10 * kMs);
      (void)data(position);
      return at_once;
    };
    while (first()) position += kAskerBlock;
    (void)data(position + 3);  // 2 is missing, and 4 in a moment
    const uint64_t asked = common ? position + 2 : position + 1;
    for (uint16_t other = 1; other <= kOthers; ++other)
      (void)hear(other, nack_payload(peer_name(other), peer_name(0), asked, {{0, 1}}));
    (void)data(position + 5);
    pass(config_.initial_rtt_ns, 10'000);
    EXPECT_EQ(nack().empty(), common);
    pass(config_.initial_rtt_ns / 2, 10'000);
    if (common) {
      EXPECT_EQ(nack(), (std::vector<Run>{{asked, 1}, {position + 4, 1}}));
    }
  }
}

// Eight are chosen to ask at once; the others listen for them.
TEST_F(ReceiverGapsTest, miss_with_many_receivers__expect_first_askers_at_once_others_later) {
  size_t at_once = 0;
  constexpr size_t kReceivers = 20;
  for (uint32_t self = 1; self <= kReceivers; ++self) {
    ReliabilityConfig config = small_config();
    config.self = peer_name(self, 77);
    configure(config);
    open();
    for (uint32_t other = 1; other <= kReceivers; ++other) {
      if (other != self) (void)accept({.peer = static_cast<uint16_t>(other), .rel_seq = 1});
    }
    (void)data(101);
    if (!nack().empty()) {
      ++at_once;
      continue;
    }
    pass(config.initial_rtt_ns, 10'000);
    EXPECT_EQ(nack(), (std::vector<Run>{{100, 1}}));
  }
  EXPECT_EQ(at_once, kFirstAskers);
}

// --- of members that depart ----------------------------------------------------------------------

TEST_F(ReceiverGapsTest, skip__expect_it_neither_asked_for_nor_lost_nor_waited_for) {
  open();
  (void)data(102);
  (void)data(104);
  receiver_->skip(0, 100, 1);
  receiver_->skip(0, 102, 2);  // 102 is here
  EXPECT_EQ(receiver_->here_through(0), 100u);
  EXPECT_EQ(nack(), (std::vector<Run>{{101, 1}}));
  EXPECT_EQ(data(101), Disposition::kKeep);
  EXPECT_EQ(receiver_->here_through(0), 104u);
  EXPECT_EQ(receiver_->handed_through(0), 99u);
  EXPECT_EQ(drain(), 0u);
  pass(kMs, 10'000);
  EXPECT_TRUE(nack().empty());
}

TEST_F(ReceiverGapsTest, lose_what_was_skipped__expect_that_much_lost_and_the_rest_in_order) {
  open();
  (void)data(102);
  (void)data(104);
  receiver_->skip(0, 100, 1);
  receiver_->skip(0, 103, 1);
  (void)data(101);
  EXPECT_EQ(statuses().size(), 1u);
  receiver_->lose_skipped(0, 102);
  EXPECT_TRUE(statuses().empty()) << "its sender would take all for delivered";
  (void)drain();
  EXPECT_EQ(gaps_, (std::vector<Gap>{{0, 1, 100, 1, LossReason::kSenderGone}}));
  EXPECT_EQ(delivered_, (std::vector<uint64_t>{101, 102}));
  EXPECT_EQ(receiver_->handed_through(0), 102u);
  receiver_->lose_skipped(0, 103);
  (void)drain();
  EXPECT_EQ(receiver_->handed_through(0), 104u);
}

// The view goes on with the sender: what a holder did not have the sender has.
TEST_F(ReceiverGapsTest, reclaim_what_was_skipped__expect_it_asked_for_and_delivered) {
  open();
  (void)data(101);
  receiver_->skip(0, 100, 1);
  EXPECT_TRUE(nack().empty());
  receiver_->reclaim_skipped(0);
  EXPECT_EQ(receiver_->here_through(0), 99u);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 1}}));
  receiver_->lose_skipped(0, 100);
  EXPECT_EQ(data(100), Disposition::kDeliver);
  (void)drain();
  EXPECT_TRUE(gaps_.empty());
  EXPECT_EQ(delivered_, (std::vector<uint64_t>{101}));
}

// What follows is needed for the next view, and waits for it.
TEST_F(ReceiverGapsTest, fill_the_hold_behind_what_is_skipped__expect_the_rest_taken_all_the_same) {
  ReliabilityConfig config = small_config();
  config.hold_pkts = 4;
  configure(config);
  open();
  for (const uint64_t at : {101, 103, 105, 107}) (void)data(at);
  EXPECT_EQ(data(109), Disposition::kDrop) << "no room";
  receiver_->skip(0, 100, 1);
  EXPECT_EQ(nack(), (std::vector<Run>{{102, 1}, {104, 1}, {106, 1}, {108, 2}}));
  for (const uint64_t at : {102, 104, 106}) EXPECT_EQ(data(at), Disposition::kKeep);
  EXPECT_EQ(receiver_->here_through(0), 107u);
}

// Found by lambdacast-sim: frames from beyond the window came, no heartbeat did.
TEST_F(ReceiverGapsTest, lose_a_sender_after_a_frame_beyond_the_window__expect_all_of_it_lost) {
  for (const auto qos : {wire::Qos::kSourceOrdered, wire::Qos::kReliable, wire::Qos::kUnreliable}) {
    configure(small_config());
    open();
    (void)accept({.rel_seq = 100 + 200 - 1, .qos = qos});
    pass(config_.suspect_after_ns + 40 * kMs);
    drain();
    EXPECT_EQ(lost(LossReason::kSenderGone), 200u);
    EXPECT_FALSE(report().open);
  }
}

TEST_F(ReceiverGapsTest, receive_from_beyond_the_window__expect_it_asked_for_as_the_window_moves) {
  open();
  EXPECT_EQ(accept({.rel_seq = 165}).reason, DropReason::kTooFarAhead);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 64}}));
  for (uint64_t at = 100; at < 164; ++at) (void)data(at);
  drain();
  pass(config_.heartbeat_max_ns);
  EXPECT_EQ(nack(), (std::vector<Run>{{164, 2}}));
}

// Found by lambdacast-sim's seed 5029322: it overtook the welcome, and its sender died.
TEST_F(ReceiverGapsTest,
       receive_ahead_of_the_welcome__expect_it_asked_for_and_lost_with_its_sender) {
  heartbeat(0, 99);
  EXPECT_EQ(accept({.rel_seq = 103}).reason, DropReason::kNotJoined);
  verdict(wire::Verdict::kWelcome, 100);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 4}}));
  pass(config_.suspect_after_ns + 40 * kMs);
  drain();
  EXPECT_EQ(lost(LossReason::kSenderGone), 4u);
}

// No window reaches there: it says nothing of the stream.
TEST_F(ReceiverGapsTest, receive_a_mad_position__expect_it_not_waited_for) {
  open();
  (void)accept({.rel_seq = ~uint64_t{0}});
  pass(config_.suspect_after_ns + 40 * kMs);
  drain();
  EXPECT_EQ(lost(LossReason::kSenderGone), 64u);
}

}  // namespace receiver_gaps_test
}  // namespace lambdacast::reliability
