// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/order_view.h"

#include <gtest/gtest.h>

namespace lambdacast::ordering {
namespace order_view_test {

TEST(OrderView, begin__expect_streams_and_ranks_of_this_view_alone) {
  OrderView view(5);
  EXPECT_EQ(view.members(), 0u);
  const size_t first[] = {3, 0, 4};
  view.begin(1, first, 2);
  const size_t second[] = {4, 1};
  view.begin(2, second, 0);
  EXPECT_EQ(view.epoch(), 2u);
  EXPECT_EQ(view.members(), 2u);
  EXPECT_EQ(view.own_rank(), 0u);
  EXPECT_EQ(view.streams()[1], 1u);
  EXPECT_EQ(view.rank_of(1), 1);
  EXPECT_EQ(view.rank_of(4), 0);
  EXPECT_FALSE(view.has(3));
  EXPECT_EQ(view.rank_of(3), OrderView::kNoMember);
  EXPECT_LT(view.marker_of(17), 2u);
}

TEST(OrderView, phases__expect_it_to_run_from_its_beginning_until_it_is_frozen) {
  OrderView view(2);
  EXPECT_TRUE(view.stands());
  const size_t streams[] = {0, 1};
  view.end();
  EXPECT_TRUE(view.ends());
  EXPECT_FALSE(view.runs());
  view.begin(1, streams, 0);
  EXPECT_TRUE(view.runs());
  view.freeze();
  EXPECT_TRUE(view.stands());
  view.end();
  view.freeze();
  EXPECT_FALSE(view.stands()) << "it still ends";
  view.begin(2, streams, 0);
  EXPECT_TRUE(view.stands()) << "frozen before it began";
  view.end();
  view.give_up();
  EXPECT_FALSE(view.ends());
}

}  // namespace order_view_test
}  // namespace lambdacast::ordering
