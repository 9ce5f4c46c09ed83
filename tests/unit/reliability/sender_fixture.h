// SPDX-License-Identifier: BSD-3-Clause
// A StreamSender with receivers that the test speaks for.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "control_payloads.h"
#include "reliability/stream_sender.h"

namespace lambdacast::reliability {

inline ReliabilityConfig small_sender_config() {
  ReliabilityConfig config;
  config.self = {wire::gid_from_ipv4(0x0a000001), 0x20, 77};
  config.max_peers = 8;
  config.first_rel_seq = 1'000;
  config.transmit_window_pkts = 64;
  config.transmit_window_bytes = 64 * 100;
  config.receive_window_pkts = 64;
  return config;
}

class SenderFixture : public ::testing::Test {
 protected:
  using What = ReceiverEvent::What;
  static constexpr uint64_t kFirst = 1'001;  // the first position
  static constexpr uint64_t kMs = 1'000'000;

  void configure(const ReliabilityConfig& config) {
    config_ = config;
    sender_.emplace(config);
    sender_->tick(now_ns_);
  }
  void SetUp() override { configure(small_sender_config()); }

  void pass(uint64_t ns, uint64_t step_ns = kMs) {
    for (uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns;) {
      now_ns_ = std::min(now_ns_ + step_ns, end_ns);
      sender_->tick(now_ns_);
    }
  }
  uint64_t send(uint64_t count = 1) {
    uint64_t position = 0;
    for (; count != 0; --count) {
      position = sender_->sent(static_cast<PacketHandle>(++packets_), 100, now_ns_,
                               [&](PacketHandle packet) { released_.push_back(packet); });
    }
    return position;
  }
  size_t release() {
    const size_t before = released_.size();
    sender_->release([&](PacketHandle packet) { released_.push_back(packet); });
    return released_.size() - before;
  }
  void hear(uint32_t peer, const ControlPayload& payload) {
    wire::ControlHeader header;
    ASSERT_EQ(wire::load_control(payload.bytes.data(), payload.bytes.size(), header),
              counters::DropReason::kNone);
    sender_->accept_control(peer, payload.bytes.data(), header, now_ns_, peer_name(peer).gid);
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
    hear(peer, nack_payload(peer_name(peer), config_.self, first, {{0, count}}, ++nack_stamp_));
  }
  std::vector<uint64_t> repair_all(bool data_waits = false) {
    std::vector<uint64_t> out;
    while (const auto repair = sender_->next_repair(data_waits)) {
      EXPECT_EQ(repair->packet, static_cast<PacketHandle>(repair->position - kFirst + 1));
      sender_->repaired(repair->position, now_ns_);
      out.push_back(repair->position);
    }
    return out;
  }
  // The next heartbeat, however long it takes.
  std::vector<wire::VerdictEntry> heartbeat(size_t room = 1024) {
    now_ns_ = std::max(now_ns_, sender_->next_deadline_ns());
    size_t bytes = 0;
    while ((bytes = sender_->next_control(payload_, room, 500, now_ns_)) == 0) pass(10'000, 10'000);
    EXPECT_LE(bytes, room);
    EXPECT_EQ(wire::load_control(payload_, bytes, header_), counters::DropReason::kNone);
    std::vector<wire::VerdictEntry> out;
    for (size_t i = 0; i < header_.entries; ++i) out.push_back(wire::load_verdict(payload_, i));
    return out;
  }
  std::vector<What> events() {
    std::vector<What> out;
    while (const auto event = sender_->take_event()) out.push_back(event->what);
    return out;
  }

  ReliabilityConfig config_;
  std::optional<StreamSender> sender_;
  uint64_t now_ns_ = 1'000 * kMs;
  uint64_t nack_stamp_ = 0;  // of the last NACK
  uint64_t packets_ = 0;
  std::vector<PacketHandle> released_;
  uint8_t payload_[1024];
  wire::ControlHeader header_;
};

}  // namespace lambdacast::reliability
