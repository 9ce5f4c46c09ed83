// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/packet_hold.h"

#include "peer_streams_fixture.h"

namespace lambdacast::reliability {
namespace {

using PacketHoldTest = PeerStreamsFixture;

TEST_F(PacketHoldTest, put_and_take__expect_what_is_kept_and_the_room_left) {
  PacketHold hold(8, 4);
  EXPECT_TRUE(hold.has_room(8));
  EXPECT_FALSE(hold.has_room(9));
  hold.put(6);
  EXPECT_FALSE(hold.full());
  EXPECT_FALSE(hold.has_room(3));
  hold.put(3);  // of a departing member
  EXPECT_TRUE(hold.full());
  EXPECT_EQ(hold.kept(), 9u);
  hold.take(2);
  EXPECT_FALSE(hold.full());
  hold.clear();
  EXPECT_EQ(hold.kept(), 0u);
}

TEST_F(PacketHoldTest, count_active__expect_each_moving_stream_to_have_an_equal_share) {
  PacketHold hold(90, config_.max_peers);
  EXPECT_EQ(hold.share(), 90u);
  for (const size_t peer : {0, 1, 2}) open(peer);
  hold.count_active(streams_);
  EXPECT_EQ(hold.share(), 30u);
  receive(1, 100);
  hold.count_active(streams_);
  EXPECT_EQ(hold.share(), 90u);
  for (size_t peer = 3; peer < 12; ++peer) open(peer);
  hold.count_active(streams_);
  EXPECT_EQ(hold.share(), 16u) << "the least";
}

}  // namespace
}  // namespace lambdacast::reliability
