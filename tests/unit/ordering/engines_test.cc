// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/engines.h"

#include <gtest/gtest.h>

#include "stub_host.h"

namespace lambdacast::ordering {
namespace {

using State = Held::State;

// View 3 of streams 0 and 2 (this node's), by rank; stream 1 is no member's.
class EnginesTest : public ::testing::Test {
 protected:
  static constexpr TotalOrderConfig kEnginesConfig{2, 8, 1, 1};
  static constexpr size_t kMembers[] = {0, 2};

  EnginesTest() {
    view_.end();
    view_.begin(3, kMembers, 1);
    acks_.begin(2, kEnginesConfig.k);
    engines_.begin_view();
  }
  [[nodiscard]] size_t marker() const { return view_.marker_of(0); }

  StubHost host_;
  OrderView view_{3};
  Acknowledgements acks_{3};
  HeldPackets held_{kEnginesConfig, host_};
  DomainQueues queues_{kEnginesConfig, view_, acks_, held_, host_};
  Engines engines_{kEnginesConfig, view_, acks_, held_, queues_, host_};
};

TEST_F(EnginesTest, content_of_members_alone__expect_it_to_wait_until_all_is_unlinked) {
  engines_.link(held_.add(entry(1, 1, 0, State::kUnmarked)));
  EXPECT_FALSE(engines_.sheet().any_unmarked(marker()));
  engines_.link(held_.add(entry(0, 1, 0, State::kUnmarked)));
  EXPECT_TRUE(engines_.sheet().any_unmarked(marker()));
  engines_.unlink_all();
  EXPECT_FALSE(engines_.sheet().any_unmarked(marker()));
}

TEST_F(EnginesTest, marks__expect_them_applied_with_their_position) {
  std::vector<uint8_t> bytes(wire::kMarksHeaderBytes);
  wire::store_marks_epoch(3, bytes.data());
  host_.payloads[packet(0, 7)] = bytes;
  const uint32_t at = held_.add(entry(0, 7, 0, State::kMarks));
  engines_.link(at);
  engines_.apply(0);
  EXPECT_EQ(held_[at].state, State::kApplied);
  EXPECT_EQ(held_[at].mark, 7u);
  EXPECT_EQ(held_[at].marker, 0u);
  EXPECT_EQ(engines_.sheet().applied(0), 7u);
  engines_.clear();
  EXPECT_EQ(engines_.sheet().applied(0), 0u);
}

TEST_F(EnginesTest, what_is_not_waiting__expect_it_left_alone) {
  engines_.link(held_.add(entry(0, 1, 0, State::kFollows)));
  EXPECT_FALSE(engines_.sheet().any_unmarked(marker()));
}

}  // namespace
}  // namespace lambdacast::ordering
