// SPDX-License-Identifier: BSD-3-Clause
#include "group/state_transfers.h"

#include <gtest/gtest.h>

#include <utility>

#include "ranks.h"

namespace lambdacast::group {
namespace state_transfers_test {

// Takes `room` messages.
struct Said final : Carrier {
  bool say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) override {
    EXPECT_EQ(qos, kGroupQos);
    if (room == 0) return false;
    --room;
    messages.emplace_back(group, std::vector<uint8_t>(payload.begin(), payload.end()));
    return true;
  }
  Result publish(std::span<const uint8_t>, uint32_t, wire::Qos) override { return Result::kAgain; }
  Result request(std::span<const uint8_t>, std::span<const uint8_t>, uint32_t, wire::Qos) override {
    return Result::kAgain;
  }
  Result answer(std::span<const uint8_t>, const Content&, uint32_t) override {
    return Result::kAgain;
  }
  bool subscribe(uint32_t) override { return false; }
  void unsubscribe(uint32_t) override {}
  uint64_t published() const override { return 0; }
  uint64_t stable() const override { return 0; }
  uint64_t operational() const override { return 0; }
  wire::GroupMessage at(size_t i) {
    wire::GroupMessage message;
    EXPECT_TRUE(wire::load_group_message(messages.at(i).second, message));
    return message;
  }

  size_t room = 1000;
  std::vector<std::pair<uint32_t, std::vector<uint8_t>>> messages;
};

constexpr size_t kHead = wire::group_piece_bytes(1);
constexpr uint32_t kGroup = 5;

struct Bench {
  Bench() { transfers.begin_view(3, 4); }
  [[nodiscard]] NodeSet waiting(uint64_t index, NodeSet whom, uint64_t epoch = 3) const {
    return transfers.waiting_for(kGroup, {epoch, index, whom, 0, 0, 1});
  }
  Said said;
  StateTransfers transfers{said, 1000, kHead + 10};
};

TEST(StateTransfers, AStateCountsForTheRanksThatWaitForJustThat) {
  Bench bench;
  bench.transfers.wait(kGroup, ranks(0b0110), 7);
  bench.transfers.wait(kGroup, ranks(0b1000), 8);
  bench.transfers.wait(kGroup + 1, ranks(0b0001), 7);
  EXPECT_EQ(bench.waiting(7, ranks(0b1111)), ranks(0b0110));
  EXPECT_EQ(bench.waiting(7, ranks(0b0100)), ranks(0b0100)) << "those that it is for";
  EXPECT_EQ(bench.waiting(8, ranks(0b1111)), ranks(0b1000));
  EXPECT_EQ(bench.waiting(9, ranks(0b1111)), NodeSet{});
  EXPECT_EQ(bench.waiting(7, ranks(0b1111), 2), NodeSet{}) << "of another view";
  bench.transfers.forget(kGroup, ranks(0b0010));
  EXPECT_EQ(bench.waiting(7, ranks(0b1111)), ranks(0b0100));
  bench.transfers.begin_view(4, 4);
  EXPECT_EQ(bench.waiting(7, ranks(0b1111), 4), NodeSet{});
}

TEST(StateTransfers, SendsSomePiecesAPollAndWaitsForTheCarrier) {
  Bench bench;
  bench.transfers.send(kGroup, {3, 7}, ranks(0b10), std::vector<uint8_t>(95, 1));
  bench.said.room = 2;
  bench.transfers.poll();
  EXPECT_EQ(bench.said.messages.size(), 2u);
  bench.said.room = 1000;
  bench.transfers.poll();
  EXPECT_EQ(bench.said.messages.size(), 10u) << "8 a poll";
  EXPECT_EQ(bench.transfers.sending(), 0u);
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(bench.said.messages[i].first, kGroup);
    EXPECT_EQ(bench.said.at(i).piece, (wire::GroupPiece{3, 7, ranks(0b10), 95, 10 * i, 1}));
  }
}

TEST(StateTransfers, StopsWhenNobodyWantsTheState) {
  Bench bench;
  bench.transfers.send(kGroup, {3, 7}, ranks(0b110), std::vector<uint8_t>(30));
  bench.transfers.refuse(kGroup, {3, 8}, ranks(0b010));
  bench.transfers.forget(kGroup, ranks(0b010));
  EXPECT_EQ(bench.transfers.sending(), 1u) << "the refusal was for that rank alone";
  bench.transfers.poll();
  EXPECT_EQ(bench.said.at(0).piece.whom, ranks(0b100));
  bench.transfers.send(kGroup, {3, 9}, ranks(0b010), {});
  bench.transfers.end_view();
  bench.transfers.poll();
  EXPECT_EQ(bench.said.messages.size(), 3u);
}

TEST(StateTransfers, OnePieceIsEnoughOfAStateThatIsTooLarge) {
  Bench bench;
  bench.transfers.send(kGroup, {3, 7}, ranks(0b10), std::vector<uint8_t>(1001));
  bench.transfers.poll();
  EXPECT_EQ(bench.said.messages.size(), 1u);
  EXPECT_EQ(bench.said.at(0).piece.total, 1001u);
  EXPECT_EQ(bench.transfers.sending(), 0u);
}

TEST(StateTransfers, TwoWordsARankSetInViewsOfMoreThan64Members) {
  Bench bench;
  bench.transfers.begin_view(4, 80);
  NodeSet whom = ranks(0b10);
  whom.add(79);
  bench.transfers.wait(kGroup, whom, 7);
  EXPECT_EQ(bench.waiting(7, NodeSet::first(80), 4), whom);
  bench.transfers.send(kGroup, {4, 7}, whom, std::vector<uint8_t>(3));
  bench.transfers.refuse(kGroup, {4, 8}, whom);
  bench.transfers.poll();
  ASSERT_EQ(bench.said.messages.size(), 3u) << "a piece has room for 2 bytes";
  EXPECT_EQ(bench.said.at(0).piece, (wire::GroupPiece{4, 7, whom, 3, 0, 2}));
  EXPECT_EQ(bench.said.at(1).piece, (wire::GroupPiece{4, 7, whom, 3, 2, 2}));
  EXPECT_EQ(bench.said.at(2).type, wire::GroupMessageType::kRefuse);
  EXPECT_EQ(bench.said.at(2).piece.whom, whom);
}

}  // namespace state_transfers_test
}  // namespace lambdacast::group
