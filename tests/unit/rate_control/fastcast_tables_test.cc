// SPDX-License-Identifier: BSD-3-Clause
// The three executions of FastCast 2013, Tables 1 to 3, step by step: three processes, receivers of
// 1 000 Mbit/s. What the paper's processes do by counted answers, ours do by events that settle;
// the one step that differs is named.
#include <gtest/gtest.h>

#include <array>

#include "rate_control/allocation.h"

namespace lambdacast::rate_control {
namespace {

using Shares = std::array<uint64_t, 3>;

class FastcastTables : public ::testing::Test {
 protected:
  FastcastTables() {
    const std::array<Allocation::Member, 3> members = {
        {{need_of(0), 0}, {need_of(0), 1}, {need_of(0), 2}}};
    for (size_t i = 0; i < 3; ++i) {
      process_[i].begin(1, members, i);
      process_[i].settle(0);
    }
  }
  [[nodiscard]] static MemberRates need_of(uint64_t mbps) { return {mbps, 0, 1'000, 0}; }
  // The process delivers what these have announced: its next event.
  struct Request {
    size_t of;
    uint64_t need;
  };
  void deliver(size_t at, std::initializer_list<Request> requests) {
    for (const Request& each : requests)
      process_[at].announce(each.of, need_of(each.need), process_[each.of].settled());
    events_[at] = process_[at].mark_applied().event;
  }
  // It has heard of all acknowledgements of its last event.
  void hear_all(size_t at) { process_[at].settle(events_[at]); }
  [[nodiscard]] Shares shares() const {
    return {process_[0].own_bps(), process_[1].own_bps(), process_[2].own_bps()};
  }
  void table_1() {
    for (size_t at : {2u, 0u, 1u}) deliver(at, {{0, 800}, {1, 300}});
    for (size_t at : {0u, 1u, 2u}) hear_all(at);
  }
  void table_2() {
    for (size_t at : {0u, 1u, 2u}) deliver(at, {{2, 600}});
    for (size_t at : {0u, 1u, 2u}) hear_all(at);
  }

  std::array<Allocation, 3> process_;
  std::array<uint64_t, 3> events_{};
};

TEST_F(FastcastTables, table_1__expect_its_steps) {
  EXPECT_EQ(shares(), (Shares{0, 0, 0}));  // S1, and S2: p0 asks for 800, p1 for 300
  deliver(2, {{0, 800}, {1, 300}});
  EXPECT_EQ(shares(), (Shares{0, 0, 0}));  // S3
  EXPECT_EQ(shares(), (Shares{0, 0, 0}));  // S4: p2 has answered
  deliver(0, {{0, 800}, {1, 300}});
  EXPECT_EQ(shares(), (Shares{0, 0, 0}));  // S5
  EXPECT_EQ(shares(), (Shares{0, 0, 0}));  // S6: p0 has answered
  deliver(1, {{0, 800}, {1, 300}});
  hear_all(1);
  EXPECT_EQ(shares(), (Shares{0, 300, 0}));  // S7
  hear_all(0);
  EXPECT_EQ(shares(), (Shares{700, 300, 0}));  // S8: p1 has answered
}

TEST_F(FastcastTables, table_2__expect_its_steps) {
  table_1();
  EXPECT_EQ(shares(), (Shares{700, 300, 0}));  // S9, and S10: p2 asks for 600
  for (size_t at : {0u, 1u, 2u}) deliver(at, {{2, 600}});
  EXPECT_EQ(shares(), (Shares{500, 300, 0}));  // S11
  EXPECT_EQ(shares(), (Shares{500, 300, 0}));  // S12: p0 has answered
  hear_all(2);
  EXPECT_EQ(shares(), (Shares{500, 300, 500}));  // S13: p1 has answered
}

// At S16 the paper's p0 rises as it delivers the request. Here it waits until all have acknowledged
// it: the rule does not have to know that this one lowers its sender alone.
TEST_F(FastcastTables, table_3__expect_its_steps_and_the_rise_of_s16_an_acknowledgement_later) {
  table_1();
  table_2();
  EXPECT_EQ(shares(), (Shares{500, 300, 500}));  // S14, and S15: p2 needs 500 less
  for (size_t at : {0u, 1u, 2u}) deliver(at, {{2, 100}});
  EXPECT_EQ(shares(), (Shares{500, 300, 100}));
  hear_all(0);
  EXPECT_EQ(shares(), (Shares{700, 300, 100}));  // S16
}

// FastCast 4, line 35, counts the (N - 2) biggest others against one capacity. With rooms of 10,
// 100 and 12 a member that needs more raises another one, which must wait as well.
TEST_F(FastcastTables, unequal_rooms__expect_nobody_to_rise_before_all_have_acknowledged) {
  const std::array<Allocation::Member, 3> members = {
      {{{1'000, 0, 10, 0}, 0}, {{1'000, 0, 100, 0}, 1}, {{0, 0, 12, 0}, 2}}};
  for (size_t i = 0; i < 3; ++i) {
    process_[i] = Allocation();
    process_[i].begin(1, members, i);
    process_[i].settle(0);
  }
  EXPECT_EQ(shares(), (Shares{6, 6, 0}));
  for (size_t at : {0u, 1u, 2u}) {
    process_[at].announce(2, {100, 0, 12, 0}, {});
    events_[at] = process_[at].mark_applied().event;
  }
  EXPECT_EQ(process_[0].shares()[0].bps, 7u);
  EXPECT_EQ(shares(), (Shares{6, 5, 0}));
  for (size_t at : {0u, 1u, 2u}) hear_all(at);
  EXPECT_EQ(shares(), (Shares{7, 5, 5}));
}

}  // namespace
}  // namespace lambdacast::rate_control
