// SPDX-License-Identifier: BSD-3-Clause
#include "node/stability.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "base/random.h"

namespace lambdacast::node {
namespace {

constexpr uint64_t kAll = ~uint64_t{0};

class StabilityTest : public ::testing::Test {
 protected:
  uint64_t stable(uint64_t through) {
    stability_.advance(through, [&](size_t sequencer) { return marks_[sequencer]; });
    return stability_.stable();
  }
  std::array<uint64_t, 4> marks_{};
  Stability stability_{8, 100};
};

TEST_F(StabilityTest, nothing_sent__expect_none_and_nothing_that_waits) {
  EXPECT_EQ(stable(kAll), 0u);
  EXPECT_FALSE(stability_.waits());
  EXPECT_EQ(stability_.room(100), 8u);
}

TEST_F(StabilityTest, not_ordered__expect_as_many_as_all_receivers_have) {
  for (uint64_t position = 101; position <= 105; ++position) stability_.sent(position, false);
  EXPECT_EQ(stable(100), 0u);
  EXPECT_EQ(stable(103), 3u);
  EXPECT_EQ(stable(102), 3u);  // a count never goes back
  EXPECT_TRUE(stability_.waits());
  EXPECT_EQ(stable(105), 5u);
  EXPECT_FALSE(stability_.waits());
}

TEST_F(StabilityTest, marks_between__expect_them_not_counted) {
  stability_.sent(103, false);  // 101 and 102 were marks
  stability_.sent(106, false);
  EXPECT_EQ(stable(104), 1u);
  EXPECT_EQ(stable(106), 2u);
}

TEST_F(StabilityTest, ordered__expect_it_when_delivered_and_all_have_acknowledged_its_mark) {
  stability_.sent(101, true);
  EXPECT_EQ(stable(kAll), 0u);
  stability_.delivered(101, 2, 50);
  EXPECT_EQ(stable(kAll), 0u);
  marks_ = {99, 99, 49, 99};
  EXPECT_EQ(stable(kAll), 0u);
  marks_[2] = 50;
  EXPECT_EQ(stable(100), 1u);  // whatever is known of the receivers
}

TEST_F(StabilityTest, its_view_ends__expect_what_was_delivered_and_only_that) {
  for (uint64_t position = 101; position <= 103; ++position) stability_.sent(position, true);
  stability_.delivered(102, 0, 7);
  stability_.delivered(101, 1, 0);  // nobody had marked it
  marks_ = {kAll - 1, kAll - 1, kAll - 1, kAll - 1};
  EXPECT_EQ(stable(103), 0u);
  stability_.view_begins();
  marks_ = {};
  EXPECT_EQ(stable(0), 2u);
  stability_.delivered(103, 0, 1);
  EXPECT_EQ(stable(103), 2u);
  marks_[0] = 1;
  EXPECT_EQ(stable(103), 3u);
}

TEST_F(StabilityTest, earlier_one_is_not_stable__expect_no_later_one_counted) {
  stability_.sent(101, true);
  stability_.sent(102, false);
  EXPECT_EQ(stable(102), 0u);
  stability_.delivered(101, 0, 1);
  marks_[0] = 1;
  EXPECT_EQ(stable(102), 2u);
}

TEST_F(StabilityTest, out_of_the_view__expect_nothing_more) {
  stability_.sent(101, false);
  stability_.sent(102, false);
  EXPECT_EQ(stable(101), 1u);
  stability_.end();
  EXPECT_EQ(stable(102), 1u);
  EXPECT_FALSE(stability_.waits());
  for (uint64_t position = 103; position < 200; ++position) {
    ASSERT_EQ(stability_.room(position - 1), 8u);
    stability_.sent(position, false);
  }
  EXPECT_EQ(stable(200), 1u);
}

TEST_F(StabilityTest, fill_it__expect_room_down_to_none_and_back) {
  for (uint64_t position = 101; position <= 108; ++position) {
    EXPECT_EQ(stability_.room(position - 1), 109 - position);
    stability_.sent(position, false);
  }
  EXPECT_EQ(stability_.room(108), 0u);
  EXPECT_EQ(stability_.room(200), 0u);  // so many marks since
  EXPECT_EQ(stable(104), 4u);
  EXPECT_EQ(stability_.room(108), 4u);
  EXPECT_EQ(stability_.room(111), 1u);
  stability_.sent(112, false);
  EXPECT_EQ(stable(112), 9u);
  EXPECT_EQ(stability_.room(500), 8u);
}

TEST_F(StabilityTest, delivered_what_is_not_waited_for__expect_no_change) {
  stability_.sent(101, false);
  stability_.sent(102, true);
  for (const uint64_t position : {uint64_t{0}, uint64_t{100}, uint64_t{101}, uint64_t{103}, kAll})
    stability_.delivered(position, 0, 1);
  marks_[0] = kAll;
  EXPECT_EQ(stable(kAll), 1u);
}

// Everything that is sent, kept for ever, and asked about one by one.
struct Naive {
  struct Packet {
    bool ordered;
    bool delivered = false;
    bool settled = false;
    size_t sequencer = 0;
    uint64_t mark = 0;
  };
  std::map<uint64_t, Packet> packets;
  uint64_t stable = 0;

  void advance(uint64_t through, const std::array<uint64_t, 4>& marks) {
    uint64_t count = 0;
    for (const auto& [position, packet] : packets) {
      const bool marked = packet.mark != 0 && packet.mark <= marks[packet.sequencer];
      const bool held = packet.ordered ? packet.delivered && marked : position <= through;
      // What was counted once stays so.
      if (count >= stable && !packet.settled && !held) break;
      ++count;
    }
    stable = count;
  }
};

TEST(Stability, random_lives__expect_the_counts_of_a_naive_model) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    base::SplitMix64 random(seed);
    const size_t positions = size_t{4} << random.below(5);
    uint64_t last = random.below(2) == 0 ? 0 : random.below(uint64_t{1} << 60);
    Stability stability(positions, last);
    Naive naive;
    std::vector<uint64_t> sent;  // positions
    std::array<uint64_t, 4> marks{};
    uint64_t through = last;
    for (int step = 0; step < 2000; ++step) {
      const uint64_t what = random.below(16);
      if (what < 6) {
        if (random.below(4) == 0) last += random.below(3);  // marks
        if (stability.room(last) != 0) {
          const bool ordered = random.below(2) == 0;
          stability.sent(++last, ordered);
          naive.packets[last] = {ordered};
          sent.push_back(last);
        }
      } else if (what < 11) {
        const size_t some = naive.stable + random.below(8);  // not stable, so many behind the first
        if (some >= sent.size()) continue;
        Naive::Packet& packet = naive.packets[sent[some]];
        if (packet.ordered && !packet.delivered) {
          packet.delivered = true;
          packet.sequencer = random.below(4);
          packet.mark = random.below(8) == 0 ? 0 : marks[packet.sequencer] + random.below(4);
          stability.delivered(sent[some], packet.sequencer, packet.mark);
        }
      } else if (what == 11 && random.below(8) == 0) {
        stability.view_begins();
        for (auto& [position, packet] : naive.packets) packet.settled |= packet.delivered;
        marks = {};
      } else if (what < 14) {
        ++marks[random.below(4)];
      } else {
        through += random.below(last - through + 1);
      }
      stability.advance(through, [&](size_t sequencer) { return marks[sequencer]; });
      naive.advance(through, marks);
      ASSERT_EQ(stability.stable(), naive.stable) << "seed " << seed << ", step " << step;
    }
    EXPECT_GT(naive.stable, 30u) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lambdacast::node
