#include "reliability/sender_core.h"

#include <gtest/gtest.h>

#include <vector>

#include "control_payloads.h"

namespace lambdacast::reliability {
namespace {

using What = ReceiverEvent::What;
constexpr uint64_t kFirst = 1'001;  // the first position
constexpr uint64_t kMs = 1'000'000;

RepairConfig small_config() {
  RepairConfig config;
  config.self = {wire::gid_from_ipv4(0x0a000001), 0x20, 77};
  config.max_peers = 8;
  config.first_rel_seq = kFirst - 1;
  config.transmit_window_pkts = 64;
  config.transmit_window_bytes = 64 * 100;
  config.receive_window_pkts = 64;
  return config;
}

class SenderCoreTest : public ::testing::Test {
 protected:
  void configure(const RepairConfig& config) {
    config_ = config;
    core_.emplace(config);
    core_->tick(now_ns_);
  }
  void SetUp() override { configure(small_config()); }

  void pass(uint64_t ns, uint64_t step_ns = kMs) {
    for (uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns;) {
      now_ns_ = std::min(now_ns_ + step_ns, end_ns);
      core_->tick(now_ns_);
    }
  }
  uint64_t send(uint64_t count = 1) {
    uint64_t position = 0;
    for (; count != 0; --count) {
      position = core_->sent(static_cast<PacketHandle>(++packets_), 100, now_ns_,
                             [&](PacketHandle packet) { released_.push_back(packet); });
    }
    return position;
  }
  size_t release() {
    const size_t before = released_.size();
    core_->release([&](PacketHandle packet) { released_.push_back(packet); });
    return released_.size() - before;
  }
  void hear(uint32_t peer, const ControlPayload& payload) {
    wire::ControlHeader header;
    ASSERT_EQ(wire::load_control(payload.bytes.data(), payload.bytes.size(), header),
              counters::DropReason::kNone);
    core_->accept_control(peer, payload.bytes.data(), header, now_ns_, peer_name(peer).gid);
  }
  wire::StatusEntry entry(uint64_t contiguous, uint32_t room = 64) {
    wire::StatusEntry out;
    out.stream = config_.self;
    out.contiguous = contiguous;
    out.room = room;
    return out;
  }
  void status(uint32_t peer, uint64_t contiguous, uint32_t room = 64) {
    hear(peer, status_payload(peer_name(peer), {entry(contiguous, room)}));
  }
  void join(uint32_t peer, uint32_t incarnation = 1) {
    wire::StatusEntry joining = entry(0);
    joining.flags = wire::kStatusJoining;
    hear(peer, status_payload(peer_name(peer, incarnation), {joining}));
  }
  void nack(uint32_t peer, uint64_t first, uint16_t count = 1) {
    hear(peer, nack_payload(peer_name(peer), config_.self, first, {{0, count}}));
  }
  std::vector<uint64_t> repair_all(bool data_waits = false) {
    std::vector<uint64_t> out;
    while (const auto repair = core_->next_repair(data_waits)) {
      EXPECT_EQ(repair->packet, static_cast<PacketHandle>(repair->position - kFirst + 1));
      core_->repaired(repair->position, now_ns_);
      out.push_back(repair->position);
    }
    return out;
  }
  // The next heartbeat, however long it takes.
  std::vector<wire::VerdictEntry> heartbeat(size_t room = 1024) {
    now_ns_ = std::max(now_ns_, core_->next_deadline_ns());
    size_t bytes = 0;
    while ((bytes = core_->next_control(payload_, room, 500, now_ns_)) == 0) pass(10'000, 10'000);
    EXPECT_LE(bytes, room);
    EXPECT_EQ(wire::load_control(payload_, bytes, header_), counters::DropReason::kNone);
    std::vector<wire::VerdictEntry> out;
    for (size_t i = 0; i < header_.entries; ++i) out.push_back(wire::load_verdict(payload_, i));
    return out;
  }
  std::vector<What> events() {
    std::vector<What> out;
    while (const auto event = core_->take_event()) out.push_back(event->what);
    return out;
  }

  RepairConfig config_;
  std::optional<SenderCore> core_;
  uint64_t now_ns_ = 1'000 * kMs;
  uint64_t packets_ = 0;
  std::vector<PacketHandle> released_;
  uint8_t payload_[1024];
  wire::ControlHeader header_;
};

TEST_F(SenderCoreTest, send_to_nobody__expect_all_stable_and_released_at_once) {
  EXPECT_EQ(core_->allowance(), 64u);
  EXPECT_EQ(send(3), kFirst + 2);
  EXPECT_EQ(core_->allowance(), 64u);
  EXPECT_TRUE(core_->flushed());
  EXPECT_EQ(release(), 3u);
}

TEST_F(SenderCoreTest, receive_a_joining_status__expect_admission_welcome_and_event) {
  send(5);
  join(0);
  EXPECT_EQ(core_->receivers().admitted(), 1u);
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
  EXPECT_EQ(core_->counters().admissions, 1u);
}

TEST_F(SenderCoreTest, receive_statuses__expect_the_slowest_to_limit_and_to_release) {
  join(0);
  join(1);
  send(20);
  status(0, kFirst + 19, 64);
  status(1, kFirst + 4, 20);
  EXPECT_EQ(core_->stable(), kFirst + 4);
  EXPECT_EQ(core_->allowance(), 5u);  // up to kFirst + 24
  EXPECT_EQ(release(), 5u);
  EXPECT_FALSE(core_->flushed());
  status(1, kFirst + 19, 64);
  EXPECT_EQ(release(), 15u);
  EXPECT_TRUE(core_->flushed());
}

TEST_F(SenderCoreTest, receive_a_status_about_what_was_never_sent__expect_it_ignored) {
  join(0);
  send(2);
  status(0, kFirst + 2);
  EXPECT_EQ(core_->stable(), kFirst - 1);
  status(0, kFirst + 1);
  EXPECT_EQ(core_->stable(), kFirst + 1);
}

TEST_F(SenderCoreTest, fill_the_transmit_window__expect_no_allowance_until_something_is_stable) {
  RepairConfig config = small_config();
  config.transmit_window_bytes = 1 << 20;
  configure(config);
  join(0);
  status(0, kFirst - 1, 1'000);
  send(64);
  EXPECT_EQ(core_->window().size(), 64u);
  EXPECT_EQ(core_->allowance(), 0u);
  core_->note_closed();
  EXPECT_EQ(core_->counters().window_closed, 1u);
  status(0, kFirst, 1'000);
  EXPECT_EQ(core_->allowance(), 1u);
  send();
  EXPECT_EQ(released_.size(), 1u);
}

TEST_F(SenderCoreTest, use_up_the_bytes__expect_no_allowance_and_nothing_unstable_given_up) {
  RepairConfig config = small_config();
  config.transmit_window_bytes = 500;
  configure(config);
  join(0);
  status(0, kFirst - 1, 1'000);
  send(4);
  EXPECT_NE(core_->allowance(), 0u);
  send(4);  // a burst that was allowed as a whole
  EXPECT_EQ(core_->allowance(), 0u);
  EXPECT_TRUE(released_.empty());
  EXPECT_EQ(core_->window().size(), 8u);
  status(0, kFirst + 7, 1'000);
  EXPECT_NE(core_->allowance(), 0u);
  send();
  EXPECT_EQ(released_.size(), 8u);
}

TEST_F(SenderCoreTest, receive_two_nacks_for_one_packet__expect_one_repair) {
  join(0);
  join(1);
  send(10);
  nack(0, kFirst + 3, 2);
  nack(1, kFirst + 4, 2);
  EXPECT_EQ(repair_all(), (std::vector<uint64_t>{kFirst + 3, kFirst + 4, kFirst + 5}));
  EXPECT_EQ(core_->counters().nacks, 2u);
  EXPECT_EQ(core_->counters().requested, 4u);
  EXPECT_EQ(core_->counters().joined, 1u);
  EXPECT_EQ(core_->counters().repairs, 3u);
}

TEST_F(SenderCoreTest, receive_a_nack_while_the_repair_is_under_way__expect_it_held_off) {
  join(0);
  send(10);
  nack(0, kFirst + 3);
  EXPECT_EQ(repair_all().size(), 1u);
  pass(config_.initial_rtt_ns, 10'000);
  nack(0, kFirst + 3);
  EXPECT_TRUE(repair_all().empty());
  EXPECT_EQ(core_->counters().held_off, 1u);
  pass(config_.initial_rtt_ns, 10'000);
  nack(0, kFirst + 3);
  EXPECT_EQ(repair_all().size(), 1u);
}

TEST_F(SenderCoreTest, receive_a_nack_for_what_is_gone__expect_a_heartbeat_that_says_so) {
  send(10);
  release();
  (void)heartbeat();
  const uint64_t said_ns = now_ns_;
  nack(0, kFirst + 3, 2);
  EXPECT_TRUE(repair_all().empty());
  EXPECT_EQ(core_->counters().too_late, 2u);
  (void)heartbeat();
  EXPECT_LE(now_ns_, said_ns + config_.status_ns);
  EXPECT_EQ(wire::load_heartbeat(payload_).oldest_retained, kFirst + 10);
}

TEST_F(SenderCoreTest, postpone_a_repair__expect_it_offered_again) {
  join(0);
  send(10);
  nack(0, kFirst + 3);
  const auto repair = core_->next_repair(false);
  ASSERT_TRUE(repair);
  EXPECT_FALSE(core_->next_repair(false));
  core_->postpone(repair->position);
  EXPECT_TRUE(core_->repairs_wait());
  EXPECT_EQ(repair_all(), std::vector<uint64_t>{kFirst + 3});
}

TEST_F(SenderCoreTest, learn_that_a_request_is_stable__expect_no_repair) {
  join(0);
  send(10);
  nack(0, kFirst + 3);
  status(0, kFirst + 9);
  release();
  EXPECT_TRUE(repair_all().empty());
  EXPECT_EQ(core_->counters().repairs, 0u);
}

TEST_F(SenderCoreTest, repair_while_data_waits__expect_the_share_only) {
  RepairConfig config = small_config();
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
  core_->sent_data(10);
  EXPECT_EQ(repair_all(true).size(), 10u);  // half of 20 frames
  EXPECT_EQ(repair_all(false).size(), 1'000 - burst - 10);
}

TEST_F(SenderCoreTest, lose_at_one_and_at_all__expect_the_place_of_each_counted) {
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
  EXPECT_EQ(core_->counters().lost_by_all, 1u);
  EXPECT_EQ(core_->counters().lost_by_some, 2u);
  EXPECT_EQ(core_->receivers().at(1).missed_alone, 2u);
  EXPECT_EQ(core_->receivers().at(0).missed_alone, 0u);
}

TEST_F(SenderCoreTest, evict_who_lags__expect_the_window_to_forget_it_and_it_told_until_it_hears) {
  RepairConfig config = small_config();
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
    if (core_->receivers().at(1).admitted) status(1, kFirst + 1);
  }
  EXPECT_FALSE(core_->receivers().at(1).admitted);
  EXPECT_EQ(events(), std::vector<What>{What::kEvictedLag});
  EXPECT_EQ(core_->counters().evicted_lag, 1u);
  EXPECT_TRUE(core_->flushed());
  ASSERT_EQ(heartbeat().size(), 1u);
  status(1, kFirst + 1);  // it has not heard
  const auto verdicts = heartbeat();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].verdict, wire::Verdict::kEvictedLag);
  EXPECT_EQ(verdicts[0].receiver, peer_name(1));
  join(1);
  EXPECT_EQ(heartbeat()[0].verdict, wire::Verdict::kWelcome);
  EXPECT_EQ(core_->receivers().at(1).evictions, 1u);
}

TEST_F(SenderCoreTest, pace_who_lags__expect_it_waited_for_until_it_has_been_silent_for_long) {
  join(0);
  (void)events();
  send(10);
  pass(config_.suspect_after_ns - 10 * kMs);
  EXPECT_EQ(core_->receivers().admitted(), 1u);
  status(0, kFirst + 1);
  pass(config_.suspect_after_ns - 10 * kMs);
  EXPECT_EQ(core_->receivers().admitted(), 1u);
  pass(20 * kMs);
  EXPECT_EQ(core_->receivers().admitted(), 0u);
  EXPECT_EQ(events(), std::vector<What>{What::kEvictedSilent});
  EXPECT_EQ(heartbeat()[0].verdict, wire::Verdict::kEvictedSilent);
}

TEST_F(SenderCoreTest, be_stopped_for_long__expect_nobody_accused) {
  join(0);
  send(10);
  pass(100 * config_.suspect_after_ns, 100 * config_.suspect_after_ns);
  EXPECT_EQ(core_->receivers().admitted(), 1u);
}

TEST_F(SenderCoreTest, join_late_where_all_is_retained__expect_the_oldest_and_time_to_catch_up) {
  RepairConfig config = small_config();
  config.late_join = LateJoin::kRetained;
  config.slow_receiver = SlowReceiver::kEvict;
  configure(config);
  send(40);
  release();
  EXPECT_EQ(core_->window().size(), 32u);  // half a window
  pass(1'000 * kMs);
  join(0);
  EXPECT_EQ(heartbeat()[0].open_at, kFirst + 8);
  pass(config.evict_lag_ns / 2);
  EXPECT_EQ(core_->receivers().admitted(), 1u);  // though what it lacks was sent long ago
  pass(config.evict_lag_ns);
  EXPECT_EQ(core_->receivers().admitted(), 0u);
}

TEST_F(SenderCoreTest, retain_for_longer_than_allowed__expect_it_released_stable_or_not) {
  for (const LateJoin late_join : {LateJoin::kNow, LateJoin::kRetained}) {
    RepairConfig config = small_config();
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
    EXPECT_EQ(core_->window().oldest(), kFirst + 4);
    EXPECT_EQ(core_->counters().expired, 3u);  // one was stable
  }
}

TEST_F(SenderCoreTest, hear_a_restarted_receiver__expect_its_old_life_forgotten_and_not_believed) {
  join(0);
  send(10);
  (void)events();
  join(0, 2);
  EXPECT_EQ(events(), (std::vector<What>{What::kRestarted, What::kJoined}));
  EXPECT_EQ(core_->stable(), kFirst + 9);
  send(1);
  status(0, kFirst + 10);  // of life 1
  EXPECT_EQ(core_->stable(), kFirst + 9);
}

TEST_F(SenderCoreTest, receive_an_echo__expect_the_round_trip_without_what_it_was_held_back) {
  join(0);
  wire::StatusEntry echo = entry(kFirst - 1);
  echo.echo_timestamp_ns = now_ns_ - 30'000;
  echo.echo_delay_ns = 10'000;
  hear(0, status_payload(peer_name(0), {echo}));
  EXPECT_EQ(core_->rtt_ns(), 20'000u);
  hear(0, status_payload(peer_name(0), {echo}));  // none is sampled twice
  EXPECT_EQ(core_->receivers().at(0).round_trip.samples(), 1u);
  echo.echo_timestamp_ns = 1;
  echo.echo_delay_ns = ~uint32_t{0};  // for 4.29 s or more: nobody knows
  now_ns_ += 100'000 * kMs;
  hear(0, status_payload(peer_name(0), {echo}));
  EXPECT_EQ(core_->receivers().at(0).round_trip.samples(), 1u);
}

TEST_F(SenderCoreTest, tell_more_verdicts_than_a_frame_holds__expect_the_rest_in_the_next) {
  for (uint32_t peer = 0; peer < 8; ++peer) join(peer);
  EXPECT_EQ(heartbeat(256).size(), 5u);
  const uint64_t said_ns = now_ns_;
  EXPECT_EQ(heartbeat(256).size(), 3u);
  EXPECT_LE(now_ns_ - said_ns, config_.status_ns);
}

TEST_F(SenderCoreTest, heartbeat__expect_flags_for_what_waits_and_for_the_end) {
  join(0);
  (void)heartbeat();
  EXPECT_EQ(header_.flags, 0);
  send();
  (void)heartbeat();
  EXPECT_EQ(header_.flags, wire::kHeartbeatReport);
  core_->finish();
  status(0, kFirst);
  (void)heartbeat();
  EXPECT_EQ(header_.flags, wire::kHeartbeatEnd);
}

TEST_F(SenderCoreTest, fill_the_ring_of_events__expect_the_newest_kept) {
  for (uint32_t life = 1; life <= 300; ++life) join(0, life);
  EXPECT_EQ(events().size(), 256u);
  EXPECT_TRUE(events().empty());
}

TEST_F(SenderCoreTest, clear__expect_everything_given_back) {
  join(0);
  send(10);
  std::vector<PacketHandle> given;
  core_->clear([&](PacketHandle packet) { given.push_back(packet); });
  EXPECT_EQ(given.size(), 10u);
  EXPECT_EQ(core_->window().size(), 0u);
}

}  // namespace
}  // namespace lambdacast::reliability
