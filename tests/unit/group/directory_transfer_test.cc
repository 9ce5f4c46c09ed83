// SPDX-License-Identifier: BSD-3-Clause
#include "group/directory_transfer.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace lambdacast::group {
namespace directory_transfer_test {

constexpr EventId kBeginning{3, wire::kViewIndex};

wire::GroupPiece piece(uint64_t total, uint64_t offset) {
  return {kBeginning.epoch, kBeginning.index, {}, total, offset, 1};
}

TEST(DirectoryTransfer, ANewcomerKeepsMessagesUntilItHasTheDirectory) {
  DirectoryTransfer transfer(1000);
  EXPECT_FALSE(transfer.informed());
  transfer.expect(kBeginning);
  const std::vector<uint8_t> bytes{1, 2, 3, 4};
  Delivery from;
  from.index = 9;
  EXPECT_TRUE(transfer.keep(from, bytes));
  EXPECT_FALSE(transfer.take(piece(4, 0), std::span(bytes).first(2)));
  EXPECT_TRUE(transfer.take(piece(4, 2), std::span(bytes).last(2)));
  EXPECT_EQ(std::vector(transfer.state().begin(), transfer.state().end()), bytes);
  EXPECT_FALSE(transfer.informed());
  size_t kept = 0;
  transfer.finish(4).replay(
      [&](const Delivery& delivery, std::span<const uint8_t> payload) {
        ++kept;
        EXPECT_EQ(delivery.index, 9u);
        EXPECT_EQ(payload.size(), 4u);
      },
      [](const KeptRequest&, std::span<const uint8_t>) {}, [](const auto&) {});
  EXPECT_EQ(kept, 1u);
  EXPECT_TRUE(transfer.informed());
  EXPECT_EQ(transfer.finish(4).bytes(), 0u);
  transfer.end();
  EXPECT_FALSE(transfer.informed());
}

TEST(DirectoryTransfer, TakesNothingBeyondItsRoom) {
  const std::vector<uint8_t> bytes(8);
  const size_t each = Kept::bytes_of(std::span(bytes));
  DirectoryTransfer transfer(2 * each);
  transfer.expect(kBeginning);
  EXPECT_TRUE(transfer.keep({}, bytes));
  EXPECT_TRUE(transfer.keep({}, bytes));
  EXPECT_FALSE(transfer.keep({}, bytes));
  EXPECT_FALSE(transfer.take(piece(0, 0), {})) << "until the next view";
  transfer.expect(kBeginning);
  EXPECT_TRUE(transfer.keep({}, bytes)) << "room again";
  EXPECT_TRUE(transfer.take(piece(0, 0), {}));
}

// Two of four nodes have the directory; one of those and one of the others depart, one is new.
TEST(DirectoryTransfer, KnowsHowManyNodesHaveIt) {
  DirectoryTransfer transfer(0);
  transfer.all_informed(2);
  EXPECT_TRUE(transfer.move(std::array<uint8_t, 2>{0, 1}, 4));
  EXPECT_TRUE(transfer.move(std::array<uint8_t, 4>{kGone, 0, kGone, 1}, 3));
  transfer.all_informed(3);
  EXPECT_FALSE(transfer.move(std::array<uint8_t, 3>{0, 1, 2}, 3));
  EXPECT_FALSE(transfer.move(std::array<uint8_t, 3>{0, kGone, 1}, 2));
  EXPECT_TRUE(transfer.move(std::array<uint8_t, 2>{0, 1}, 3));
}

}  // namespace directory_transfer_test
}  // namespace lambdacast::group
