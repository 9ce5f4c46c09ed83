// SPDX-License-Identifier: BSD-3-Clause
// A snapshot of three endpoints with a number of its own in every figure that a stage reports.
#pragma once

#include <array>
#include <bit>
#include <cstring>

#include "support.h"

namespace lambdacast::telemetry::test {

class CountedSnapshot {
 public:
  CountedSnapshot() {
    auto created = rack::Rack::create(config_, {.incarnation = 7});
    EXPECT_TRUE(created) << created.error().message;
    rack_ = std::move(*created);
    snapshot_ = take_snapshot({*rack_, config_}, {});
    for (size_t i = 0; i < snapshot_.endpoints.size(); ++i) count(i, (i + 1) * 1'000'000);
  }
  [[nodiscard]] const Snapshot& snapshot() const { return snapshot_; }

 private:
  using Endpoint = EndpointCounts;

  // A structure of counters that are `first`, `first` + 1 and so on.
  template <typename Counters>
  static Counters counted(uint64_t first) {
    static_assert(sizeof(Counters) % sizeof(uint64_t) == 0);
    std::array<uint64_t, sizeof(Counters) / sizeof(uint64_t)> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = first + i;
    return std::bit_cast<Counters>(all);
  }
  static node::StageCounters stage(uint64_t first) {
    node::StageCounters counters{first, first + 1, {}};
    counters.drops.add(counters::DropReason::kBadIcrc, first + 2);
    counters.drops.add(counters::DropReason::kDuplicate, first + 3);
    counters.drops.add(counters::DropReason::kControlTaken, first + 4);
    counters.drops.add(counters::DropReason::kNotSubscribed, first + 5);
    return counters;
  }
  void count(size_t i, uint64_t base) {
    Endpoint& endpoint = snapshot_.endpoints[i];
    node::NodeReport& stages = endpoint.stages;
    stages.receive.counters = stage(base + 100);
    stages.reliability.counters = stage(base + 200);
    stages.reliability.sequences = counted<reliability::SequenceCounters>(base + 440);
    stages.reliability.receiver = counted<reliability::ReceiverCounters>(base + 450);
    stages.reliability.kept = static_cast<uint32_t>(480 + i);
    stages.reliability.doubles = 490 + i;
    stages.receive.places_reused = 495 + i;
    stages.ordering.counters = stage(base + 300);
    stages.ordering.delivered = counted<ordering::Delivered>(base + 420);
    stages.ordering.held = base + 430;
    rate_control(stages.rate_control, base, i);
    stages.receive.peers.resize(3);
    stages.reliability.peers.resize(3);
    stages.rate_control.peers.resize(3);
    for (size_t p = 0; p < 3; ++p) {
      const uint64_t first = base + 1000 * (p + 1);
      const node::EndpointIdentity& identity = rack_->endpoint(p).identity();
      stages.receive.peers[p] = {identity.gid, identity.data_qpn};
      stages.reliability.peers[p] = {stream(first), receiver(first + 100, p)};
      stages.rate_control.peers[p] = {as_receiver(first + 200, base, p), first + 300};
    }
    if (i != 2) view(stages.view.emplace(), base + 5000, i);
    port(endpoint.port, base + 6000);
    groups(endpoint, base + 7000);
    for (const char* name : {"receive", "reliability", "ordering", "rate_control", "application"}) {
      const uint64_t first = base + 8000 + 10 * snapshot_.polled.size();
      snapshot_.polled.push_back({i, name, 1, first, first + 1, first + 2});
    }
  }
  static void rate_control(node::RateControlReport& report, uint64_t base, size_t i) {
    report.packets = base + 401;
    report.messages = base + 402;
    report.application_bytes = base + 403;
    report.pending = static_cast<uint32_t>(404 + i);
    report.waiting = static_cast<uint32_t>(405 + i);
    report.next_frame_seq = base + 406;
    report.psn_wraps = base + 407;
    report.sender = counted<reliability::SenderCounters>(base + 460);
    report.retention = {.last = base + 900,
                        .stable = base + 491,
                        .packets = base + 492,
                        .bytes = base + 493,
                        .rtt_ns = base + 494,
                        .in_flight = base + 495,
                        .receivers = 496 + i};
  }
  static reliability::StreamReport stream(uint64_t first) {
    reliability::StreamReport report;
    report.started = true;
    report.highest_frame_seq = first + 1;
    report.current = counted<reliability::SequenceCounters>(first + 10);
    report.total = counted<reliability::SequenceCounters>(first + 20);
    report.psn_wraps = first + 30;
    report.psn_mismatches = first + 31;
    report.psn_undecidable = first + 32;
    report.incarnation_changes = first + 33;
    report.stale_incarnations = first + 34;
    return report;
  }
  static reliability::ReceiverReport receiver(uint64_t first, size_t p) {
    reliability::ReceiverReport report;
    report.known = p != 0;
    report.open = p == 1;
    report.left = p == 2;
    report.opened_at = first;
    report.contiguous = first + 1;
    report.missing = first + 2;
    report.kept = static_cast<uint32_t>(first + 3);
    report.room = static_cast<uint32_t>(first + 4);
    report.rtt_ns = first + 5;
    report.first_losses = first + 600 + p;
    report.lost_by_all = first / 2;
    report.repaired = first + 10;
    report.duplicates = first + 11;
    report.nacks_sent = first + 12;
    report.nacks_heard = first + 13;
    report.nacks_suppressed = first + 14;
    report.evictions = first + 15;
    for (size_t i = 0; i < report.lost.size(); ++i) report.lost[i] = first + 20 + i;
    return report;
  }
  static reliability::ReceiverState as_receiver(uint64_t first, uint64_t base, size_t p) {
    reliability::ReceiverState state;
    state.admitted = p == 0;
    state.left = p == 1;
    state.contiguous = base + 700 + p;
    state.nacks = first + 1;
    state.repairs = first + 2;
    state.evictions = p == 2 ? first + 3 : 0;
    return state;
  }
  void view(node::ViewReport& view, uint64_t first, size_t i) {
    view.state = i == 0 ? wire::MemberState::kOperational : wire::MemberState::kRecovering;
    view.stranded = i == 1;
    view.id = {first, first + 1, 7};
    if (view.stranded) {
      using base::NodeSet;
      view.standing = {membership::Standing::What::kNoQuorum, view.id,       1, 2,
                       NodeSet::of(0) | NodeSet::of(2),       NodeSet::of(2)};
    }
    view.own_rank = i;
    view.size = 3;
    for (size_t rank = 0; rank < view.size; ++rank) {
      const node::EndpointIdentity& identity = rack_->endpoint(rank).identity();
      view.members[rank].name = {identity.gid, identity.data_qpn, identity.incarnation};
      view.members[rank].suspected = rank == 2;
      view.members[rank].silent_ns = first + 10 + rank;
      view.members[rank].ack_lag = first + 20 + rank;
    }
    view.membership = counted<membership::MembershipCounters>(first + 30);
    view.order = counted<ordering::TotalOrderCounters>(first + 40);
    view.held = first + 50;
    view.account = counted<node::OrderedAccount>(first + 60);
  }
  static void port(dpdk::PortStatistics& port, uint64_t first) {
    port.rx_packets = first;
    port.rx_bytes = first + 1;
    port.missed = first + 2;
    port.no_mbuf = first + 3;
    port.rx_errors = first + 4;
    port.tx_packets = first + 5;
    port.tx_bytes = first + 6;
    port.tx_errors = first + 7;
    port.extended = {{"wl0_missed", first % 997}, {"wl1_no_mbuf", 3}, {"wl2_too_long", 5}};
  }
  static void groups(Endpoint& endpoint, uint64_t first) {
    endpoint.groups.resize(2);
    endpoint.groups[0].report = {1, counted<ordering::Delivered>(first)};
    auto& named = endpoint.groups[1];
    named.report = {wire::kFirstNamedGroup + 3, counted<ordering::Delivered>(first + 10)};
    std::strcpy(named.name.data(), "orders");
    named.standing = group::GroupLayer::Standing::kWaiting;
    named.members = first + 20;
    named.waiting = first + 21;
  }

  config::Config config_ = lambdacast::test::rack_config(
      {.nodes = 3,
       .defaults = "lcore = 1\nmax_peers = 3\ngroups = [1, 2]\n"
                   "membership = { enabled = true, initial_nodes = 3 }\n"});
  std::unique_ptr<rack::Rack> rack_;
  Snapshot snapshot_;
};

}  // namespace lambdacast::telemetry::test
