// SPDX-License-Identifier: BSD-3-Clause
// Both halves of a handover, on a peer table and a receiver whose frames the test has.
#pragma once

#include <gtest/gtest.h>

#include <deque>

#include "node/newcomers.h"
#include "node/place_offers.h"

namespace lambdacast::node {

class PlaceFixture : public ::testing::Test {
 protected:
  using Step = PlaceHandover::Step;
  static constexpr uint64_t kMs = 1'000'000;
  static constexpr uint64_t kLookEvery = 5 * kMs;

  static reliability::ReliabilityConfig small_config() {
    reliability::ReliabilityConfig config;
    config.self = {name(99).gid, 0x20, 77};
    config.max_peers = 3;
    config.receive_window_pkts = config.hold_pkts = 64;
    return config;
  }
  static PeerName name(uint32_t number) { return {wire::gid_from_ipv4(0x0a000100 + number), 0x10}; }

  void SetUp() override { receiver_.tick(now_ns_); }

  // A frame of that endpoint comes, and goes to the link if it has a place.
  uint16_t arrive(uint32_t number) {
    const uint16_t peer = peers_.find_or_learn(name(number).gid, name(number).qpn, now_ns_);
    if (peer != kNoPeer) link_.push_back(peer);
    return peer;
  }
  // Reliability has judged so many of them.
  void judge(size_t frames = ~size_t{0}) {
    struct Info {
      uint16_t peer = 0;
      uint32_t incarnation = 1;
      uint64_t rel_seq = 0;
      uint64_t timestamp_ns = 0;
      wire::Qos qos = wire::Qos::kUnreliable;
    };
    for (; frames != 0 && !link_.empty(); --frames, ++links_.judged) {
      const uint16_t peer = link_.front();
      link_.pop_front();
      const PeerName is = peers_.name_of(peer);
      if (!receiver_.knows(peer) && receiver_.introduce(peer, is.gid, is.qpn)) ++succeeded_;
      (void)receiver_.accept(Info{.peer = peer}, base::PacketHandle{1}, now_ns_);
    }
  }
  void hear(uint32_t number) {
    (void)arrive(number);
    judge();
  }
  void pass(uint64_t ns) {
    for (const uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns;) {
      now_ns_ += kMs;
      receiver_.tick(now_ns_);
    }
  }
  // Endpoints 0, 1 and 2 have the places; 1 is gone, and nobody else is.
  void fill() {
    for (const uint32_t number : {0u, 1u, 2u}) hear(number);
    const uint64_t gone_ns = 2 * small_config().suspect_after_ns;
    pass(gone_ns / 2);
    hear(0);
    hear(2);
    pass(gone_ns / 2 + 20 * kMs);
    hear(0);
    hear(2);
  }
  void poll_receive() { newcomers_.poll(now_ns_); }
  void poll_reliability() {
    links_.waiting = link_.size();
    if (offers_.has_turn()) offers_.poll(now_ns_, links_);
  }
  // Until the place of endpoint 1 is withdrawn for endpoint 3.
  void withdraw() {
    fill();
    EXPECT_EQ(arrive(3), kNoPeer);
    poll_receive();
    poll_reliability();
    EXPECT_EQ(handover_.step(), Step::kOffered);
    EXPECT_EQ(handover_.offer.peer, 1);
  }
  void poll_both() {
    poll_receive();
    poll_reliability();
  }

  uint64_t now_ns_ = 1'000 * kMs;
  PeerTable peers_{3};
  reliability::StreamReceiver receiver_{small_config()};
  PlaceHandover handover_;
  Newcomers newcomers_{peers_, handover_};
  PlaceOffers offers_{handover_, receiver_, peers_, kLookEvery};
  PlaceOffers::Links links_{.handed_over = true, .delivered = true};
  std::deque<uint16_t> link_;
  uint32_t succeeded_ = 0;  // times that a place was another peer's
};

}  // namespace lambdacast::node
