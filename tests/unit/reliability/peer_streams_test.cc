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

}  // namespace
}  // namespace lambdacast::reliability
