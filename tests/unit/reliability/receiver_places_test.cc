// SPDX-License-Identifier: BSD-3-Clause
// Places of peers that are gone, and what becomes of them: whose are free, and what their next
// peers find there.
#include "receiver_fixture.h"

namespace lambdacast::reliability {
namespace {

class StreamPlaces : public ReceiverFixture {
 protected:
  std::optional<size_t> longest_gone(size_t kept = ~size_t{0}) {
    const auto gone = receiver_->longest_gone([&](size_t peer) { return peer == kept; });
    return gone ? std::optional<size_t>(gone->peer) : std::nullopt;
  }
  void end(uint32_t peer, uint64_t last) {
    (void)hear(peer,
               heartbeat_payload(peer_name(peer), 0, last, ++stamp_, {}, wire::kHeartbeatEnd));
  }
  bool introduce_as(uint32_t peer, uint32_t number) {
    return receiver_->introduce(peer, peer_name(number).gid, peer_name(number).qpn);
  }
  void be_silent() { pass(2 * config_.suspect_after_ns + 40 * kMs); }
};

TEST_F(StreamPlaces, look_for_the_gone__expect_the_one_heard_last_longest_ago_and_none_kept) {
  for (const uint32_t peer : {2u, 0u, 1u}) {
    heartbeat(0, 99, {}, peer);
    pass(100 * kMs);
  }
  EXPECT_EQ(longest_gone(), std::nullopt);
  be_silent();
  EXPECT_EQ(longest_gone(), 2u);
  EXPECT_EQ(longest_gone(2), 0u);
  heartbeat(0, 99, {}, 2);
  EXPECT_EQ(longest_gone(), 0u) << "2 is alive";
  const auto gone = receiver_->longest_gone([](size_t) { return false; });
  EXPECT_FALSE(gone->left);
  EXPECT_GT(gone->silent_ns, 2 * config_.suspect_after_ns);
}

TEST_F(StreamPlaces, leave__expect_the_place_free_after_suspect_after) {
  open();
  end(0, 99);
  pass(config_.suspect_after_ns - 40 * kMs);
  EXPECT_EQ(longest_gone(), std::nullopt);
  pass(80 * kMs);
  EXPECT_EQ(longest_gone(), 0u);
  EXPECT_TRUE(receiver_->longest_gone([](size_t) { return false; })->left);
}

TEST_F(StreamPlaces, be_a_member__expect_no_place_free) {
  open();
  receiver_->enlist(0, peer_name(0));
  be_silent();
  EXPECT_EQ(longest_gone(), std::nullopt);
  receiver_->discharge(0);
  EXPECT_EQ(longest_gone(), 0u);
}

TEST_F(StreamPlaces, owe_the_application_something__expect_no_place_free_before_it_is_told) {
  open(100);
  (void)data(100);
  EXPECT_EQ(data(103), Disposition::kKeep);
  be_silent();  // closed: 101 and 102 are lost
  EXPECT_EQ(longest_gone(), std::nullopt);
  (void)drain();
  EXPECT_EQ(gaps_, (std::vector<Gap>{{0, 1, 101, 2, LossReason::kSenderGone}}));
  EXPECT_EQ(longest_gone(), 0u);
}

// Evicted it may have been admitted anew, and what was sent since is owed as well.
TEST_F(StreamPlaces, owe_what_came_behind_an_eviction__expect_it_told_as_of_a_sender_gone) {
  open(100);
  verdict(wire::Verdict::kEvictedLag, 100);
  (void)drain();
  heartbeat(0, 109);
  be_silent();
  EXPECT_FALSE(receiver_->gone(0));
  EXPECT_EQ(longest_gone(), std::nullopt);
  (void)drain();
  ASSERT_EQ(gaps_.size(), 1u);
  EXPECT_EQ(gaps_[0], (Gap{0, 1, 100, 10, LossReason::kSenderGone}));
  EXPECT_EQ(longest_gone(), 0u);
}

TEST_F(StreamPlaces, give_up_and_hear_the_same_peer__expect_its_stream_to_go_on) {
  open(100);
  (void)data(100);
  be_silent();
  ASSERT_EQ(longest_gone(), 0u);
  receiver_->give_up(0);
  EXPECT_FALSE(receiver_->knows(0));
  EXPECT_TRUE(receiver_->report(0).known);
  EXPECT_FALSE(introduce_as(0, 0));
  EXPECT_TRUE(receiver_->knows(0));
  EXPECT_EQ(data(101), Disposition::kDeliver);
  EXPECT_EQ(report().contiguous, 101u);
}

// Its incarnation has the number of the one before, or an older one: it is another's all the same.
TEST_F(StreamPlaces, give_up_and_hear_another_peer__expect_a_stream_of_its_own) {
  for (const uint32_t incarnation : {1u, ~0u}) {
    configure(small_config());
    open(100);
    (void)data(100);
    end(0, 100);
    be_silent();
    receiver_->give_up(0);
    EXPECT_TRUE(introduce_as(0, 9));
    EXPECT_FALSE(introduce_as(0, 9)) << "once";
    EXPECT_FALSE(receiver_->report(0).left);
    EXPECT_FALSE(receiver_->report(0).open);
    EXPECT_EQ(longest_gone(), std::nullopt) << "it has just come";
    EXPECT_EQ(accept({.incarnation = incarnation, .rel_seq = 101}).reason, DropReason::kNotJoined);
    EXPECT_EQ(receiver_->incarnation(0), incarnation);
    const auto entries = statuses();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].stream, peer_name(9, incarnation));
    EXPECT_EQ(entries[0].flags, wire::kStatusJoining);
    (void)hear(0, heartbeat_payload(peer_name(9, incarnation), 0, 6, ++stamp_,
                                    {{config_.self, 7, wire::Verdict::kWelcome}}));
    EXPECT_TRUE(report().open);
    EXPECT_EQ(accept({.incarnation = incarnation, .rel_seq = 7}).disposition,
              Disposition::kDeliver);
    EXPECT_TRUE(gaps_.empty());
  }
}

TEST_F(StreamPlaces, hear_another_peer__expect_the_counts_of_the_place_to_go_on) {
  open(100);
  EXPECT_EQ(data(102), Disposition::kKeep);
  be_silent();
  (void)drain();
  receiver_->give_up(0);
  EXPECT_TRUE(introduce_as(0, 9));
  EXPECT_EQ(lost(LossReason::kSenderGone), 2u);
  EXPECT_EQ(report().first_losses, 2u);
  EXPECT_EQ(report().silences, 1u);
}

TEST_F(StreamPlaces, a_place_without_a_word_of_its_newcomer__expect_it_free_again) {
  heartbeat(0, 99);
  be_silent();
  receiver_->give_up(0);
  EXPECT_EQ(longest_gone(), std::nullopt);
  be_silent();
  EXPECT_EQ(longest_gone(), 0u);
}

}  // namespace
}  // namespace lambdacast::reliability
