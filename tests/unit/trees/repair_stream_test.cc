// SPDX-License-Identifier: BSD-3-Clause
#include "trees/repair_stream.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace lambdacast::trees {
namespace {

using Bytes = std::vector<uint8_t>;

RepairFrame sent(RepairStream& stream, uint64_t now_ns = 0) {
  RepairFrame frame;
  stream.send(frame, now_ns);
  return frame;
}
Bytes content(const RepairFrame& frame) { return {frame.records().begin(), frame.records().end()}; }

TEST(RepairStream, records_that_share_and_that_do_not__expect_one_frame_and_two) {
  RepairStream shares, alone;
  for (const uint8_t each : {1, 2}) {
    shares.push(Bytes{each}, true);
    alone.push(Bytes{each}, false);
  }
  EXPECT_EQ(content(sent(shares)), (Bytes{1, 2}));
  EXPECT_FALSE(shares.may_send(4));
  EXPECT_EQ(content(sent(alone)), (Bytes{1}));
  EXPECT_FALSE(alone.may_send(1)) << "the first is not acknowledged";
  EXPECT_TRUE(alone.may_send(2));
}

TEST(RepairStream, record_behind_one_that_has_gone__expect_a_frame_of_its_own) {
  RepairStream stream;
  stream.push(Bytes{1}, true);
  (void)sent(stream);
  stream.push(Bytes{2}, true);
  stream.send_again();
  EXPECT_EQ(content(sent(stream)), (Bytes{1})) << "what was sent once stays as it is";
  EXPECT_EQ(content(sent(stream)), (Bytes{2}));
}

TEST(RepairStream, acknowledged__expect_the_oldest_gone_and_its_time_begin_anew) {
  RepairStream stream;
  for (uint8_t i = 0; i < 3; ++i) stream.push(Bytes{i}, false);
  EXPECT_EQ(stream.left_ns(), ~uint64_t{0});
  (void)sent(stream, 10);
  (void)sent(stream, 20);
  EXPECT_EQ(stream.left_ns(), 10u);
  stream.acknowledged(1, 30);
  EXPECT_EQ(stream.left_ns(), 30u);
  stream.acknowledged(1, 40);
  EXPECT_EQ(stream.left_ns(), 30u) << "nothing new";
  stream.acknowledged(3, 40);
  EXPECT_EQ(stream.left_ns(), 30u) << "the third has not gone";
  EXPECT_EQ(sent(stream, 50).number, 2);
  stream.acknowledged(3, 60);
  EXPECT_TRUE(stream.quiet());
}

// Two ends over a link that loses in both directions and keeps its order.
TEST(RepairStream, lossy_link__expect_all_records_once_and_in_order) {
  base::SplitMix64 random(3);
  for (int run = 0; run < 50; ++run) {
    RepairStream from, to;
    constexpr size_t kRecords = 2000;
    size_t pushed = 0;
    Bytes received;
    for (uint64_t now_ns = 0; received.size() < kRecords; ++now_ns) {
      ASSERT_LT(now_ns, 200'000u);
      if (pushed < kRecords && random.below(2) == 0)
        from.push(Bytes{static_cast<uint8_t>(pushed++)}, random.below(2) == 0);
      if (from.left_ns() + 20 <= now_ns && from.left_ns() != ~uint64_t{0}) from.send_again();
      if (from.may_send(5)) {
        const RepairFrame frame = sent(from, now_ns);
        if (random.below(4) != 0 && to.take(frame.number)) {
          const Bytes bytes = content(frame);
          received.insert(received.end(), bytes.begin(), bytes.end());
        }
      }
      if (random.below(4) == 0) from.acknowledged(to.expected(), now_ns);
    }
    for (size_t i = 0; i < received.size(); ++i) ASSERT_EQ(received[i], static_cast<uint8_t>(i));
  }
}

}  // namespace
}  // namespace lambdacast::trees
