// SPDX-License-Identifier: BSD-3-Clause
// A newcomer of a group gets its state, whichever members depart meanwhile.
#include "group_network.h"

namespace lambdacast::group {
namespace {

// Member 0 has a state; the next `waiting` have joined and wait for it.
void begin_transfer(GroupNetwork& network, size_t waiting) {
  EXPECT_EQ(network[0].join("g"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].publish_to("g", 1), Result::kOk);
  network.settle();
  for (size_t i = 1; i <= waiting; ++i) EXPECT_EQ(network[i].join("g"), Result::kOk);
  while (network[waiting].core.directory().find("g")->members.all != NodeSet::first(waiting + 1)) {
    for (size_t i = 0; i <= waiting; ++i) network[i].poll();
    network.deliver_ordered();
  }
}

TEST(Newcomer, TheNextMemberServesWhenTheFirstDeparts) {
  GroupNetwork network(1);
  network.start(3);
  EXPECT_EQ(network[1].join("g"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].join("g"), Result::kOk);
  network.settle();  // 0 and 1 have it
  EXPECT_EQ(network[1].publish_to("g", 1), Result::kOk);
  network.settle();
  EXPECT_EQ(network[2].join("g"), Result::kOk);
  network[2].poll();
  network.deliver_ordered();
  auto& waiting = network[2];
  auto& next = network[1];
  EXPECT_FALSE(waiting.core.is_member("g"));
  network.change([&](auto& node) { return &node == &network[0]; }, 0);
  network.settle();
  EXPECT_TRUE(waiting.core.is_member("g"));
  EXPECT_EQ(waiting.application("g").hash, next.application("g").hash);
  EXPECT_EQ(next.application("g").snapshots, 2) << "one for 0, one for 2";
  EXPECT_EQ(waiting.application("g").members.size(), 2u);
}

TEST(Newcomer, StateThatNobodyHasIsLostForAllAlike) {
  GroupNetwork network(2);
  network.start(3);
  begin_transfer(network, 2);
  auto& a = network[1];
  auto& b = network[2];
  network.change([&](auto& node) { return &node == &network[0]; }, 0);
  EXPECT_EQ(a.publish_to("g", 5), Result::kOk);
  network.settle();
  EXPECT_EQ(a.application("g").lost, 1);
  EXPECT_EQ(a.application("g").views, 1) << "who departed was never in its view";
  EXPECT_EQ(b.application("g").lost, 1);
  EXPECT_TRUE(a.core.is_member("g"));
  EXPECT_TRUE(b.core.is_member("g"));
  EXPECT_EQ(a.application("g").hash, b.application("g").hash);
}

TEST(Newcomer, WhoWasServedServesTheOther) {
  GroupNetwork network(3);
  network.start(3);
  begin_transfer(network, 2);
  auto& served = network[1];
  auto& other = network[2];
  network[0].poll();
  network.order_only(network[0], 4);  // 300 bytes, 80 a piece
  network.deliver_ordered();
  EXPECT_TRUE(served.core.is_member("g"));
  EXPECT_FALSE(other.core.is_member("g"));
  network.change([&](auto& node) { return &node == &network[0]; }, 0);
  network.settle();
  EXPECT_TRUE(other.core.is_member("g"));
  EXPECT_EQ(other.application("g").lost, 0);
  EXPECT_EQ(other.application("g").hash, served.application("g").hash);
}

TEST(Newcomer, TheLastMemberLeavesBehindItsState) {
  GroupNetwork network(7);
  network.start(2);
  begin_transfer(network, 1);
  EXPECT_EQ(network[0].core.leave("g"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].application("g").end, End::kLeft);
  EXPECT_EQ(network[1].application("g").restored, 1);
  EXPECT_EQ(network[1].application("g").hash, network[0].application("g").hash);
  EXPECT_EQ(network[1].application("g").members, std::vector{network[1].self});
}

// It waits for a member that waits itself, and then leaves.
TEST(Newcomer, WhoWaitsForNobodyBeginsAnew) {
  GroupNetwork network(8);
  network.start(3);
  begin_transfer(network, 1);
  EXPECT_EQ(network[0].core.leave("g"), Result::kOk);
  EXPECT_EQ(network[1].core.leave("g"), Result::kOk);
  network[0].say_nothing_but_leave = true;
  network[0].poll();
  network.deliver_ordered();
  EXPECT_EQ(network[2].join("g"), Result::kOk);
  network[2].poll();
  network.deliver_ordered();
  EXPECT_FALSE(network[2].core.is_member("g"));
  network[1].poll();
  network.deliver_ordered();
  EXPECT_TRUE(network[2].core.is_member("g"));
  EXPECT_EQ(network[2].application("g").lost, 1);
}

// A member that has given up is asked for the state while its leave is still on its way.
TEST(Newcomer, WhoHasNoneRefuses) {
  GroupNetwork network(9);
  network.config.state_bytes = 2000;
  network.start(3);
  begin_transfer(network, 1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(network[0].publish_to("g", 1), Result::kOk);
  network.deliver_ordered();  // 1 gives up
  network[0].poll();
  EXPECT_EQ(network[0].core.leave("g"), Result::kOk);
  network[0].poll();
  network.deliver_ordered();  // the state, for 1; 0 is out
  EXPECT_EQ(network[2].join("g"), Result::kOk);
  network[2].poll();
  network.deliver_ordered();  // and 2 would get it from 1
  network.settle();
  EXPECT_EQ(network[1].application("g").end, End::kStateTooLarge);
  EXPECT_TRUE(network[2].core.is_member("g"));
  EXPECT_EQ(network[2].application("g").lost, 1);
}

TEST(Newcomer, GivesUpWhatIsTooLarge) {
  GroupNetwork network(4);
  network.config.state_bytes = 1000;
  network.start(2);
  network[0].application("g").state_bytes = 2000;
  EXPECT_EQ(network[0].join("g"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[1].join("g"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[1].application("g").end, End::kStateTooLarge);
  EXPECT_EQ(network[1].application("g").views, 0);
  EXPECT_EQ(network[0].application("g").members.size(), 1u);
  EXPECT_EQ(network[0].core.directory().find("g")->members.waiting, NodeSet{});
}

TEST(Newcomer, GivesUpWhenTooMuchComesMeanwhile) {
  GroupNetwork network(5);
  network.config.state_bytes = 2000;
  network.start(2);
  begin_transfer(network, 1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(network[0].publish_to("g", 1), Result::kOk);
  network.deliver_ordered();
  network.settle();
  EXPECT_EQ(network[1].application("g").end, End::kStateTooLarge);
  EXPECT_EQ(network[1].application("g").deliveries, 0);
}

// There is memory for one of the states at a time.
TEST(Newcomer, GivesUpWhenTheStatesOfItsGroupsAreTooMuchTogether) {
  GroupNetwork network(10);
  network.config.state_bytes = 1000;
  network.start(2);
  for (const char* name : {"a", "b", "c"}) {
    network[0].application(name).state_bytes = 800;
    EXPECT_EQ(network[0].join(name), Result::kOk);
  }
  network.settle();
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(network[1].join(name), Result::kOk);
  network[1].poll();
  network.deliver_ordered();
  for (int pieces = 0; pieces < 4; ++pieces) {
    network[0].poll();
    network.deliver_ordered();
    EXPECT_LE(network[1].core.waiting_bytes(), 1000u);
  }
  network.settle();
  EXPECT_EQ(network[1].core.waiting_bytes(), 0u);
}

// Changes of the members are kept as messages are.
TEST(Newcomer, GivesUpWhenTooManyChangesComeMeanwhile) {
  GroupNetwork network(11);
  network.config.state_bytes = 2000;
  network.start(3);
  begin_transfer(network, 1);
  network[0].say_nothing_but_leave = true;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(network[2].join("g"), Result::kOk);
    network[2].poll();
    network.deliver_ordered();
    EXPECT_EQ(network[2].leave("g"), Result::kOk);
    network[2].poll();
    network.deliver_ordered();
    EXPECT_LE(network[1].core.waiting_bytes(), 2000u);
  }
  network[0].say_nothing_but_leave = false;
  network.settle();
  EXPECT_EQ(network[1].application("g").end, End::kStateTooLarge);
}

// It waits behind members for which the state is too large, and no member with state is left.
TEST(Newcomer, BeginsAnewBehindAStateThatIsTooLarge) {
  GroupNetwork network(12);
  network.config.state_bytes = 1000;
  network.start(3);
  network[0].application("g").state_bytes = 2000;
  begin_transfer(network, 1);
  network[0].say_nothing_but_leave = true;
  EXPECT_EQ(network[0].leave("g"), Result::kOk);
  network[0].poll();
  network.deliver_ordered();
  EXPECT_EQ(network[2].join("g"), Result::kOk);
  network[2].poll();
  network.deliver_ordered();  // and nobody serves it
  network[0].say_nothing_but_leave = false;
  network.settle();
  EXPECT_EQ(network[1].application("g").end, End::kStateTooLarge);
  EXPECT_TRUE(network[2].core.is_member("g"));
  EXPECT_EQ(network[2].application("g").lost, 1);
}

TEST(Newcomer, AnEmptyStateIsAStateToo) {
  GroupNetwork network(6);
  network.start(2);
  struct Plain final : Handlers {
    void delivered(const Delivery&, std::span<const uint8_t>) override { ++deliveries; }
    void restore(std::span<const uint8_t> state) override { restored = state.empty(); }
    bool restored = false;
    int deliveries = 0;
  } first, second;
  EXPECT_EQ(network[0].core.join("g", first), Result::kOk);
  network.settle();
  EXPECT_EQ(network[1].core.join("g", second), Result::kOk);
  network.settle();
  EXPECT_TRUE(second.restored);
  EXPECT_TRUE(network[1].core.is_member("g"));
}

}  // namespace
}  // namespace lambdacast::group
