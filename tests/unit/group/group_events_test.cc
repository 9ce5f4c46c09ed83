// SPDX-License-Identifier: BSD-3-Clause
// The effect of each message of the group layer on a group's members.
#include "group_network.h"

namespace lambdacast::group {
namespace {

struct Bench {
  Bench() : network(1) {
    network.start(3);
    EXPECT_EQ(network[0].join("g"), Result::kOk);
    network.settle();
    number = *network[0].core.number_of("g");
  }
  const Members& members() { return network[0].core.directory().find(number)->members; }
  void hear(size_t from, wire::GroupMessageType type, uint64_t index = 100) {
    uint8_t payload[wire::kGroupHeaderBytes];
    const bool joins = type == wire::GroupMessageType::kJoin;
    tell(from,
         {payload, joins ? wire::store_group_join(0, payload) : wire::store_group_leave(payload)},
         index);
  }
  void tell(size_t from, std::span<const uint8_t> payload, uint64_t index) {
    Delivery delivery;
    delivery.source = network[from].self;
    delivery.group = number;
    delivery.qos = wire::Qos::kTotallyOrdered;
    delivery.epoch = network.epoch;
    delivery.index = index;
    network[0].core.group_message(delivery, payload);
  }
  void piece(uint64_t index, uint64_t total, NodeSet whom) {
    uint8_t payload[512];
    const std::vector<uint8_t> state(total);
    const wire::GroupPiece piece{network.epoch, index, whom, total, 0};
    tell(0, {payload, wire::store_group_piece(piece, state, sizeof payload, payload)}, 200);
  }
  GroupNetwork network;
  uint32_t number = 0;
};

TEST(GroupEvents, AJoinWaitsForStateAndALeaveEndsIt) {
  Bench bench;
  bench.hear(1, wire::GroupMessageType::kJoin);
  EXPECT_EQ(bench.members(), (members_of(0b11, 0b10, 0)));
  bench.hear(1, wire::GroupMessageType::kJoin);
  EXPECT_EQ(bench.members(), (members_of(0b11, 0b10, 0))) << "twice is once";
  EXPECT_EQ(bench.network[0].application("g").snapshots, 1);
  bench.hear(1, wire::GroupMessageType::kLeave);
  EXPECT_EQ(bench.members(), (members_of(0b01, 0, 0)));
  bench.hear(2, wire::GroupMessageType::kLeave);
  EXPECT_EQ(bench.members(), (members_of(0b01, 0, 0))) << "it was no member";
}

TEST(GroupEvents, TheLastPieceMakesAMember) {
  Bench bench;
  bench.hear(1, wire::GroupMessageType::kJoin, 7);
  bench.piece(6, 5, ranks(0b10));
  EXPECT_EQ(bench.members().waiting, ranks(0b10)) << "as of another event";
  bench.piece(7, 5, ranks(0b100));
  EXPECT_EQ(bench.members().waiting, ranks(0b10)) << "for another";
  bench.piece(7, 5, ranks(0b10));
  EXPECT_EQ(bench.members(), (members_of(0b11, 0, 0)));
}

TEST(GroupEvents, APieceForAnEarlierMembershipIsNobodys) {
  Bench bench;
  bench.hear(1, wire::GroupMessageType::kJoin, 7);
  bench.hear(1, wire::GroupMessageType::kLeave, 8);
  bench.hear(1, wire::GroupMessageType::kJoin, 9);
  bench.piece(7, 5, ranks(0b10));
  EXPECT_EQ(bench.members().waiting, ranks(0b10));
  bench.piece(9, 5, ranks(0b10));
  EXPECT_EQ(bench.members().waiting, NodeSet{});
}

TEST(GroupEvents, WhoJoinsWhileAllWaitIsServedByTheFirstThatHasIt) {
  Bench bench;
  bench.hear(1, wire::GroupMessageType::kJoin, 7);
  bench.hear(0, wire::GroupMessageType::kLeave, 8);
  bench.hear(2, wire::GroupMessageType::kJoin, 9);
  EXPECT_EQ(bench.members(), (members_of(0b110, 0b110, 0b100)));
  bench.piece(7, 5, ranks(0b10));
  EXPECT_EQ(bench.members(), (members_of(0b110, 0b100, 0)));
}

}  // namespace
}  // namespace lambdacast::group
