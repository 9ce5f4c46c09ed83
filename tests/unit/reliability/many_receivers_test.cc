// SPDX-License-Identifier: BSD-3-Clause
// Fabrics of 80 nodes: every rule holds for the last receiver as for the first.
#include "receiver_fixture.h"
#include "sender_fixture.h"

namespace lambdacast::reliability {
namespace {

constexpr uint32_t kReceivers = 80;

class SenderOfManyTest : public SenderFixture {
 protected:
  void SetUp() override { admit(kReceivers); }
  void admit(uint32_t receivers, SlowReceiver slow = SlowReceiver::kPace) {
    ReliabilityConfig config = small_sender_config();
    config.max_peers = receivers;
    config.slow_receiver = slow;
    configure(config);
    for (uint32_t peer = 0; peer < receivers; ++peer) join(peer);
    (void)events();
    packets_ = 0;
    send(10);
  }
  // A status of this peer says that it missed the position at first.
  void miss(uint32_t peer, uint64_t position) {
    wire::StatusEntry told = entry(kFirst - 1);
    told.runs = 1;
    told.run[0] = {position, 1};
    hear(peer, status_payload(peer_name(peer), {told}));
  }
  void settle() {
    for (uint32_t peer = 0; peer < config_.max_peers; ++peer) status(peer, kFirst + 9);
    EXPECT_EQ(release(), 10u);
  }
  std::vector<size_t> proposals() {
    std::vector<size_t> out;
    sender_->proposals([&](size_t peer) { out.push_back(peer); });
    return out;
  }
};

TEST_F(SenderOfManyTest, lose_at_all__expect_it_lost_at_the_transmitter) {
  for (uint32_t peer = 0; peer < kReceivers; ++peer) {
    if (peer % 2 == 0)
      miss(peer, kFirst + 2);
    else
      nack(peer, kFirst + 2);
  }
  settle();
  EXPECT_EQ(sender_->counters().lost_by_all, 1u);
  EXPECT_EQ(sender_->counters().lost_by_some, 0u);
  EXPECT_EQ(sender_->receivers().at(79).missed_alone, 0u);
}

TEST_F(SenderOfManyTest, lose_at_all_but_one__expect_it_lost_at_each_of_the_others) {
  for (const uint32_t spared : {0u, 63u, 64u, 79u}) {
    admit(kReceivers);
    for (uint32_t peer = 0; peer < kReceivers; ++peer) {
      if (peer != spared) miss(peer, kFirst + 2);
    }
    settle();
    EXPECT_EQ(sender_->counters().lost_by_all, 0u) << spared;
    EXPECT_EQ(sender_->counters().lost_by_some, 1u) << spared;
    for (uint32_t peer = 0; peer < kReceivers; ++peer)
      EXPECT_EQ(sender_->receivers().at(peer).missed_alone, peer == spared ? 0u : 1u) << peer;
  }
}

TEST_F(SenderOfManyTest, lose_at_the_last_alone__expect_it_placed) {
  miss(79, kFirst + 2);
  nack(79, kFirst + 4);
  settle();
  EXPECT_EQ(sender_->counters().lost_by_some, 2u);
  EXPECT_EQ(sender_->receivers().at(79).missed_alone, 2u);
}

TEST_F(SenderOfManyTest, evict_one_that_missed_nothing__expect_the_loss_placed_at_the_transmitter) {
  for (uint32_t peer = 0; peer < kReceivers - 1; ++peer) miss(peer, kFirst + 2);
  hear(79, heartbeat_payload(peer_name(79), 0, 0, 1, {}, wire::kHeartbeatEnd));
  settle();
  EXPECT_EQ(sender_->counters().lost_by_all, 1u);
}

TEST_F(SenderOfManyTest, let_members_lag__expect_each_proposed_once) {
  admit(kReceivers, SlowReceiver::kEvict);
  for (uint32_t peer = 0; peer < kReceivers; ++peer)
    sender_->enlist(peer, peer_name(peer), kFirst - 1, now_ns_);
  const auto keep_up = [&] {
    for (uint32_t peer = 0; peer < kReceivers; ++peer) {
      if (peer != 5 && peer != 64 && peer != 79) status(peer, kFirst + 9);
    }
    pass(config_.evict_lag_ns + 10 * kMs);
  };
  keep_up();
  EXPECT_EQ(proposals(), (std::vector<size_t>{5, 64, 79}));
  EXPECT_TRUE(proposals().empty());
  keep_up();
  EXPECT_EQ(proposals(), (std::vector<size_t>{5, 64, 79})) << "they still lag";
  EXPECT_EQ(sender_->receivers().admitted(), kReceivers) << "the view decides";
}

TEST_F(SenderOfManyTest, ask_for_one_position_each__expect_one_repair) {
  for (uint32_t peer = 0; peer < kReceivers; ++peer) nack(peer, kFirst + 3);
  EXPECT_EQ(sender_->counters().joined, kReceivers - 1);
  EXPECT_EQ(repair_all(), std::vector<uint64_t>{kFirst + 3});
  nack(79, kFirst + 3);
  EXPECT_EQ(sender_->counters().held_off, 1u);
  EXPECT_TRUE(repair_all().empty());
}

// Beyond what a set holds a receiver is served and waited for, but not named.
TEST_F(SenderOfManyTest, have_more_than_a_set_holds__expect_the_rest_served_and_not_named) {
  constexpr uint32_t kTooMany = base::NodeSet::kCapacity + 2;
  admit(kTooMany, SlowReceiver::kEvict);
  miss(kTooMany - 1, kFirst + 2);
  nack(kTooMany - 1, kFirst + 4);
  EXPECT_EQ(repair_all(), std::vector<uint64_t>{kFirst + 4});
  for (uint32_t peer = 0; peer < kTooMany; ++peer)
    sender_->enlist(peer, peer_name(peer), kFirst - 1, now_ns_);
  for (uint32_t peer = 0; peer < kTooMany - 1; ++peer) status(peer, kFirst + 9);
  EXPECT_EQ(release(), 0u);
  pass(config_.evict_lag_ns + 10 * kMs);
  EXPECT_TRUE(proposals().empty());
  settle();
  EXPECT_EQ(sender_->counters().lost_by_all + sender_->counters().lost_by_some, 0u);
}

using ReceiverAmongManyTest = ReceiverFixture;

// Every receiver misses the same position; eight ask at once, and the first of their NACKs that the
// others hear spares them asking, whatever the asker's number.
TEST_F(ReceiverAmongManyTest, hear_any_other_ask__expect_our_own_nack_spared) {
  for (const uint32_t asker : {1u, 63u, 64u, 79u}) {
    ReliabilityConfig config = small_config();
    config.max_peers = kReceivers;
    config.nack_delay_ns = 50'000;
    configure(config);
    open();
    for (uint16_t peer = 1; peer < kReceivers; ++peer) (void)accept({.peer = peer, .rel_seq = 1});
    (void)data(101);
    (void)hear(asker, nack_payload(peer_name(asker), peer_name(0), 100, {{0, 1}}));
    EXPECT_EQ(report().nacks_suppressed, 1u) << asker;
    pass(60'000, 10'000);
    EXPECT_TRUE(nack().empty()) << asker;
  }
}

TEST_F(ReceiverAmongManyTest, miss_as_one_of_80__expect_eight_of_all_to_ask_at_once) {
  size_t at_once = 0;
  for (uint32_t self = 1; self <= kReceivers; ++self) {
    ReliabilityConfig config = small_config();
    config.max_peers = kReceivers + 1;
    config.self = peer_name(self, 77);
    configure(config);
    open();
    for (uint32_t other = 1; other <= kReceivers; ++other) {
      if (other != self) (void)accept({.peer = static_cast<uint16_t>(other), .rel_seq = 1});
    }
    (void)data(101);
    at_once += nack().empty() ? 0 : 1;
  }
  EXPECT_EQ(at_once, kFirstAskers);
}

}  // namespace
}  // namespace lambdacast::reliability
