// SPDX-License-Identifier: BSD-3-Clause
// StreamReceiver::next_control(): when NACKs and statuses go, and what they say.
#include "receiver_fixture.h"

namespace lambdacast::reliability {
namespace {

using ReceiverControlTest = ReceiverFixture;

TEST_F(ReceiverControlTest, miss_in_many_places__expect_all_runs_in_one_frame) {
  open();
  for (const uint64_t at : {102, 103, 106, 110}) (void)data(at);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 2}, {104, 2}, {107, 3}}));
  EXPECT_EQ(wire::load_nack_stream(payload_), peer_name(0));
  EXPECT_EQ(report().nacks_sent, 1u);
  EXPECT_EQ(receiver_->counters().nacks_sent, 1u);
}

TEST_F(ReceiverControlTest, miss_more_within_a_round_trip__expect_one_frame_a_round_trip) {
  open();
  (void)data(101);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 1}}));
  now_ns_ += 1'000;
  (void)data(103);
  EXPECT_TRUE(nack().empty());
  now_ns_ += config_.initial_rtt_ns - 1'000;
  EXPECT_EQ(nack(), (std::vector<Run>{{102, 1}}));  // that for 100 may still be on its way
}

// Its sender does not hear us, on a network that goes one way: 10 000 packets a second for 2 s.
TEST_F(ReceiverControlTest, join_in_vain__expect_it_said_at_doubling_distances_up_to_status_max) {
  constexpr uint64_t kStepNs = 20'000;
  std::vector<uint64_t> said_ns;
  uint64_t position = 100;
  for (const uint64_t end_ns = now_ns_ + 2'000 * kMs; now_ns_ < end_ns; pass(kStepNs, kStepNs)) {
    if (position % 5 == 0) heartbeat(0, position);
    EXPECT_EQ(accept({.rel_seq = ++position}).reason, DropReason::kNotJoined);
    while (next_control()) said_ns.push_back(now_ns_);
  }
  const uint64_t at_full_distance = 2'000 * kMs / config_.status_max_ns;
  EXPECT_GE(said_ns.size(), at_full_distance);
  EXPECT_LE(said_ns.size(), at_full_distance + 12);
  EXPECT_LE(said_ns[1] - said_ns[0], 3 * config_.status_ns) << "the first ones come soon";
  verdict(wire::Verdict::kWelcome, position + 1);
  EXPECT_TRUE(report().open);
  EXPECT_EQ(statuses().size(), 1u) << "and news at once";
}

TEST_F(ReceiverControlTest, ask_in_vain__expect_retries_at_doubling_distances) {
  open();
  (void)data(101);
  std::vector<uint64_t> asked_ns;
  const uint64_t begun_ns = now_ns_;
  while (asked_ns.size() < 6) {
    if (!nack().empty()) asked_ns.push_back(now_ns_ - begun_ns);
    pass(10'000, 10'000);
  }
  const uint64_t retry_ns = RoundTrip(config_.initial_rtt_ns).retry_ns();
  EXPECT_EQ(asked_ns[0], 0u);
  for (size_t i = 1; i < asked_ns.size(); ++i) {
    EXPECT_EQ(asked_ns[i] - asked_ns[i - 1], retry_ns << std::min<size_t>(i - 1, 2)) << i;
  }
}

TEST_F(ReceiverControlTest, miss_more_runs_than_a_frame_holds__expect_the_rest_in_the_next) {
  open();
  for (uint64_t at = 101; at < 163; at += 2) (void)data(at);
  constexpr size_t kTenRuns = wire::kNackHeaderBytes + 10 * wire::kNackRunBytes;
  static_assert(kTenRuns < 256);
  const auto first = nack(kTenRuns);
  EXPECT_EQ(first.size(), 10u);
  EXPECT_EQ(first.back(), (Run{118, 1}));
  EXPECT_TRUE(nack(kTenRuns).empty());
  pass(config_.initial_rtt_ns, config_.initial_rtt_ns);
  EXPECT_EQ(nack(kTenRuns).front(), (Run{120, 1}));
}

// Lengths and distances have 16 bits.
TEST_F(ReceiverControlTest, miss_more_than_65535_in_a_row__expect_every_position_named_once) {
  ReliabilityConfig config = small_config();
  config.max_peers = 1;
  config.receive_window_pkts = 1u << 18;
  configure(config);
  open();
  heartbeat(100, 99 + 150'000);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 65'535}, {65'635, 65'535}, {131'170, 18'930}}));
}

TEST_F(ReceiverControlTest, ask_far_behind_what_was_asked_for__expect_positions_from_there) {
  ReliabilityConfig config = small_config();
  config.max_peers = 1;
  config.receive_window_pkts = 1u << 18;
  config.hold_pkts = 1u << 18;
  configure(config);
  open();
  for (uint64_t at = 101; at < 100 + 100'000; ++at) ASSERT_EQ(data(at), Disposition::kKeep);
  EXPECT_EQ(nack(), (std::vector<Run>{{100, 1}}));
  (void)data(100'101);
  pass(config_.initial_rtt_ns, config_.initial_rtt_ns);
  EXPECT_EQ(nack(), (std::vector<Run>{{100'100, 1}}));
}

// Round trips shorter than statuses are apart: what keeps a NACK back is not the one before.
class ReceiverDenseLossTest : public ReceiverFixture {
 protected:
  void SetUp() override {
    ReliabilityConfig config = small_config();
    config.initial_rtt_ns = config.status_ns / 4;
    configure(config);
    open();
    open(200, 1);
    (void)data(101);
    EXPECT_EQ(nack_with_statuses(), 0u);
    (void)statuses();
  }
  // How many statuses the NACK that goes out now has.
  size_t nack_with_statuses(size_t room = 1024) {
    EXPECT_TRUE(next_control(room));
    EXPECT_EQ(header_.kind, wire::ControlKind::kNack);
    EXPECT_EQ(wire::load_nack_stream(payload_), peer_name(0));
    return header_.statuses;
  }
  void wait(uint64_t ns) { pass(ns, ns); }
};

TEST_F(ReceiverDenseLossTest, miss_again_while_a_status_would_go_soon__expect_it_behind_the_runs) {
  wait(config_.status_ns / 2);
  (void)data(103);
  ASSERT_EQ(nack_with_statuses(), 2u);
  auto entries = status_entries();
  if (entries[0].stream == peer_name(1)) std::swap(entries[0], entries[1]);  // a round goes round
  EXPECT_EQ(entries[0].stream, peer_name(0));
  EXPECT_EQ(entries[0].contiguous, 99u);
  ASSERT_EQ(entries[0].runs, 2);
  EXPECT_EQ(entries[0].run[0], (wire::LossRun{100, 1}));
  EXPECT_EQ(entries[0].run[1], (wire::LossRun{102, 1}));
  EXPECT_EQ(entries[1].stream, peer_name(1));
  EXPECT_EQ(entries[1].contiguous, 199u);
  EXPECT_FALSE(next_control());  // that was the round
}

TEST_F(ReceiverDenseLossTest, miss_again_just_after_a_status__expect_a_nack_alone) {
  wait(config_.status_ns / 2 - 1);
  (void)data(103);
  EXPECT_EQ(nack_with_statuses(), 0u);
}

TEST_F(ReceiverDenseLossTest, miss_again_where_no_round_fits_behind__expect_a_nack_alone) {
  wait(config_.status_ns / 2);
  (void)data(103);
  EXPECT_EQ(nack_with_statuses(256), 0u);
}

// A loss now and then is asked for by a short frame: the repair comes sooner.
TEST_F(ReceiverDenseLossTest, miss_again_much_later__expect_a_nack_alone_and_then_the_status) {
  wait(2 * config_.status_ns);
  (void)data(103);
  EXPECT_EQ(nack_with_statuses(), 0u);
  ASSERT_TRUE(next_control());
  EXPECT_EQ(header_.kind, wire::ControlKind::kStatus);
}

TEST_F(ReceiverControlTest, status__expect_what_the_window_has_and_the_echo) {
  open();
  (void)accept({.rel_seq = 100, .timestamp_ns = 4'711});
  (void)accept({.rel_seq = 103, .timestamp_ns = 4'712});
  const auto entries = statuses();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].stream, peer_name(0));
  EXPECT_EQ(entries[0].contiguous, 100u);
  EXPECT_EQ(entries[0].room, 64u);
  EXPECT_EQ(entries[0].echo_timestamp_ns, 4'712u);
  EXPECT_EQ(entries[0].echo_delay_ns, config_.status_ns);
  EXPECT_EQ(entries[0].first_losses, 2u);
  ASSERT_EQ(entries[0].runs, 1);
  EXPECT_EQ(entries[0].run[0], (wire::LossRun{101, 2}));
}

TEST_F(ReceiverControlTest, receive_at_any_rate__expect_one_status_an_interval_at_most) {
  open();
  // An eighth of the room told, 64, at a time.
  for (const auto& [packets, statuses] : {std::pair{1u, 2u}, {8u, 20u}, {100u, 20u}}) {
    const uint64_t before = receiver_->counters().statuses_sent;
    for (int interval = 0; interval < 20; ++interval) {
      for (uint64_t i = 0; i < packets; ++i) {
        (void)data(report().contiguous + 1);
        now_ns_ += config_.status_ns / packets;
        while (next_control()) {
        }
      }
    }
    EXPECT_NEAR(static_cast<double>(receiver_->counters().statuses_sent - before), statuses, 1)
        << packets;
  }
}

// A sender that may be far ahead of what is complete waits for what has been heard of.
TEST_F(ReceiverControlTest, receive_behind_a_gap__expect_statuses_as_often_as_in_order) {
  open();
  (void)data(100);
  uint64_t last = 101;            // missing
  for (int i = 0; i < 10; ++i) {  // until that has been told
    pass(config_.status_ns);
    while (next_control()) {
    }
    (void)data(++last);
  }
  const uint64_t before = receiver_->counters().statuses_sent;
  for (int interval = 0; interval < 4; ++interval) {
    for (uint64_t i = 0; i < 8; ++i) (void)data(++last);
    pass(config_.status_ns);
    while (next_control()) {
    }
  }
  EXPECT_EQ(receiver_->counters().statuses_sent - before, 4u);
}

TEST_F(ReceiverControlTest, receive_now_and_then__expect_statuses_by_time_and_not_by_packet) {
  open();
  const uint64_t before = receiver_->counters().statuses_sent;
  const uint64_t told_ns = std::min(config_.status_max_ns, config_.evict_lag_ns) / 4;
  for (uint64_t at_ns = 0; at_ns < 10 * told_ns; at_ns += told_ns / 5) {
    (void)data(report().contiguous + 1);
    pass(told_ns / 5, config_.status_ns);
    while (next_control()) {
    }
  }
  EXPECT_NEAR(static_cast<double>(receiver_->counters().statuses_sent - before), 10, 1);
}

TEST_F(ReceiverControlTest, receive_nothing__expect_statuses_at_doubling_distances_to_a_ceiling) {
  open();
  while (next_control()) {
  }
  std::vector<uint64_t> at_ns;
  for (int i = 0; i < 14; ++i) {
    do {
      pass(config_.status_ns, config_.status_ns);
      heartbeat(0, 99);
    } while (!next_control());
    at_ns.push_back(now_ns_);
  }
  for (size_t i = 2; i < at_ns.size(); ++i) {
    const uint64_t last_ns = at_ns[i - 1] - at_ns[i - 2];
    EXPECT_EQ(at_ns[i] - at_ns[i - 1], std::min(2 * last_ns, config_.status_max_ns)) << i;
  }
}

TEST_F(ReceiverControlTest, know_many_peers__expect_each_named_once_and_less_often) {
  for (uint16_t peer = 0; peer < 20; ++peer) (void)accept({.peer = peer, .rel_seq = 5});
  pass(2 * config_.status_ns, config_.status_ns);
  const auto entries = statuses(1'024);  // after 3 intervals: 1 + 20 / 8
  EXPECT_EQ(entries.size(), 20u);
  EXPECT_GT(frames_, 1u);
  EXPECT_TRUE(statuses().empty());
}

TEST_F(ReceiverControlTest, lose_a_peer__expect_it_named_no_more) {
  open();
  open(100, 1);
  for (uint64_t ms = 0; ms < config_.suspect_after_ns / kMs + 20; ++ms) {
    pass(kMs);
    heartbeat(0, 99);
  }
  const auto entries = statuses();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].stream, peer_name(0));
}

TEST_F(ReceiverControlTest, hear_a_peer_leave__expect_the_sender_told_and_it_named_no_more) {
  open();
  open(100, 1);
  heartbeat(0, 99);
  EXPECT_FALSE(for_sender_);
  (void)hear(0, heartbeat_payload(peer_name(0), 0, 99, ++stamp_, {}, wire::kHeartbeatEnd));
  EXPECT_TRUE(for_sender_);
  heartbeat(0, 99);  // one of before that was late
  EXPECT_TRUE(report().left);
  (void)accept({.peer = 1, .rel_seq = 100});
  const auto entries = statuses();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].stream, peer_name(1));
  EXPECT_TRUE(report().open);  // what it left is repaired by nobody, and nothing is missing
  (void)accept({.incarnation = 2, .rel_seq = 5});
  EXPECT_FALSE(report().left);
}

TEST_F(ReceiverControlTest, hear_that_something_waits_to_be_stable__expect_a_status_soon) {
  open();
  (void)data(100);
  for (int i = 0; i < 5; ++i) (void)statuses();
  pass(config_.status_ns, config_.status_ns);
  ASSERT_FALSE(next_control());  // nothing new
  (void)hear(0, heartbeat_payload(peer_name(0), 0, 100, 1'000, {}, wire::kHeartbeatReport));
  EXPECT_EQ(statuses().size(), 1u);
}

TEST_F(ReceiverControlTest, ask_for_the_deadline__expect_something_to_go_or_to_do_then) {
  open();
  (void)data(101);
  for (int i = 0; i < 1'000; ++i) {
    const uint64_t at_ns = receiver_->next_deadline_ns();
    if (at_ns > now_ns_) {
      EXPECT_FALSE(next_control()) << "before the deadline";
      now_ns_ = at_ns;
    }
    receiver_->tick(now_ns_);
    while (next_control()) {
    }
    ASSERT_GT(receiver_->next_deadline_ns(), now_ns_);
  }
}

}  // namespace
}  // namespace lambdacast::reliability
