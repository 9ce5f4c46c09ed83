// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/backlog.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

std::vector<size_t> peers(const Backlog& backlog) {
  std::vector<size_t> out;
  for (size_t turn = 0; turn < backlog.size(); ++turn) out.push_back(backlog.peer(turn));
  return out;
}

TEST(Backlog, add_twice__expect_one_turn) {
  Backlog backlog(4);
  backlog.add(2);
  backlog.add(0);
  backlog.add(2);
  EXPECT_EQ(peers(backlog), (std::vector<size_t>{2, 0}));
}

TEST(Backlog, remove__expect_the_last_one_to_take_its_turn_and_room_for_it_again) {
  Backlog backlog(3);
  for (const size_t peer : {0, 1, 2}) backlog.add(peer);
  backlog.remove(0);
  EXPECT_EQ(peers(backlog), (std::vector<size_t>{2, 1}));
  backlog.add(0);
  EXPECT_EQ(peers(backlog), (std::vector<size_t>{2, 1, 0}));
}

TEST(Backlog, begin_behind_a_turn__expect_that_one_last) {
  Backlog backlog(4);
  for (const size_t peer : {0, 1, 2, 3}) backlog.add(peer);
  backlog.begin_behind(1);
  EXPECT_EQ(peers(backlog), (std::vector<size_t>{2, 3, 0, 1}));
  backlog.begin_behind(3);
  backlog.begin_behind(4);  // all had their turns
  EXPECT_EQ(peers(backlog), (std::vector<size_t>{2, 3, 0, 1}));
}

}  // namespace
}  // namespace lambdacast::reliability
