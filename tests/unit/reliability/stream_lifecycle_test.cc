// SPDX-License-Identifier: BSD-3-Clause
// StreamLifecycle without StreamReceiver: the test hands on what the window has.
#include "reliability/stream_lifecycle.h"

#include "peer_streams_fixture.h"

namespace lambdacast::reliability {
namespace {

using Heard = StreamLifecycle::Heard;

class StreamLifecycleTest : public PeerStreamsFixture {
 protected:
  void SetUp() override {
    PeerStreamsFixture::SetUp();
    streams_.introduce(0, peer_name(0).gid, peer_name(0).qpn);
  }
  Heard hear(uint32_t incarnation = 1) { return lifecycle_.hear(0, incarnation, 1, now_ns_); }
  void heartbeat(uint64_t oldest, uint64_t last, std::vector<wire::VerdictEntry> verdicts = {},
                 uint8_t flags = 0) {
    const auto payload = heartbeat_payload(peer_name(0), oldest, last, ++stamp_, verdicts, flags);
    lifecycle_.take_heartbeat(0, payload.bytes.data(), payload.header, now_ns_);
  }
  void verdict(wire::Verdict verdict, uint64_t open_at) {
    heartbeat(0, open_at - 1, {{config_.self, open_at, verdict}});
  }
  void welcome(uint64_t open_at = 100) {
    EXPECT_EQ(hear(), Heard::kNow);
    verdict(wire::Verdict::kWelcome, open_at);
    EXPECT_EQ(state(), StreamState::kOpen);
  }
  [[nodiscard]] StreamState state() const { return streams_[0].state; }
  // Hands on everything; returns the positions that were lost.
  uint64_t drain() {
    struct Sink {
      uint64_t lost = 0;
      void deliver(uint64_t, PacketHandle) {}
      bool gap(uint64_t, uint64_t count, LossReason) {
        lost += count;
        return true;
      }
    } sink;
    (void)streams_[0].window.drain(1'000, sink);
    return sink.lost;
  }
  ReceiverReport report() {
    ReceiverReport out;
    lifecycle_.report(0, out);
    return out;
  }
  uint64_t lost(LossReason reason) { return report().lost[static_cast<size_t>(reason)]; }

  Backlog backlog_{config_.max_peers};
  NackScheduler nacks_{config_, streams_};
  StatusReporter statuses_{config_, streams_};
  StreamLifecycle lifecycle_{config_, streams_, backlog_, nacks_, statuses_};
  uint64_t stamp_ = 0;
};

TEST_F(StreamLifecycleTest, hear_and_be_welcomed__expect_the_stream_joined_and_opened_there) {
  EXPECT_EQ(hear(), Heard::kNow);
  EXPECT_EQ(state(), StreamState::kJoining);
  EXPECT_EQ(streams_[0].name, peer_name(0));
  welcome(100);
  EXPECT_TRUE(report().open);
  EXPECT_EQ(report().opened_at, 100u);
  EXPECT_EQ(streams_[0].window.next(), 100u);
}

TEST_F(StreamLifecycleTest, hear_of_positions_before_the_welcome__expect_them_missing_once_open) {
  EXPECT_EQ(hear(), Heard::kNow);
  lifecycle_.note_sent(0, 103);
  welcome(100);
  EXPECT_EQ(report().missing, 4u);
  EXPECT_EQ(nacks_.next_ns(), now_ns_);
}

TEST_F(StreamLifecycleTest, be_evicted__expect_what_is_missing_lost_and_a_gap_to_the_next_welcome) {
  welcome(100);
  lifecycle_.reveal(0, 102, now_ns_);
  verdict(wire::Verdict::kEvictedLag, 103);
  EXPECT_EQ(state(), StreamState::kClosing);
  EXPECT_EQ(lost(LossReason::kEvicted), 3u);
  EXPECT_EQ(lifecycle_.evictions(), 1u);
  ASSERT_EQ(backlog_.size(), 1u);
  EXPECT_EQ(drain(), 3u);
  EXPECT_EQ(lifecycle_.tail(0).count, 0u) << "its next welcome says how far we are behind";
  lifecycle_.end(0, {});
  EXPECT_EQ(state(), StreamState::kJoining);
  verdict(wire::Verdict::kWelcome, 110);
  EXPECT_EQ(state(), StreamState::kJoining) << "not before the gap was told";
  ASSERT_TRUE(lifecycle_.welcomed(0));
  const auto gap = lifecycle_.skipped_by_welcome(0);
  EXPECT_EQ(gap.first, 103u);
  EXPECT_EQ(gap.count, 7u);
  EXPECT_EQ(gap.reason, LossReason::kEvicted);
  lifecycle_.begin(0, gap, now_ns_);
  EXPECT_EQ(report().opened_at, 110u);
  EXPECT_EQ(lost(LossReason::kEvicted), 10u);
}

TEST_F(StreamLifecycleTest, hear_another_incarnation__expect_it_behind_the_end_of_the_first) {
  welcome(100);
  lifecycle_.reveal(0, 300, now_ns_);  // beyond the window
  EXPECT_EQ(hear(2), Heard::kNext);
  EXPECT_EQ(state(), StreamState::kClosing);
  EXPECT_EQ(hear(1), Heard::kNow);
  EXPECT_EQ(drain(), 64u);
  const auto tail = lifecycle_.tail(0);
  EXPECT_EQ(tail.first, 164u);
  EXPECT_EQ(tail.count, 137u);
  EXPECT_EQ(tail.reason, LossReason::kSenderGone);
  lifecycle_.end(0, tail);
  EXPECT_EQ(lost(LossReason::kSenderGone), 201u);
  EXPECT_EQ(streams_[0].name.incarnation, 2u);
  EXPECT_EQ(hear(1), Heard::kStale);
  EXPECT_EQ(hear(2), Heard::kNow);
}

TEST_F(StreamLifecycleTest, enlist_the_sender__expect_its_stream_to_end_by_expel_alone) {
  welcome(100);
  streams_[0].member = true;
  EXPECT_EQ(hear(2), Heard::kStale);
  verdict(wire::Verdict::kEvictedSilent, 100);
  lifecycle_.reveal(0, 100, now_ns_);
  pass(2 * config_.suspect_after_ns);
  lifecycle_.tick(now_ns_);
  EXPECT_EQ(state(), StreamState::kOpen);
  lifecycle_.expel(0);
  EXPECT_EQ(state(), StreamState::kClosing);
  EXPECT_EQ(lost(LossReason::kSenderGone), 1u);
}

TEST_F(StreamLifecycleTest, lose_the_sender__expect_the_stream_closed_if_anything_is_missing) {
  welcome(100);
  pass(2 * config_.suspect_after_ns);
  lifecycle_.tick(now_ns_);
  EXPECT_EQ(state(), StreamState::kOpen);
  lifecycle_.reveal(0, 100, now_ns_);
  lifecycle_.tick(now_ns_);
  EXPECT_EQ(state(), StreamState::kClosing);
}

TEST_F(StreamLifecycleTest, miss_what_is_not_retained__expect_it_lost) {
  welcome(100);
  heartbeat(102, 104);
  EXPECT_EQ(lost(LossReason::kOutsideRetention), 2u);
  EXPECT_EQ(report().missing, 3u);
}

TEST_F(StreamLifecycleTest, miss_for_longer_than_the_deadline__expect_that_position_lost) {
  welcome(100);
  lifecycle_.reveal(0, 100, now_ns_);
  pass(config_.repair_deadline_ns);
  EXPECT_EQ(hear(), Heard::kNow);
  lifecycle_.reveal(0, 101, now_ns_);
  lifecycle_.tick(now_ns_);
  EXPECT_EQ(lost(LossReason::kDeadline), 1u);
  EXPECT_EQ(report().missing, 1u);
}

TEST_F(StreamLifecycleTest, lose_what_was_skipped__expect_only_that_lost_and_only_up_to_there) {
  welcome(100);
  lifecycle_.reveal(0, 103, now_ns_);
  nacks_.skip(0, 100, 1);
  nacks_.skip(0, 102, 2);
  lifecycle_.lose_skipped(0, 102);
  EXPECT_EQ(lost(LossReason::kSenderGone), 2u);
  EXPECT_EQ(report().missing, 2u);
}

// A later incarnation of the sender is told again.
TEST_F(StreamLifecycleTest, expel_whose_skipped_positions_are_lost__expect_it_abandoned_no_longer) {
  welcome(100);
  streams_[0].member = true;
  lifecycle_.reveal(0, 100, now_ns_);
  nacks_.skip(0, 100, 1);
  EXPECT_FALSE(streams_[0].abandoned);
  lifecycle_.lose_skipped(0, 100);
  EXPECT_TRUE(streams_[0].abandoned);
  lifecycle_.expel(0);
  EXPECT_FALSE(streams_[0].abandoned);
}

TEST_F(StreamLifecycleTest,
       incarnations__expect_all_another_but_the_one_heard_and_the_one_awaited) {
  EXPECT_FALSE(lifecycle_.is_another(0, 1)) << "nothing is known of the peer";
  welcome(100);
  lifecycle_.reveal(0, 100, now_ns_);
  EXPECT_FALSE(lifecycle_.is_another(0, 1));
  EXPECT_TRUE(lifecycle_.is_another(0, 2));
  EXPECT_EQ(hear(2), Heard::kNext) << "what is missing of the first one is told before";
  EXPECT_FALSE(lifecycle_.is_another(0, 2));
  EXPECT_TRUE(lifecycle_.is_another(0, 3));
}

// Frame accounting follows newer numbers, and has to come back from one that relays alone have.
TEST_F(StreamLifecycleTest,
       another_is_refused__expect_the_one_heard_back_when_none_comes_for_long) {
  welcome(100);
  EXPECT_FALSE(lifecycle_.came_back(0, 1));
  lifecycle_.refuse_another(0);
  EXPECT_FALSE(lifecycle_.came_back(0, 1));
  pass(config_.suspect_after_ns + 1);
  EXPECT_TRUE(lifecycle_.came_back(0, 1));
  EXPECT_FALSE(lifecycle_.came_back(0, 2));
  streams_[0].member = true;
  EXPECT_FALSE(lifecycle_.came_back(0, 1)) << "it may be a relay itself";
  streams_[0].member = false;
  lifecycle_.refuse_another(0);
  EXPECT_FALSE(lifecycle_.came_back(0, 1));
}

TEST_F(StreamLifecycleTest, hear_the_end__expect_the_sender_to_have_left_unless_it_is_a_member) {
  welcome(100);
  streams_[0].member = true;
  heartbeat(0, 99, {}, wire::kHeartbeatEnd);
  EXPECT_FALSE(report().left);
  streams_[0].member = false;
  heartbeat(0, 99, {}, wire::kHeartbeatEnd);
  EXPECT_TRUE(report().left);
}

TEST_F(StreamLifecycleTest, leave__expect_nothing_lost_and_nothing_closed) {
  welcome(100);
  lifecycle_.reveal(0, 102, now_ns_);
  lifecycle_.leave();
  heartbeat(102, 102);
  verdict(wire::Verdict::kEvictedLag, 103);
  verdict(wire::Verdict::kWelcome, 103);  // by one that has not heard that it leaves
  EXPECT_EQ(lifecycle_.evictions(), 0u);
  EXPECT_EQ(hear(2), Heard::kNext);
  EXPECT_EQ(state(), StreamState::kOpen);
  EXPECT_EQ(report().missing, 3u);
}

}  // namespace
}  // namespace lambdacast::reliability
