// SPDX-License-Identifier: BSD-3-Clause
// The domain of rates: its host hears of what is marked in it at once, whatever holds other content
// back, and nothing of it is delivered.
#include <gtest/gtest.h>

#include "order_node.h"
#include "wire/control/reserved_groups.h"

namespace lambdacast::ordering {
namespace rate_domain_test {

using Lines = std::vector<std::string>;
using wire::Qos;

class RateDomainTest : public ::testing::Test {
 protected:
  // Three members, of which this node is the last.
  RateDomainTest() { node_.begin({0, 1, kSelf}, 2); }
  void announcement(size_t stream, uint64_t rel_seq) {
    node_.content(stream, rel_seq, wire::kRateGroup, Qos::kTotallyResilient);
  }
  [[nodiscard]] size_t marker() { return node_.order().rate_marker(); }
  [[nodiscard]] size_t marker_stream() { return marker() == 2 ? kSelf : marker(); }
  void mark(uint64_t rel_seq, std::vector<wire::Mark> items) {
    node_.marks(marker_stream(), rel_seq, 1, std::move(items));
    node_.order().advance();
  }

  OrderNode node_{kConfig};
};

TEST_F(RateDomainTest, groups_of_applications__expect_them_in_other_domains) {
  EXPECT_EQ(node_.order().domain_of(wire::kRateGroup), kConfig.domains);
  for (uint32_t group = 1; group < 10'000; ++group)
    ASSERT_LT(node_.order().domain_of(group), kConfig.domains);
}

TEST_F(RateDomainTest, a_mark_of_two_announcements__expect_both_told_then_the_mark) {
  const size_t other = marker() == 0 ? 1 : 0;
  announcement(other, 1);
  announcement(kSelf, 1);
  EXPECT_EQ(node_.rate_lines(), (Lines{"a view ended"}));
  mark(20, {{static_cast<uint16_t>(other), 1}, {2, 1}});
  EXPECT_EQ(node_.rate_lines(),
            (Lines{"a view ended", "of " + std::to_string(other), "of 4", "marked at 20"}));
  EXPECT_TRUE(node_.lines().empty());
}

TEST_F(RateDomainTest, the_application_takes_nothing__expect_announcements_told_all_the_same) {
  const uint32_t group = node_.group_of(marker());
  node_.refuse_after(0);
  const size_t other = marker() == 0 ? 1 : 0;
  node_.content(other, 1, group);
  announcement(other, 2);
  mark(20, {{static_cast<uint16_t>(other), 2}});
  EXPECT_TRUE(node_.order().refused());
  EXPECT_EQ(node_.rate_lines().back(), "marked at 20");
  node_.refuse_after(~uint64_t{0});
  node_.order().poll();
  EXPECT_EQ(node_.lines().size(), 1u);
}

TEST_F(RateDomainTest, marks_of_other_content__expect_nothing_told) {
  const uint32_t group = node_.group_of(marker());
  const size_t other = marker() == 0 ? 1 : 0;
  node_.content(other, 1, group);
  mark(20, {{static_cast<uint16_t>(other), 1}});
  EXPECT_EQ(node_.lines().size(), 1u);
  EXPECT_EQ(node_.rate_lines(), (Lines{"a view ended"}));
}

TEST_F(RateDomainTest, an_announcement_of_others__expect_it_kept_until_all_acknowledge) {
  const size_t other = marker() == 0 ? 1 : 0;
  announcement(other, 1);
  mark(20, {{static_cast<uint16_t>(other), 1}});
  const auto kept = [&] {
    size_t found = 0;
    node_.order().find(other, 1, 1, [&](uint64_t, PacketHandle) { ++found; });
    return found;
  };
  EXPECT_EQ(kept(), 1u);
  for (size_t rank = 0; rank < 3; ++rank) node_.order().acknowledged(rank, marker(), 20);
  EXPECT_EQ(kept(), 0u);
}

TEST_F(RateDomainTest, a_view_ends__expect_what_it_has_told_before_and_the_rest_in_the_next) {
  announcement(0, 1);
  announcement(0, 2);
  const std::vector<TotalOrder::Cut> cuts = {{0, 1, true}, {1, 0, false}, {kSelf, 0, true}};
  const std::vector<size_t> streams = {0, kSelf};
  node_.order().freeze();
  node_.order().install(2, cuts, streams, 1);
  EXPECT_EQ(node_.rate_lines(), (Lines{"a view ended", "of 0", "a view ended"}));
  node_.marks(marker() == 1 ? kSelf : 0, 30, 2, {{0, 2}});
  node_.order().advance();
  EXPECT_EQ(node_.rate_lines(),
            (Lines{"a view ended", "of 0", "a view ended", "of 0", "marked at 30"}));
}

}  // namespace rate_domain_test
}  // namespace lambdacast::ordering
