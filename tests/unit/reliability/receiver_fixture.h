// SPDX-License-Identifier: BSD-3-Clause
// A StreamReceiver with peers that the test speaks for.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "control_payloads.h"
#include "reliability/stream_receiver.h"

namespace lambdacast::reliability {

class ReceiverFixture : public ::testing::Test {
 protected:
  using Disposition = StreamReceiver::Disposition;
  using DropReason = counters::DropReason;
  static constexpr uint64_t kMs = 1'000'000;

  struct Info {
    uint16_t peer = 0;
    uint32_t incarnation = 1;
    uint64_t rel_seq = 0;
    uint64_t timestamp_ns = 0;
    wire::Qos qos = wire::Qos::kSourceOrdered;
  };
  struct Gap {
    size_t peer;
    uint32_t incarnation;
    uint64_t first;
    uint64_t count;
    LossReason reason;
    bool operator==(const Gap&) const = default;
  };
  struct Run {
    uint64_t first;
    uint64_t count;
    bool operator==(const Run&) const = default;
  };

  static ReliabilityConfig small_config() {
    ReliabilityConfig config;
    config.self = {wire::gid_from_ipv4(0x0a000001), 0x20, 77};
    config.max_peers = 24;
    config.receive_window_pkts = 64;
    config.hold_pkts = 64;
    return config;
  }
  void configure(const ReliabilityConfig& config) {
    config_ = config;
    receiver_.emplace(config);
    receiver_->tick(now_ns_);
  }
  void SetUp() override { configure(small_config()); }

  void pass(uint64_t ns, uint64_t step_ns = kMs) {
    for (const uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns;) {
      now_ns_ = std::min(now_ns_ + step_ns, end_ns);
      receiver_->tick(now_ns_);
    }
  }
  void introduce(uint32_t peer) {
    if (!receiver_->knows(peer))
      receiver_->introduce(peer, peer_name(peer).gid, peer_name(peer).qpn);
  }
  DropReason hear(uint32_t peer, const ControlPayload& payload) {
    introduce(peer);
    wire::ControlHeader header;
    EXPECT_EQ(wire::load_control(payload.bytes.data(), payload.bytes.size(), header),
              DropReason::kNone);
    return receiver_->accept_control(peer, payload.bytes.data(), header, now_ns_, for_sender_);
  }
  StreamReceiver::Outcome accept(const Info& info) {
    introduce(info.peer);
    return receiver_->accept(info, static_cast<PacketHandle>(info.rel_seq + 1), now_ns_);
  }
  // An ordered packet of peer 0.
  Disposition data(uint64_t rel_seq) { return accept({.rel_seq = rel_seq}).disposition; }
  void heartbeat(uint64_t oldest, uint64_t last, std::vector<wire::VerdictEntry> verdicts = {},
                 uint32_t peer = 0, uint32_t incarnation = 1) {
    (void)hear(peer, heartbeat_payload(peer_name(peer, incarnation), oldest, last, ++stamp_,
                                       std::move(verdicts)));
  }
  void verdict(wire::Verdict verdict, uint64_t open_at, uint32_t peer = 0,
               uint32_t incarnation = 1) {
    heartbeat(0, open_at - 1, {{config_.self, open_at, verdict}}, peer, incarnation);
  }
  // Peer 0 has sent up to `first` - 1 and welcomes us.
  void open(uint64_t first = 100, uint32_t peer = 0) {
    heartbeat(0, first - 1, {}, peer);
    verdict(wire::Verdict::kWelcome, first, peer);
    EXPECT_TRUE(receiver_->report(peer).open);
    (void)statuses();
  }
  uint32_t drain(uint32_t most = 1'000) {
    struct Sink {
      ReceiverFixture& test;
      void deliver(PacketHandle packet) {
        test.delivered_.push_back(static_cast<uint64_t>(packet) - 1);
      }
      bool gap(size_t peer, uint32_t incarnation, uint64_t first, uint64_t count,
               LossReason reason) {
        if (test.refuse_gaps_) return false;
        test.gaps_.push_back({peer, incarnation, first, count, reason});
        return true;
      }
    };
    return receiver_->drain(most, now_ns_, Sink{*this});
  }

  // The control payload that is due now, if any, in `payload_` and `header_`.
  bool next_control(size_t room = 1024) {
    const size_t bytes = receiver_->next_control(payload_, room, now_ns_);
    EXPECT_LE(bytes, room);
    if (bytes == 0) return false;
    EXPECT_EQ(wire::load_control(payload_, bytes, header_), DropReason::kNone);
    EXPECT_EQ(header_.incarnation, config_.self.incarnation);
    EXPECT_EQ(header_.data_qpn, config_.self.qpn);
    return true;
  }
  // The runs of the NACK that goes out now; none: there is no NACK. Statuses that go first are
  // lost.
  std::vector<Run> nack(size_t room = 1024) {
    std::vector<Run> out;
    while (next_control(room)) {
      if (header_.kind != wire::ControlKind::kNack) continue;
      wire::for_each_nack_run(payload_, header_, [&](uint64_t first, uint64_t count) {
        out.push_back({first, count});
      });
      break;
    }
    return out;
  }
  // All statuses that may go within a status interval, by entries, whatever frames they are in.
  std::vector<wire::StatusEntry> statuses(size_t room = 1024) {
    pass(config_.status_ns, config_.status_ns);
    std::vector<wire::StatusEntry> out;
    frames_ = 0;
    while (next_control(room)) {
      ++frames_;
      for (const wire::StatusEntry& entry : status_entries()) out.push_back(entry);
    }
    return out;
  }
  // The status entries of the control payload that came last.
  std::vector<wire::StatusEntry> status_entries() {
    const bool nack = header_.kind == wire::ControlKind::kNack;
    size_t at = nack ? wire::behind_nack_runs(header_) : wire::kControlHeaderBytes;
    std::vector<wire::StatusEntry> out(nack ? header_.statuses : header_.entries);
    for (wire::StatusEntry& entry : out) entry = wire::load_status_entry(payload_, at);
    return out;
  }
  ReceiverReport report() { return receiver_->report(0); }
  uint64_t lost(LossReason reason) { return report().lost[static_cast<size_t>(reason)]; }

  ReliabilityConfig config_;
  std::optional<StreamReceiver> receiver_;
  uint64_t now_ns_ = 1'000 * kMs;
  uint64_t stamp_ = 0;
  bool for_sender_ = false;
  bool refuse_gaps_ = false;
  std::vector<uint64_t> delivered_;
  std::vector<Gap> gaps_;
  uint8_t payload_[4096];
  wire::ControlHeader header_;
  size_t frames_ = 0;
};

}  // namespace lambdacast::reliability
