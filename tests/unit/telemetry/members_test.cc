// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/member_name.h"
#include "viewed_rack.h"

namespace lambdacast::telemetry {
namespace {

using test::count;
using test::figure;
using test::number;

TEST(MembersTest, be_in_a_view_of_three__expect_its_members_by_rank) {
  test::ViewedRack viewed;
  const Table table = of_endpoint(viewed.table("members"), "node1");
  ASSERT_EQ(table.rows.size(), 3u);
  for (size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(figure(table, rank, "rank"), number(rank));
    EXPECT_EQ(figure(table, rank, "member"),
              Value("10.77.0." + std::to_string(rank + 1) + ":17/7"));
    EXPECT_EQ(figure(table, rank, "member_state"),
              Value(std::string(rank == 1 ? "this node" : "alive")));
    EXPECT_EQ(figure(table, rank, "ack_lag"), number(0));
  }
  EXPECT_EQ(figure(table, 1, "silent"), number(0));
  EXPECT_LT(count(table, 0, "silent"), 1'000'000'000u);
}

TEST(MembersTest, name_an_ipv6_member__expect_address_queue_pair_and_incarnation) {
  wire::Gid gid{};
  gid.bytes[0] = 0xfd;
  gid.bytes[15] = 9;
  EXPECT_EQ(member_name({gid, 17, 42}), "fd00::9:17/42");
}

}  // namespace
}  // namespace lambdacast::telemetry
