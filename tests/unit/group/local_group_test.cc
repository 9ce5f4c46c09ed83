// SPDX-License-Identifier: BSD-3-Clause
#include "group/local_group.h"

#include <gtest/gtest.h>

#include "ranks.h"
#include "recording_handlers.h"

namespace lambdacast::group {
namespace local_group_test {

using State = LocalGroup::State;

wire::StreamName node(uint32_t i) { return {wire::gid_from_ipv4(0x0a000001 + i), 0x11, 100 + i}; }

Delivery with(wire::Qos qos) {
  Delivery delivery;
  delivery.qos = qos;
  return delivery;
}

// This endpoint is rank 1 of 3.
struct Bench {
  Bench() {
    nodes.begin(3, std::vector{node(0), node(1), node(2)});
    local.begin("g", handlers);
    local.set_number(wire::kFirstNamedGroup);
  }
  bool deliver(wire::Qos qos = wire::Qos::kTotallyOrdered) { return local.deliver(with(qos), {}); }
  bool change(NodeSet members, NodeSet joined, NodeSet departed) {
    return local.change({members, joined, departed}, nodes);
  }
  CatchUp::Taken take(uint64_t total, uint64_t offset, size_t bytes) {
    return local.take({3, 7, nodes.self(), total, offset, 1}, std::vector<uint8_t>(bytes));
  }
  NodeView nodes{node(1)};
  Budget budget{1000};
  RecordingHandlers handlers;
  LocalGroup local{0, budget, 4};
};

TEST(LocalGroup, AMemberHearsAtOnceAndOthersNothing) {
  Bench bench;
  for (const State state : {State::kAsked, State::kRegistering, State::kJoining, State::kLeaving}) {
    bench.local.move_to(state);
    EXPECT_TRUE(bench.deliver());
    EXPECT_TRUE(bench.change(ranks(0b111), ranks(0b100), {}));
  }
  EXPECT_EQ(bench.handlers.take(), Heard{});
  bench.local.move_to(State::kMember);
  bench.local.enter({ranks(0b010)}, bench.nodes);
  EXPECT_TRUE(bench.deliver());
  EXPECT_TRUE(bench.change(ranks(0b110), ranks(0b100), {}));
  EXPECT_EQ(bench.handlers.take(), (Heard{"view 1 +1 -0", "message g", "view 2 +1 -0"}));
  EXPECT_EQ(bench.budget.used(), 0u);
}

TEST(LocalGroup, AMemberThatWaitsHearsInOrderWhenItsStateIsThere) {
  Bench bench;
  bench.local.move_to(State::kWaiting);
  bench.local.expect({3, 7}, {ranks(0b011)});
  EXPECT_TRUE(bench.deliver());
  EXPECT_TRUE(bench.deliver(wire::Qos::kUnreliable));
  EXPECT_TRUE(bench.change(ranks(0b111), ranks(0b100), {}));
  EXPECT_EQ(bench.take(24, 0, 12), CatchUp::Taken::kPart);
  EXPECT_EQ(bench.take(24, 12, 12), CatchUp::Taken::kAll);
  EXPECT_EQ(bench.handlers.take(), Heard{});
  bench.local.restore(bench.nodes);
  EXPECT_EQ(bench.handlers.take(),
            (Heard{"restore 20", "view 2 +1 -0", "message g", "view 3 +1 -0"}));
  EXPECT_EQ(bench.local.state(), State::kMember);
  EXPECT_EQ(bench.budget.used(), 0u);
}

TEST(LocalGroup, BeginsAnewWithoutWhatItKept) {
  Bench bench;
  bench.local.move_to(State::kWaiting);
  bench.local.expect({3, 7}, {ranks(0b011)});
  EXPECT_TRUE(bench.deliver());
  bench.local.begin_anew({ranks(0b010)}, bench.nodes);
  EXPECT_EQ(bench.handlers.take(), (Heard{"lost", "view 1 +1 -0"}));
  EXPECT_EQ(bench.local.state(), State::kMember);
  EXPECT_EQ(bench.budget.used(), 0u);
}

TEST(LocalGroup, GivesUpWhatItHasNoRoomFor) {
  Bench bench;
  bench.local.move_to(State::kWaiting);
  bench.local.expect({3, 7}, {ranks(0b011)});
  while (bench.deliver()) continue;
  EXPECT_FALSE(bench.change(ranks(0b111), ranks(0b100), {}));
  EXPECT_EQ(bench.take(900, 0, 100), CatchUp::Taken::kNoRoom);
  bench.local.give_up();
  EXPECT_EQ(bench.local.state(), State::kLeaving);
  EXPECT_TRUE(bench.local.leaves());
  EXPECT_EQ(bench.local.end(), End::kStateTooLarge);
  EXPECT_EQ(bench.budget.used(), 0u);
  EXPECT_EQ(bench.handlers.take(), Heard{});
}

TEST(LocalGroup, NodesThatDepartHaveTheirNamesOfTheViewBefore) {
  Bench bench;
  struct Names final : Handlers {
    void delivered(const Delivery&, std::span<const uint8_t>) override {}
    void view(const GroupView& view) override {
      members.assign(view.members.begin(), view.members.end());
      departed.assign(view.departed.begin(), view.departed.end());
    }
    std::vector<wire::StreamName> members, departed;
  } names;
  LocalGroup local(1, bench.budget, 4);
  local.begin("h", names);
  bench.nodes.begin(4, std::vector{node(1), node(3)});
  local.tell_departed({ranks(0b11)}, ranks(0b101), bench.nodes);
  EXPECT_EQ(names.members, (std::vector{node(1), node(3)}));
  EXPECT_EQ(names.departed, (std::vector{node(0), node(2)}));
}

TEST(LocalGroup, AnotherGroupInItsPlaceHasNothingOfIt) {
  Bench bench;
  bench.local.move_to(State::kWaiting);
  bench.local.expect({3, 7}, {ranks(0b011)});
  EXPECT_TRUE(bench.deliver());
  bench.local.give_up();
  EXPECT_EQ(&bench.local.finish(), &bench.handlers);
  EXPECT_FALSE(bench.local.used());
  bench.local.begin("h", bench.handlers);
  EXPECT_EQ(bench.local.state(), State::kAsked);
  EXPECT_EQ(bench.local.number(), kNoGroup);
  EXPECT_FALSE(bench.local.leaves());
  EXPECT_EQ(bench.local.end(), End::kLeft);
  EXPECT_EQ(bench.local.name(), "h");
}

}  // namespace local_group_test
}  // namespace lambdacast::group
