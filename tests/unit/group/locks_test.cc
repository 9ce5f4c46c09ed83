// SPDX-License-Identifier: BSD-3-Clause
// Locks of groups through the group layer: what is said, what has its effect where, and what the
// applications are told.
#include "group/locks.h"

#include "group_network.h"

namespace lambdacast::group {
namespace locks_test {

using What = HandlerEvent::What;
using Heard = std::vector<HashApplication::Heard>;

struct Bench {
  explicit Bench(size_t nodes, uint8_t minimum = 0) : network(1) {
    network.start(nodes);
    for (size_t i = 0; i < nodes; ++i) join(i, minimum);
  }
  void join(size_t i, uint8_t minimum = 0) {
    EXPECT_EQ(network[i].join("g", {minimum}), Result::kOk);
    network.settle();
  }
  void acquire(size_t i, bool only_if_free = false) {
    EXPECT_EQ(network[i].core.acquire("g", 5, only_if_free), Result::kOk);
    network.settle();
  }
  HashApplication& application(size_t i) { return network[i].application("g"); }
  std::optional<FencingToken> holds(size_t i) { return network[i].core.holds("g", 5); }
  uint32_t name(size_t i) { return network[i].self.incarnation; }
  GroupNetwork network;
};

TEST(Locks, a_grant__expect_all_members_told_and_the_holder_to_have_its_token) {
  Bench bench(3);
  bench.acquire(1);
  const uint64_t place = bench.application(0).heard.back().place;
  EXPECT_GT(place, 0u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bench.application(i).heard, (Heard{{What::kGranted, 5, bench.name(1), place}}));
    EXPECT_EQ(bench.application(i).locks[5].own, i == 1);
    EXPECT_EQ(bench.holds(i).has_value(), i == 1);
  }
  EXPECT_EQ(bench.holds(1)->place, place);
  EXPECT_EQ(bench.holds(1)->lineage, bench.network[0].core.lineage());
  EXPECT_NE(bench.network[0].core.lineage(), 0u);
}

TEST(Locks, answers_that_change_nothing__expect_them_told_to_who_asked_alone) {
  Bench bench(3);
  bench.acquire(1);
  bench.acquire(1);
  bench.acquire(2);
  bench.acquire(0, true);
  EXPECT_EQ(bench.application(0).heard.size(), 2u);
  EXPECT_EQ(bench.application(0).heard.back().what, What::kRefused);
  EXPECT_EQ(bench.application(0).heard.back().holder, bench.name(1));
  EXPECT_EQ(bench.application(1).heard.size(), 2u);
  EXPECT_EQ(bench.application(1).heard[0], bench.application(1).heard[1]) << "told again";
  EXPECT_EQ(bench.application(2).heard.size(), 2u);
  EXPECT_EQ(bench.application(2).heard.back().what, What::kQueued);
}

TEST(Locks, a_release__expect_it_said_only_by_the_holder_with_its_token) {
  Bench bench(3);
  bench.acquire(1);
  bench.acquire(2);
  FencingToken token = *bench.holds(1);
  auto& core = bench.network[1].core;
  EXPECT_EQ(bench.network[2].core.release("g", 5, token), Result::kNotHolder);
  ++token.place;
  EXPECT_EQ(core.release("g", 5, token), Result::kNotHolder);
  --token.place, ++token.lineage;
  EXPECT_EQ(core.release("g", 5, token), Result::kNotHolder) << "of another lineage";
  EXPECT_EQ(core.release("h", 5, token), Result::kNotJoined);
  --token.lineage;
  EXPECT_EQ(core.release("g", 5, token), Result::kOk);
  bench.network.settle();
  EXPECT_EQ(bench.holds(1), std::nullopt);
  ASSERT_TRUE(bench.holds(2));
  EXPECT_TRUE(admits(token, *bench.holds(2)));
  EXPECT_FALSE(admits(*bench.holds(2), token)) << "the old one is refused";
  EXPECT_EQ(bench.application(0).heard.back().what, What::kMoved);
}

TEST(Locks, an_heir__expect_it_next_if_it_is_a_member_with_state) {
  Bench bench(3);
  bench.acquire(1);
  bench.acquire(2);
  EXPECT_EQ(bench.network[1].core.release("g", 5, *bench.holds(1), &bench.network[0].self),
            Result::kOk);
  bench.network.settle();
  EXPECT_TRUE(bench.holds(0));
  wire::StreamName stranger;
  stranger.incarnation = 9;
  EXPECT_EQ(bench.network[0].core.release("g", 5, *bench.holds(0), &stranger), Result::kOk);
  bench.network.settle();
  EXPECT_TRUE(bench.holds(2)) << "who waits";
}

TEST(Locks, who_waits_for_state__expect_it_to_get_no_lock_and_to_hear_of_all_behind_its_view) {
  Bench bench(2);
  bench.acquire(1);
  bench.network.add();
  bench.network.install(2);
  bench.network.settle();
  bench.network[1].say_nothing_but_leave = bench.network[0].say_nothing_but_leave = true;
  ASSERT_EQ(bench.network[2].join("g"), Result::kOk);
  bench.network.settle();
  EXPECT_EQ(bench.network[2].core.acquire("g", 5), Result::kNotJoined);
  EXPECT_EQ(bench.network[1].core.release("g", 5, *bench.holds(1)), Result::kOk);
  bench.network.settle();
  bench.acquire(0);
  EXPECT_EQ(bench.application(2).heard, Heard{});
  bench.network[0].say_nothing_but_leave = false;
  bench.network.settle();
  const auto& heard = bench.application(2).heard;
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0].holder, bench.name(1)) << "as of its join";
  EXPECT_EQ(heard[1].what, What::kFreed);
  EXPECT_EQ(heard[2].holder, bench.name(0));
}

TEST(Locks, the_holder_departs__expect_its_locks_moved_by_the_views_beginning_and_newcomers_told) {
  Bench bench(3);
  bench.acquire(0);
  bench.acquire(2);
  const FencingToken old = *bench.holds(0);
  const uint32_t lineage = bench.network[0].core.lineage();
  bench.network.change([&](auto& node) { return node.self.incarnation == bench.name(0); }, 1);
  ASSERT_TRUE(bench.holds(1));  // rank 2 before
  EXPECT_EQ(*bench.holds(1), (FencingToken{lineage, bench.network.epoch, 0}));
  EXPECT_TRUE(admits(old, *bench.holds(1)));
  EXPECT_EQ(bench.application(0).heard.back(),
            (HashApplication::Heard{What::kMoved, 5, bench.name(1), 0}));
  bench.network.settle();
  const Lock* const known =
      bench.network[2].core.locks().find(*bench.network[2].core.number_of("g"), 5);
  ASSERT_NE(known, nullptr) << "the newcomer of the view knows it";
  EXPECT_EQ(known->holder, 1);
  EXPECT_EQ(bench.network[2].core.lineage(), lineage);
}

TEST(Locks, a_ballot_is_under_way__expect_nothing_held) {
  Bench bench(2);
  bench.acquire(1);
  EXPECT_TRUE(bench.holds(1));
  bench.network[1].recovering = true;
  EXPECT_FALSE(bench.holds(1));
}

TEST(Locks, fewer_members_than_the_minimum__expect_no_grant_and_no_publication) {
  Bench bench(1, 2);
  EXPECT_TRUE(bench.application(0).suspended);
  bench.acquire(0);
  EXPECT_EQ(bench.application(0).heard.back().what, What::kQueued);
  EXPECT_EQ(bench.network[0].publish_to("g", 1), Result::kSuspended);
  bench.network.add();
  bench.network.install(1);
  bench.network.settle();
  bench.join(1, 7);  // the first member's wish counts
  EXPECT_FALSE(bench.application(0).suspended);
  EXPECT_FALSE(bench.application(1).suspended);
  EXPECT_TRUE(bench.holds(0));
  EXPECT_EQ(bench.application(1).locks[5].holder, bench.name(0));
  EXPECT_EQ(bench.network[1].publish_to("g", 1), Result::kOk);
  bench.network.settle();
  EXPECT_EQ(bench.network[1].leave("g"), Result::kOk);
  bench.network.settle();
  EXPECT_TRUE(bench.application(0).suspended);
  EXPECT_TRUE(bench.holds(0)) << "held ones stay";
}

TEST(Locks, groups_begin_again_uninformed__expect_another_lineage) {
  GroupNetwork network(1);
  network.start(2);
  const uint32_t lineage = network[0].core.lineage();
  EXPECT_EQ(network[1].core.lineage(), lineage);
  // Both depart before the newcomers are told.
  network.change([&](auto& node) { return node.self.incarnation == network[0].self.incarnation; },
                 2);
  const uint32_t last = network[0].self.incarnation;
  network.change([&](auto& node) { return node.self.incarnation == last; }, 0);
  network.settle();
  EXPECT_TRUE(network[0].core.informed());
  EXPECT_NE(network[0].core.lineage(), lineage);
  EXPECT_EQ(network[1].core.lineage(), network[0].core.lineage());
}

TEST(Locks, handlers_locks_are_held__expect_another_asked_for_later) {
  GroupNetwork network(1);
  network.config.handlers = 2;
  network.start(1);
  EXPECT_EQ(network[0].join("g"), Result::kOk);
  network.settle();
  for (uint32_t handler = 0; handler < 2; ++handler) {
    EXPECT_EQ(network[0].core.acquire("g", handler), Result::kOk);
    network.settle();
  }
  EXPECT_EQ(network[0].core.acquire("g", 2), Result::kAgain);
  EXPECT_EQ(network[0].core.release("g", 0, *network[0].core.holds("g", 0)), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].core.acquire("g", 2), Result::kOk);
}

}  // namespace locks_test
}  // namespace lambdacast::group
