// SPDX-License-Identifier: BSD-3-Clause
#include "congest/free_running.h"

#include <gtest/gtest.h>

namespace lambdacast::congest {
namespace free_running_test {

struct Transport {
  [[nodiscard]] bool room() const { return has_room; }
  [[nodiscard]] bool safe() const { return is_safe; }
  bool has_room = true;
  bool is_safe = true;
};

class FreeRunningTest : public ::testing::Test {
 protected:
  const Graph graph_{2, {{0, 1}}};
  const LiveGraph live_{graph_};
  FreeRunning free_{NodeView(live_, 0), {}};
  Transport transport_;
};

TEST_F(FreeRunningTest, message_has_come__expect_a_step_as_soon_as_there_is_room) {
  EXPECT_TRUE(free_.begins());
  EXPECT_EQ(free_.next(transport_), Step::kWait);  // it has not begun
  free_.round_begins();
  EXPECT_EQ(free_.next(transport_), Step::kWait);
  free_.heard(false);
  transport_.has_room = false;
  EXPECT_EQ(free_.next(transport_), Step::kWait);
  transport_.has_room = true;
  EXPECT_EQ(free_.next(transport_), Step::kNextRound);
  free_.round_begins();
  EXPECT_EQ(free_.next(transport_), Step::kWait);
}

TEST_F(FreeRunningTest, part_is_done__expect_the_end_when_all_is_acknowledged_and_nothing_is_new) {
  free_.round_begins();
  free_.finished(true);
  free_.note(true, false);
  EXPECT_EQ(free_.next(transport_), Step::kNextRound);
  free_.round_begins();
  transport_.is_safe = false;
  EXPECT_EQ(free_.next(transport_), Step::kWait);
  transport_.is_safe = true;
  EXPECT_EQ(free_.next(transport_), Step::kEnd);
  free_.end();
  free_.heard(false);
  EXPECT_EQ(free_.next(transport_), Step::kWait);
}

}  // namespace free_running_test
}  // namespace lambdacast::congest
