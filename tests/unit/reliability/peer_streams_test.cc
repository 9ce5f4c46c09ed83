// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/peer_streams.h"

#include "peer_streams_fixture.h"

namespace lambdacast::reliability {
namespace {

using PeerStreamsTest = PeerStreamsFixture;

TEST_F(PeerStreamsTest, introduce__expect_the_peer_known_and_unheard) {
  EXPECT_FALSE(streams_[3].known);
  streams_.introduce(3, peer_name(3).gid, peer_name(3).qpn);
  streams_.introduce(1, peer_name(1).gid, peer_name(1).qpn);
  EXPECT_TRUE(streams_[3].known);
  EXPECT_EQ(streams_[3].state, StreamState::kUnheard);
  EXPECT_EQ(streams_[3].hash, name_hash(peer_name(3)));
  EXPECT_TRUE(std::ranges::equal(streams_.known(), std::vector<uint16_t>{3, 1}));
  EXPECT_FALSE(streams_.present(streams_[3]));
}

TEST_F(PeerStreamsTest, find__expect_the_peer_of_that_name_and_incarnation_only) {
  introduce(3);
  EXPECT_EQ(streams_.find(peer_name(3)), 3u);
  EXPECT_EQ(streams_.find(peer_name(3, 2)), std::nullopt);
  EXPECT_EQ(streams_.find(peer_name(4)), std::nullopt);
}

TEST_F(PeerStreamsTest, hear__expect_the_peer_present_until_it_is_silent_for_long_or_leaves) {
  introduce(3);
  introduce(4);
  EXPECT_EQ(streams_[3].heard_timestamp_ns, 1u);
  EXPECT_EQ(streams_[3].heard_ns, now_ns_);
  EXPECT_TRUE(streams_.present(streams_[3]));
  pass(config_.suspect_after_ns);
  EXPECT_FALSE(streams_.silent(streams_[3]));
  streams_.note_heard(streams_[4], 2, now_ns_);
  pass(kMs);
  EXPECT_TRUE(streams_.silent(streams_[3]));
  EXPECT_FALSE(streams_.present(streams_[3]));
  EXPECT_TRUE(streams_.present(streams_[4]));
  streams_[4].left = true;
  EXPECT_FALSE(streams_.present(streams_[4]));
}

TEST_F(PeerStreamsTest, be_silent_for_twice_suspect_after__expect_the_peer_gone) {
  introduce(3);
  EXPECT_FALSE(streams_.gone(streams_[4])) << "never introduced";
  pass(2 * config_.suspect_after_ns);
  EXPECT_FALSE(streams_.gone(streams_[3]));
  pass(kMs);
  EXPECT_TRUE(streams_.gone(streams_[3]));
  EXPECT_EQ(streams_.silent_ns(streams_[3]), 2 * config_.suspect_after_ns + kMs);
  streams_[3].member = true;
  EXPECT_FALSE(streams_.gone(streams_[3])) << "the view decides";
}

TEST_F(PeerStreamsTest, leave__expect_the_peer_gone_once_nothing_can_be_on_its_way) {
  introduce(3);
  streams_[3].left = true;
  pass(config_.suspect_after_ns);
  EXPECT_FALSE(streams_.gone(streams_[3]));
  pass(kMs);
  EXPECT_TRUE(streams_.gone(streams_[3]));
}

// The newcomer may never speak: then the place is free again.
TEST_F(PeerStreamsTest, give_up__expect_the_place_not_gone_again_before_it_was_silent_anew) {
  introduce(3);
  streams_[3].left = true;
  pass(3 * config_.suspect_after_ns);
  streams_.give_up(3);
  EXPECT_FALSE(streams_[3].known);
  pass(2 * config_.suspect_after_ns);
  EXPECT_FALSE(streams_.gone(streams_[3]));
  pass(kMs);
  EXPECT_TRUE(streams_.gone(streams_[3]));
  streams_.introduce(3, peer_name(7).gid, peer_name(7).qpn);
  EXPECT_TRUE(streams_[3].known);
  EXPECT_EQ(streams_[3].hash, name_hash(peer_name(7)));
  EXPECT_TRUE(std::ranges::equal(streams_.known(), std::vector<uint16_t>{3})) << "listed once";
}

}  // namespace
}  // namespace lambdacast::reliability
