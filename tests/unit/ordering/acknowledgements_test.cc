// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/acknowledgements.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"

namespace lambdacast::ordering {
namespace acknowledgements_test {

using wire::Qos;

TEST(Acknowledgements, three_members_of_which_one_is_behind__expect_each_level_at_its_threshold) {
  Acknowledgements acks(4);
  acks.begin(3, 1);
  EXPECT_FALSE(acks.acknowledge(0, 1, 10));  // one holder is none of the levels
  EXPECT_TRUE(acks.acknowledge(1, 1, 7));
  EXPECT_EQ(acks.reached(1, Qos::kKResilient), 7u);  // more than one holds it
  EXPECT_EQ(acks.reached(1, Qos::kMajority), 7u);
  EXPECT_EQ(acks.reached(1, Qos::kTotallyResilient), 0u);
  EXPECT_EQ(acks.stable(1), 0u);
  EXPECT_TRUE(acks.acknowledge(2, 1, 5));
  EXPECT_EQ(acks.reached(1, Qos::kTotallyResilient), 5u);
  EXPECT_EQ(acks.stable(1), 5u);
  EXPECT_EQ(acks.reached(1, Qos::kTotallyOrdered), ~uint64_t{0});
  EXPECT_EQ(acks.reached(0, Qos::kKResilient), 0u);  // other marks than those of 1
}

TEST(Acknowledgements, an_older_one_comes_late__expect_it_ignored) {
  Acknowledgements acks(2);
  acks.begin(2, 1);
  (void)acks.acknowledge(0, 0, 9);
  (void)acks.acknowledge(1, 0, 9);
  EXPECT_FALSE(acks.acknowledge(1, 0, 4));
  EXPECT_FALSE(acks.acknowledge(1, 0, 9));
  EXPECT_EQ(acks.of(1, 0), 9u);
  EXPECT_EQ(acks.stable(0), 9u);
}

TEST(Acknowledgements, members_and_sequencers_that_are_none__expect_them_ignored) {
  Acknowledgements acks(4);
  acks.begin(2, 1);
  EXPECT_FALSE(acks.acknowledge(2, 0, 9));
  EXPECT_FALSE(acks.acknowledge(0, 2, 9));
  EXPECT_FALSE(acks.acknowledge(~size_t{0}, 0, 9));
}

TEST(Acknowledgements, another_view__expect_nothing_left_of_the_one_before) {
  Acknowledgements acks(3);
  acks.begin(2, 1);
  (void)acks.acknowledge(0, 0, 9);
  (void)acks.acknowledge(1, 0, 9);
  acks.begin(3, 1);
  for (const Qos qos : {Qos::kKResilient, Qos::kMajority, Qos::kTotallyResilient})
    EXPECT_EQ(acks.reached(0, qos), 0u);
  (void)acks.acknowledge(0, 0, 1);
  EXPECT_EQ(acks.of(0, 0), 1u);  // numbers begin anew
}

// The naive model: how many members have come as far?
class Model {
 public:
  Model(size_t members, uint32_t k) : members_(members), k_(k), by_(members * members) {}
  void acknowledge(size_t member, size_t marker, uint64_t through) {
    uint64_t& kept = by_[marker * members_ + member];
    kept = std::max(kept, through);
  }
  // The last mark that at least `needed` members have reached.
  [[nodiscard]] uint64_t reached(size_t marker, size_t needed, uint64_t highest) const {
    for (uint64_t mark = highest; mark != 0; --mark) {
      size_t holders = 0;
      for (size_t member = 0; member < members_; ++member)
        holders += by_[marker * members_ + member] >= mark ? 1 : 0;
      if (holders >= needed) return mark;
    }
    return 0;
  }
  [[nodiscard]] size_t k_needs() const { return std::min<size_t>(members_, k_ + 1); }
  [[nodiscard]] size_t majority_needs() const { return members_ / 2 + 1; }

 private:
  size_t members_;
  uint32_t k_;
  std::vector<uint64_t> by_;
};

TEST(Acknowledgements, at_random__expect_what_counting_says) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::SplitMix64 random(seed);
    const size_t members = 1 + random.below(seed % 10 == 0 ? 64 : 9);
    const auto k = static_cast<uint32_t>(random.below(members + 2));
    Acknowledgements acks(64);
    acks.begin(members, k);
    Model model(members, k);
    constexpr uint64_t kHighest = 20;
    for (int step = 0; step < 150; ++step) {
      const size_t member = random.below(members);
      const size_t marker = random.below(members);
      const uint64_t through = random.below(kHighest + 1);
      const uint64_t before[] = {acks.reached(marker, Qos::kKResilient),
                                 acks.reached(marker, Qos::kMajority), acks.stable(marker)};
      const bool moved = acks.acknowledge(member, marker, through);
      model.acknowledge(member, marker, through);
      const uint64_t expected[] = {model.reached(marker, model.k_needs(), kHighest),
                                   model.reached(marker, model.majority_needs(), kHighest),
                                   model.reached(marker, members, kHighest)};
      ASSERT_EQ(acks.reached(marker, Qos::kKResilient), expected[0]) << "step " << step;
      ASSERT_EQ(acks.reached(marker, Qos::kMajority), expected[1]) << "step " << step;
      ASSERT_EQ(acks.reached(marker, Qos::kTotallyResilient), expected[2]) << "step " << step;
      ASSERT_EQ(acks.stable(marker), expected[2]);
      ASSERT_EQ(moved, !std::equal(std::begin(before), std::end(before), expected));
    }
  }
}

}  // namespace acknowledgements_test
}  // namespace lambdacast::ordering
