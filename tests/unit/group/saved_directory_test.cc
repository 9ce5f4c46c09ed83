// SPDX-License-Identifier: BSD-3-Clause
#include "group/saved_directory.h"

#include <gtest/gtest.h>

namespace lambdacast::group {
namespace saved_directory_test {

TEST(SavedDirectory, saved_and_loaded__expect_the_same_and_nothing_that_cannot_be) {
  Directory directory(8);
  HandlerTable locks(8);
  Group* const group = directory.enroll("a");
  group->members.all = NodeSet::first(3);
  group->members.waiting = NodeSet::of(2);
  directory.set_minimum(*group, 2);
  (void)locks.acquire(group->number, {4, false, {}, {}}, 1, {3, 7}, false);
  std::vector<uint8_t> saved;
  save_directory(directory, locks, 77, 3, saved);
  EXPECT_LE(saved.size(), most_saved_bytes(1, 1));

  Directory loaded(8);
  HandlerTable others(8);
  uint32_t lineage = 0;
  ASSERT_TRUE(load_directory(saved, 3, loaded, others, lineage));
  EXPECT_EQ(lineage, 77u);
  EXPECT_EQ(loaded.find("a")->minimum, 2);
  EXPECT_TRUE(loaded.any_minimum());
  ASSERT_NE(others.find(group->number, 4), nullptr);
  EXPECT_EQ(others.find(group->number, 4)->token, (GrantPlace{3, 7}));

  for (size_t cut = 1; cut < saved.size(); ++cut) {
    if (cut == 30 || cut == 38 || cut == 47) continue;  // behind a record
    EXPECT_FALSE(load_directory(std::span(saved).first(cut), 3, loaded, others, lineage)) << cut;
    EXPECT_EQ(loaded.size() + others.size(), 0u);
  }
  const auto refused = [&](size_t at, uint8_t value) {
    std::vector<uint8_t> bad = saved;
    bad[at] = value;
    return !load_directory(bad, 3, loaded, others, lineage);
  };
  EXPECT_FALSE(refused(0, saved[0]));
  EXPECT_TRUE(refused(33, 9)) << "no record that there is";
  EXPECT_TRUE(refused(43, saved[43] ^ 1)) << "the minimum of another group";
  EXPECT_TRUE(refused(saved.size() - 2, 2)) << "the holder has no state";
  EXPECT_TRUE(refused(saved.size() - 25, saved[saved.size() - 25] ^ 1)) << "of another group";
}

}  // namespace saved_directory_test
}  // namespace lambdacast::group
