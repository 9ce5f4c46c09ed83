// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/nack_delay.h"

#include "peer_streams_fixture.h"

namespace lambdacast::reliability {
namespace {

class NackDelayTest : public PeerStreamsFixture {
 protected:
  // Peer 0 sends; `receivers` others receive, we are one more.
  void know(size_t receivers) {
    for (size_t peer = 0; peer <= receivers; ++peer) introduce(peer);
  }
  [[nodiscard]] uint64_t wait_ns(NackDelay& delay, uint64_t position) {
    return delay.first_ask_ns(0, position, now_ns_, round_trip_) - now_ns_;
  }
  // A block of positions that we are not designated for.
  [[nodiscard]] uint64_t others_block(NackDelay& delay) {
    uint64_t position = 0;
    while (wait_ns(delay, position) == config_.nack_delay_ns) position += kAskerBlock;
    return position;
  }

  RoundTrip round_trip_{config_.initial_rtt_ns};
};

TEST_F(NackDelayTest, be_one_of_few__expect_to_ask_after_the_configured_delay) {
  config_.nack_delay_ns = 5'000;
  NackDelay delay(config_, streams_);
  know(kFirstAskers - 1);
  for (uint64_t block = 0; block < 20; ++block)
    EXPECT_EQ(wait_ns(delay, block * kAskerBlock), 5'000u);
}

TEST_F(NackDelayTest, be_one_of_many__expect_to_ask_first_in_some_blocks_and_to_listen_in_others) {
  NackDelay delay(config_, streams_);
  know(20);
  size_t first = 0;
  for (uint64_t block = 0; block < 200; ++block) {
    const uint64_t ns = wait_ns(delay, block * kAskerBlock);
    EXPECT_TRUE(ns == 0 ||
                ns == listening_ns(round_trip_.smoothed_ns(), round_trip_.variation_ns()));
    EXPECT_EQ(wait_ns(delay, block * kAskerBlock + kAskerBlock - 1), ns) << "one block, one answer";
    first += ns == 0 ? 1 : 0;
  }
  EXPECT_GT(first, 200u * kFirstAskers / 21 / 2);
  EXPECT_LT(first, 200u * kFirstAskers / 21 * 2);
}

// They may not ask again for a round trip.
TEST_F(NackDelayTest, hear_all_designated_ask_just_before__expect_to_wait_for_them_longer) {
  NackDelay delay(config_, streams_);
  know(20);
  const uint64_t position = others_block(delay);
  const uint64_t before_ns = wait_ns(delay, position);
  for (size_t peer = 1; peer <= 20; ++peer) delay.note_common_nack(0, peer, now_ns_);
  EXPECT_EQ(wait_ns(delay, position), before_ns + round_trip_.smoothed_ns() / 2);
}

TEST_F(NackDelayTest, lose_peers__expect_a_new_choice_only_when_it_is_due) {
  NackDelay delay(config_, streams_);
  know(20);
  const uint64_t position = others_block(delay);
  pass(config_.suspect_after_ns + kMs);
  EXPECT_NE(wait_ns(delay, position), 0u);
  delay.choose_anew();
  EXPECT_EQ(wait_ns(delay, position), 0u) << "nobody else is present";
}

TEST_F(NackDelayTest, draw_the_backoff__expect_none_unless_configured_and_none_beyond_it) {
  know(8);
  EXPECT_EQ(NackDelay(config_, streams_).draw_backoff_ns(), 0u);
  config_.nack_backoff_ns = 1'000;
  NackDelay delay(config_, streams_);
  uint64_t longest_ns = 0;
  for (int i = 0; i < 1'000; ++i) longest_ns = std::max(longest_ns, delay.draw_backoff_ns());
  EXPECT_LE(longest_ns, 1'000u);
  EXPECT_GT(longest_ns, 500u);
}

}  // namespace
}  // namespace lambdacast::reliability
