// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/nack_scheduler.h"

#include "peer_streams_fixture.h"

namespace lambdacast::reliability {
namespace {

struct NackSpan {
  uint64_t first;
  uint64_t count;
  bool operator==(const NackSpan&) const = default;
};
using Runs = std::vector<NackSpan>;

class NackSchedulerTest : public PeerStreamsFixture {
 protected:
  // The window of an open stream reveals what was sent up to there.
  void reveal(size_t peer, uint64_t position) {
    ReceiveWindow& window = streams_[peer].window;
    const uint64_t from = window.reveal(position);
    nacks_.reveal(peer, from, window.end(), now_ns_);
  }
  Runs next(size_t room = 1024, bool hold_full = false) { return next_of(nacks_, room, hold_full); }
  // The runs of the NACK that is due, in `nack_` and `payload_`; none: nothing is.
  Runs next_of(NackScheduler& nacks, size_t room = 1024, bool hold_full = false) {
    Runs out;
    nack_ = nacks.next_nack(payload_, room, now_ns_, hold_full);
    if (!nack_) return out;
    EXPECT_LE(nack_->bytes, room);
    wire::ControlHeader header;
    EXPECT_EQ(wire::load_control(payload_, nack_->bytes, header), counters::DropReason::kNone);
    EXPECT_EQ(header, nack_->header);
    EXPECT_EQ(header.kind, wire::ControlKind::kNack);
    wire::for_each_nack_run(payload_, header, [&](uint64_t first, uint64_t count) {
      out.push_back({first, count});
    });
    return out;
  }
  ReceiverReport report(size_t peer) {
    ReceiverReport out;
    nacks_.report(peer, out);
    return out;
  }

  NackScheduler nacks_{config_, streams_};
  std::optional<NackScheduler::Nack> nack_;
  uint8_t payload_[1024];
};

TEST_F(NackSchedulerTest, miss_nothing__expect_nothing_said) {
  open(0);
  EXPECT_TRUE(next().empty());
  EXPECT_EQ(nacks_.next_ns(), LossDetector::kNever);
}

TEST_F(NackSchedulerTest, miss_in_two_streams__expect_a_nack_for_each_with_all_its_runs) {
  open(0);
  open(1, 500);
  receive(0, 102);
  nacks_.reveal(0, 100, 102, now_ns_);
  receive(0, 105);
  nacks_.reveal(0, 103, 105, now_ns_);
  reveal(1, 500);
  EXPECT_EQ(nacks_.next_ns(), now_ns_);
  EXPECT_EQ(next(), (Runs{{100, 2}, {103, 2}}));
  EXPECT_EQ(wire::load_nack_stream(payload_), peer_name(0));
  EXPECT_EQ(nack_->previous_ns, 0u);
  EXPECT_EQ(next(), (Runs{{500, 1}}));
  EXPECT_EQ(wire::load_nack_stream(payload_), peer_name(1));
  EXPECT_TRUE(next().empty());
  EXPECT_EQ(nacks_.next_ns(), now_ns_ + RoundTrip(config_.initial_rtt_ns).retry_ns());
  EXPECT_EQ(nacks_.nacks_sent(), 2u);
  EXPECT_EQ(report(1).nacks_sent, 1u);
}

TEST_F(NackSchedulerTest, ask_again__expect_the_time_of_the_nack_before) {
  open(0);
  reveal(0, 100);
  (void)next();
  const uint64_t first_ns = now_ns_;
  now_ns_ += kMs;
  EXPECT_EQ(next(), (Runs{{100, 1}}));
  EXPECT_EQ(nack_->previous_ns, first_ns);
}

TEST_F(NackSchedulerTest, have_a_stream_that_is_not_open__expect_nothing_said_of_it) {
  open(0);
  reveal(0, 100);
  streams_[0].state = StreamState::kClosing;
  EXPECT_TRUE(next().empty());
}

// Nothing but the first run of what is missing helps a full hold.
TEST_F(NackSchedulerTest,
       fill_the_hold__expect_the_first_run_asked_for_unless_something_is_skipped) {
  open(0);
  receive(0, 102);
  nacks_.reveal(0, 100, 102, now_ns_);
  reveal(0, 104);
  EXPECT_EQ(next(1024, true), (Runs{{100, 2}}));
  now_ns_ += kMs;
  nacks_.skip(0, 100, 2);
  EXPECT_EQ(next(1024, true), (Runs{{103, 2}}));
}

TEST_F(NackSchedulerTest, hear_another_ask__expect_ours_spared) {
  config_.nack_delay_ns = 50'000;
  NackScheduler patient(config_, streams_);
  open(0);
  introduce(1);
  streams_[0].window.reveal(102);
  patient.reveal(0, 100, 103, now_ns_);
  const auto nack = nack_payload(peer_name(1), peer_name(0), 101, {{0, 5}});
  patient.take_nack(1, peer_name(0), nack.bytes.data(), nack.header, now_ns_);
  patient.take_nack(1, peer_name(7), nack.bytes.data(), nack.header, now_ns_);  // of none we know
  now_ns_ += 50'000;
  EXPECT_EQ(next_of(patient), (Runs{{100, 1}}));
  ReceiverReport counted;
  patient.report(0, counted);
  EXPECT_EQ(counted.nacks_heard, 1u);
  EXPECT_EQ(counted.nacks_suppressed, 2u);
}

TEST_F(NackSchedulerTest, follow_a_gap_to_its_end__expect_times_and_steps_kept) {
  open(0);
  reveal(0, 101);
  now_ns_ += 40'000;
  nacks_.came(0, 100, now_ns_);
  EXPECT_TRUE(nacks_.losses(0).was_missing(100));
  nacks_.handed_on(0, 100, now_ns_);
  EXPECT_FALSE(nacks_.losses(0).was_missing(100));
  nacks_.lost(0, 101, now_ns_);
  EXPECT_EQ(report(0).repaired, 1u);
  EXPECT_EQ(nacks_.repair_ns().count(), 1u);
  std::vector<RepairStep> steps;
  nacks_.trace().for_each([&](const TraceEvent& event) { steps.push_back(event.step); });
  EXPECT_EQ(steps,
            (std::vector<RepairStep>{RepairStep::kMissed, RepairStep::kMissed, RepairStep::kCame,
                                     RepairStep::kDelivered, RepairStep::kLost}));
}

TEST_F(NackSchedulerTest, skip__expect_what_is_here_or_skipped_and_a_nack_once_reclaimed) {
  EXPECT_EQ(nacks_.here_through(0), std::nullopt);
  open(0);
  receive(0, 102);
  nacks_.reveal(0, 100, 102, now_ns_);
  EXPECT_EQ(nacks_.here_through(0), 99u);
  nacks_.skip(0, 100, 2);
  EXPECT_EQ(nacks_.here_through(0), 102u);
  EXPECT_TRUE(next().empty());
  nacks_.reclaim_skipped(0);
  EXPECT_EQ(nacks_.here_through(0), 99u);
  EXPECT_EQ(next(), (Runs{{100, 2}}));
}

TEST_F(NackSchedulerTest, take_an_echo__expect_the_round_trip) {
  introduce(0);
  wire::StatusEntry entry;
  entry.echo_timestamp_ns = now_ns_ - 30'000;
  entry.echo_delay_ns = 10'000;
  nacks_.take_status(0, entry, now_ns_);
  EXPECT_EQ(report(0).rtt_ns, 20'000u);
  EXPECT_EQ(report(0).rtt_samples, 1u);
  EXPECT_EQ(nacks_.round_trips_ns().count(), 1u);
}

}  // namespace
}  // namespace lambdacast::reliability
