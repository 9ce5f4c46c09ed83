// SPDX-License-Identifier: BSD-3-Clause
// The streams of a few peers, open and with gaps as the test says.
#pragma once

#include <gtest/gtest.h>

#include "control_payloads.h"
#include "reliability/peer_streams.h"

namespace lambdacast::reliability {

class PeerStreamsFixture : public ::testing::Test {
 protected:
  static constexpr uint64_t kMs = 1'000'000;

  static ReliabilityConfig small_config() {
    ReliabilityConfig config;
    config.self = peer_name(99, 77);
    config.max_peers = 24;
    config.receive_window_pkts = 64;
    return config;
  }
  // The peer was introduced and heard just now.
  void introduce(size_t peer) {
    streams_.introduce(peer, peer_name(peer).gid, peer_name(peer).qpn);
    streams_[peer].name = peer_name(static_cast<uint32_t>(peer));
    streams_[peer].state = StreamState::kJoining;
    streams_.note_heard(streams_[peer], 1, now_ns_);
  }
  void open(size_t peer, uint64_t first = 100) {
    if (!streams_[peer].known) introduce(peer);
    streams_[peer].window.open(first);
    streams_[peer].state = StreamState::kOpen;
  }
  void receive(size_t peer, uint64_t position) {
    (void)streams_[peer].window.place(position, true, PacketHandle{position}, true);
    streams_.note_progress(streams_[peer]);
  }
  void pass(uint64_t ns) {
    for (const uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns;) {
      now_ns_ = std::min(now_ns_ + kMs, end_ns);
      streams_.clock().advance(now_ns_);
    }
  }
  void SetUp() override { streams_.clock().advance(now_ns_); }

  ReliabilityConfig config_ = small_config();
  PeerStreams streams_{config_};
  uint64_t now_ns_ = 1'000 * kMs;
};

}  // namespace lambdacast::reliability
