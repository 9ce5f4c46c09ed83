// SPDX-License-Identifier: BSD-3-Clause
// Lives of one endpoint at a receiver of streams: which of them is heard.
#include "receiver_fixture.h"
#include "reliability/stream_receiver.h"

namespace lambdacast::reliability {
namespace {

using ReceiverLivesTest = ReceiverFixture;

TEST_F(ReceiverLivesTest, receive_control_of_an_old_life__expect_stale) {
  open();
  (void)accept({.incarnation = 2, .rel_seq = 1});
  EXPECT_EQ(hear(0, heartbeat_payload(peer_name(0), 0, 5, 1)), DropReason::kStaleIncarnation);
}

TEST_F(ReceiverLivesTest, hear_an_older_life_behind_a_silence__expect_it_joined) {
  open();
  (void)accept({.incarnation = 9, .rel_seq = 1});
  pass(config_.suspect_after_ns + 40 * kMs);
  EXPECT_EQ(receiver_->incarnation(0), 9u);
  EXPECT_FALSE(receiver_->came_back(0, 9));
  EXPECT_EQ(hear(0, heartbeat_payload(peer_name(0, 4), 0, 5, 1)), DropReason::kNone);
  EXPECT_TRUE(receiver_->came_back(0, 4));
}

TEST_F(ReceiverLivesTest, an_older_life_is_heard_again_before_the_newer_one_ends__expect_it_known) {
  constexpr uint32_t kOlder = ~uint32_t{0};
  open();
  EXPECT_EQ(data(102), Disposition::kKeep);
  pass(config_.suspect_after_ns + 40 * kMs);
  for (int i = 0; i < 2; ++i) (void)hear(0, heartbeat_payload(peer_name(0, kOlder), 0, 5, 1));
  EXPECT_FALSE(receiver_->came_back(0, kOlder)) << "what is kept of the newer one has to go first";
  (void)drain();
  EXPECT_EQ(hear(0, heartbeat_payload(peer_name(0, kOlder), 0, 5, 1)), DropReason::kNone);
  EXPECT_TRUE(receiver_->came_back(0, kOlder)) << "its frames are to be followed";
}

}  // namespace
}  // namespace lambdacast::reliability
