// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/status_reporter.h"

#include "peer_streams_fixture.h"

namespace lambdacast::reliability {
namespace {

class StatusReporterTest : public PeerStreamsFixture {
 protected:
  static constexpr uint32_t kShare = 40;

  std::vector<wire::StatusEntry> next(size_t room = 1024) {
    std::vector<wire::StatusEntry> out;
    const size_t bytes = statuses_.next_status(payload_, room, now_ns_, kShare);
    EXPECT_LE(bytes, room);
    if (bytes == 0) return out;
    wire::ControlHeader header;
    EXPECT_EQ(wire::load_control(payload_, bytes, header), counters::DropReason::kNone);
    EXPECT_EQ(header.kind, wire::ControlKind::kStatus);
    EXPECT_EQ(header.incarnation, config_.self.incarnation);
    size_t at = wire::kControlHeaderBytes;
    for (size_t i = 0; i < header.entries; ++i)
      out.push_back(wire::load_status_entry(payload_, at));
    return out;
  }
  // The time until the next status, at a step of a tenth of their interval.
  uint64_t wait() {
    const uint64_t begun_ns = now_ns_;
    do now_ns_ += config_.status_ns / 10;
    while (next().empty());
    return now_ns_ - begun_ns;
  }

  StatusReporter statuses_{config_, streams_};
  uint8_t payload_[1024];
};

TEST_F(StatusReporterTest, know_nobody__expect_nothing_said) {
  statuses_.urge();
  EXPECT_TRUE(next().empty());
  EXPECT_EQ(statuses_.next_speech_ns(), ~uint64_t{0});
  EXPECT_EQ(statuses_.next_speech_ns(), ~uint64_t{0});
}

TEST_F(StatusReporterTest, join__expect_a_request_for_a_welcome_with_the_echo) {
  introduce(0);
  streams_.note_heard(streams_[0], 4'711, now_ns_);
  now_ns_ += 1'000;
  statuses_.urge();
  const auto entries = next();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].stream, peer_name(0));
  EXPECT_EQ(entries[0].flags, wire::kStatusJoining);
  EXPECT_EQ(entries[0].echo_timestamp_ns, 4'711u);
  EXPECT_EQ(entries[0].echo_delay_ns, 1'000u);
  EXPECT_EQ(statuses_.statuses_sent(), 1u);
}

// Else its sender would take positions that were given up for delivered.
TEST_F(StatusReporterTest, abandon_a_stream__expect_nothing_told_of_it) {
  open(0);
  open(1);
  receive(0, 100);
  receive(1, 100);
  streams_[0].abandoned = true;
  statuses_.urge();
  const auto entries = next();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].stream, peer_name(1));
}

TEST_F(StatusReporterTest, have_an_open_stream__expect_what_came_the_room_and_the_losses) {
  open(0);
  receive(0, 100);
  receive(0, 103);
  statuses_.note_loss(0, 101, 2);
  statuses_.urge();
  auto entries = next();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].contiguous, 100u);
  EXPECT_EQ(entries[0].heard_of, 103u);
  EXPECT_EQ(entries[0].room, kShare) << "the window has more";
  EXPECT_EQ(entries[0].first_losses, 2u);
  ASSERT_EQ(entries[0].runs, 1);
  EXPECT_EQ(entries[0].run[0], (wire::LossRun{101, 2}));
  EXPECT_FALSE(streams_[0].progressed);
  streams_[0].limit = 110;
  statuses_.urge();
  now_ns_ += config_.status_ns;
  entries = next();
  EXPECT_EQ(entries[0].room, 10u) << "no room for more behind it";
}

TEST_F(StatusReporterTest, name_peers_that_are_gone__expect_those_left_out) {
  for (const size_t peer : {0, 1, 2}) open(peer);
  streams_[0].left = true;
  streams_[1].state = StreamState::kClosing;
  statuses_.urge();
  const auto entries = next();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].stream, peer_name(2));
}

TEST_F(StatusReporterTest, name_more_than_a_frame_holds__expect_each_once_in_a_round) {
  for (size_t peer = 0; peer < 20; ++peer) open(peer);
  statuses_.urge();
  std::vector<wire::StreamName> named;
  size_t frames = 0;
  for (auto entries = next(512); !entries.empty(); entries = next(512)) {
    ++frames;
    for (const auto& entry : entries) named.push_back(entry.stream);
    EXPECT_EQ(statuses_.next_speech_ns() == 0, named.size() < 20);
  }
  EXPECT_GT(frames, 1u);
  ASSERT_EQ(named.size(), 20u);
  for (uint32_t peer = 0; peer < 20; ++peer) EXPECT_EQ(named[peer], peer_name(peer));
}

TEST_F(StatusReporterTest, have_something_urgent__expect_it_told_after_an_interval) {
  open(0);
  while (next().empty()) now_ns_ += config_.status_ns;
  statuses_.urge();
  EXPECT_EQ(statuses_.next_speech_ns(), now_ns_ + config_.status_ns);
  EXPECT_EQ(wait(), config_.status_ns);
}

TEST_F(StatusReporterTest, progress__expect_much_told_at_once_and_little_later) {
  open(0);
  uint64_t position = 100;
  const auto advance = [&](int packets) {
    for (; packets != 0; --packets) receive(0, position++);
  };
  statuses_.urge();
  (void)next();
  advance(16);  // an eighth of the room told, and more
  EXPECT_EQ(wait(), config_.status_ns);
  advance(1);
  EXPECT_EQ(wait(), std::min(config_.status_max_ns, config_.evict_lag_ns) / 4);
}

TEST_F(StatusReporterTest, have_nothing_new__expect_doubling_distances_to_a_ceiling) {
  open(0);
  statuses_.urge();
  (void)next();
  uint64_t last_ns = wait();
  for (int i = 0; i < 12; ++i) {
    streams_.note_heard(streams_[0], 1, now_ns_);
    const uint64_t ns = wait();
    EXPECT_NEAR(static_cast<double>(ns),
                static_cast<double>(std::min(2 * last_ns, config_.status_max_ns)),
                static_cast<double>(config_.status_ns));
    last_ns = ns;
  }
  EXPECT_EQ(last_ns, config_.status_max_ns);
}

TEST_F(StatusReporterTest, append_a_round__expect_it_only_where_losses_are_dense_and_it_fits) {
  open(0);
  statuses_.urge();
  (void)next();
  const auto append = [&](uint64_t previous_ns, size_t room) {
    size_t bytes = 100;
    const uint16_t entries =
        statuses_.append_round(payload_, bytes, room, now_ns_, previous_ns, kShare);
    EXPECT_EQ(entries != 0, bytes != 100);
    return entries;
  };
  const uint64_t begun_ns = now_ns_;
  now_ns_ += config_.status_ns / 2 - 1;
  EXPECT_EQ(append(begun_ns, 1024), 0u) << "a status went just before";
  ++now_ns_;
  EXPECT_EQ(append(0, 1024), 0u) << "no NACK did";
  EXPECT_EQ(append(begun_ns, 100 + wire::kMaxStatusEntryBytes - 1), 0u) << "no room";
  EXPECT_EQ(append(begun_ns, 100 + wire::kMaxStatusEntryBytes), 1u);
  EXPECT_TRUE(next().empty()) << "that was the round";
}

TEST_F(StatusReporterTest, restart__expect_the_losses_counted_and_told_no_more) {
  open(0);
  statuses_.note_loss(0, 100, 3);
  statuses_.restart(0);
  statuses_.note_loss(0, 10, 1);
  ReceiverReport report;
  statuses_.report(0, report);
  EXPECT_EQ(report.first_losses, 4u);
  statuses_.urge();
  const auto entries = next();
  EXPECT_EQ(entries[0].first_losses, 1u);
  ASSERT_EQ(entries[0].runs, 1);
  EXPECT_EQ(entries[0].run[0], (wire::LossRun{10, 1}));
}

}  // namespace
}  // namespace lambdacast::reliability
