// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/mark_sheet.h"

#include <gtest/gtest.h>

#include "stub_host.h"

namespace lambdacast::ordering {
namespace {

using State = Held::State;
using wire::Qos;

// View 3 of streams 0 to 2 (this node's), by rank.
class MarkSheetTest : public ::testing::Test {
 protected:
  static constexpr TotalOrderConfig kSheetConfig{2, 8, 16, 1};
  static constexpr size_t kMembers[] = {0, 1, 2};
  static constexpr size_t kMarker = 1;

  MarkSheetTest() {
    view_.begin(3, kMembers, 2);
    acks_.begin(3, kSheetConfig.k);
    while (view_.marker_of(domain_) != kMarker) ++domain_;
  }
  void content(size_t stream, uint64_t rel_seq, Qos qos = Qos::kTotallyOrdered) {
    content_of(domain_, stream, rel_seq, qos);
  }
  void content_of(uint32_t domain, size_t stream, uint64_t rel_seq, Qos qos) {
    sheet_.link(held_.add(entry(stream, rel_seq, domain, State::kUnmarked, qos)));
  }

  StubHost host_;
  OrderView view_{3};
  Acknowledgements acks_{3};
  HeldPackets held_{kSheetConfig, host_};
  DomainQueues queues_{kSheetConfig, view_, acks_, held_, host_};
  MarkSheet sheet_{kSheetConfig, view_, acks_, held_, queues_, host_};
  uint32_t domain_ = 0;
};

TEST_F(MarkSheetTest, content__expect_it_to_wait_for_its_marker_by_sender) {
  EXPECT_FALSE(sheet_.any_unmarked(kMarker));
  content(0, 3);
  content(0, 5);
  EXPECT_TRUE(sheet_.any_unmarked(kMarker));
  EXPECT_EQ(sheet_.unmarked(kMarker, 0), 5u);
  EXPECT_EQ(sheet_.unmarked(kMarker, 1), 0u);
  EXPECT_FALSE(sheet_.any_unmarked(0));
  sheet_.unlink_all();
  EXPECT_FALSE(sheet_.any_unmarked(kMarker));
  EXPECT_EQ(sheet_.unmarked(kMarker, 0), 0u);
}

TEST_F(MarkSheetTest, marked_through__expect_that_ordered_and_its_levels_told) {
  content(0, 3);
  content(0, 5, Qos::kMajority);
  content(0, 7, Qos::kTotallyResilient);
  const MarkSheet::Marked marked = sheet_.mark_through(kMarker, 0, 6, 9);
  EXPECT_EQ(marked.levels, MarkSheet::level_bit(Qos::kMajority));
  EXPECT_FALSE(marked.rates);
  EXPECT_EQ(host_.delivered, (Packets{packet(0, 3)}));
  EXPECT_EQ(sheet_.unmarked(kMarker, 0), 7u);
  EXPECT_EQ(sheet_.applied(kMarker), 0u);
}

TEST_F(MarkSheetTest, applied__expect_the_maker_and_this_node_to_hold_it) {
  content(0, 3, Qos::kMajority);
  (void)sheet_.mark_through(kMarker, 0, 3, 9);
  EXPECT_EQ(host_.delivered, Packets{});
  sheet_.apply(kMarker, kMarker, 9);
  EXPECT_EQ(host_.delivered, (Packets{packet(0, 3)}));
  EXPECT_EQ(sheet_.applied(kMarker), 9u);
  EXPECT_EQ(acks_.of(kMarker, kMarker), 9u);
  EXPECT_EQ(acks_.of(2, kMarker), 9u);
  sheet_.clear();
  EXPECT_EQ(sheet_.applied(kMarker), 0u);
}

TEST_F(MarkSheetTest, what_has_come__expect_it_held_and_in_a_view_that_ends_everything) {
  host_.taken[1] = 4;
  EXPECT_TRUE(sheet_.holds(1, 4));
  EXPECT_FALSE(sheet_.holds(1, 5));
  view_.end();
  EXPECT_TRUE(sheet_.holds(1, 5));
}

TEST_F(MarkSheetTest, rates__expect_them_told_apart) {
  const size_t marker = view_.marker_of(kSheetConfig.domains);
  content_of(kSheetConfig.domains, 0, 1, Qos::kTotallyResilient);
  EXPECT_TRUE(sheet_.rates_unmarked(marker));
  EXPECT_TRUE(sheet_.mark_through(marker, 0, 1, 2).rates);
  EXPECT_FALSE(sheet_.rates_unmarked(marker));
  EXPECT_EQ(host_.rates_of, (Packets{packet(0, 1)}));
}

}  // namespace
}  // namespace lambdacast::ordering
