// SPDX-License-Identifier: BSD-3-Clause
#include "node/marks.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::node {
namespace marks_test {

constexpr uint64_t kNever = ~uint64_t{0};
constexpr uint64_t kInterval = 100;
constexpr size_t kSelf = 1;
constexpr uint32_t kRoom = 12;

// Two members, of which the other is stream 0; what is kept has no payload.
class MarksTest : public ::testing::Test, private ordering::OrderHost {
 protected:
  MarksTest() {
    const ordering::Cut cuts[] = {{0, 0, true}, {kSelf, 0, true}};
    const size_t streams[] = {0, kSelf};
    order_.install(1, cuts, streams, 1);
    while (order_.marker_of(order_.domain_of(group_)) != 1) ++group_;
  }
  ~MarksTest() override { order_.clear(); }
  // Content that this node has to mark.
  void content(size_t stream) {
    ++taken_;
    order_.accept(stream, taken_, group_, wire::Qos::kTotallyOrdered, 1,
                  ordering::PacketHandle{taken_});
  }
  PacketInfo write(uint64_t now_ns) {
    PacketInfo info{};
    marks_.write(info, payload_.data(), payload_.size(), now_ns);
    return info;
  }

  bool deliver(ordering::PacketHandle, const ordering::Ordered&) override { return true; }
  void release(ordering::PacketHandle) override {}
  std::span<const uint8_t> payload(ordering::PacketHandle) override { return {}; }
  uint64_t taken_through(size_t) override { return taken_; }
  void view_begins() override {}
  void rates(size_t, ordering::PacketHandle) override {}
  void rates_marked(uint64_t) override {}
  void view_ended() override {}

  ordering::TotalOrder order_{{kSelf, kRoom, 16, 1, kInterval}, *this};
  Marks marks_{order_, kSelf};
  uint32_t group_ = 1;
  uint64_t taken_ = 0;
  std::vector<uint8_t> payload_ = std::vector<uint8_t>(200);
};

TEST_F(MarksTest, content_to_mark_after_a_pause__expect_them_due_at_once) {
  EXPECT_EQ(marks_.due_ns(), kNever);
  content(0);
  EXPECT_EQ(marks_.due_ns(), 0u);
}

TEST_F(MarksTest, written__expect_the_next_no_sooner_than_an_interval_later) {
  content(0);
  write(1000);
  EXPECT_EQ(marks_.due_ns(), 1000 + kInterval);
}

TEST_F(MarksTest, written__expect_source_ordered_data_that_is_marks) {
  content(0);
  const PacketInfo info = write(0);
  EXPECT_TRUE(Marks::is(info));
  EXPECT_EQ(info.kind, wire::Kind::kData);
  EXPECT_EQ(info.qos, wire::Qos::kSourceOrdered);
  EXPECT_EQ(info.payload_bytes, wire::kMarksHeaderBytes + wire::kMarkBytes);
  EXPECT_EQ(info.message_bytes, info.payload_bytes);
  EXPECT_TRUE(wire::valid_marks(std::span(payload_).first(info.payload_bytes)));
  EXPECT_FALSE(Marks::is(PacketInfo{}));
}

TEST_F(MarksTest, content_of_our_own__expect_room_left_for_marks_and_none_due_without_any) {
  EXPECT_EQ(marks_.room_for_content(), kRoom - Marks::kReserve);
  for (uint64_t i = 0; i < kRoom - Marks::kReserve; ++i) content(kSelf);
  EXPECT_EQ(marks_.room_for_content(), 0u);
  EXPECT_EQ(marks_.due_ns(), 0u);
  for (uint64_t i = 0; i < Marks::kReserve; ++i) content(kSelf);
  EXPECT_EQ(marks_.room_for_content(), 0u);
  EXPECT_EQ(marks_.due_ns(), kNever);
}

TEST_F(MarksTest, window__expect_data_to_leave_the_reserve_free) {
  EXPECT_EQ(Marks::leave_to_data(0), 0u);
  EXPECT_EQ(Marks::leave_to_data(Marks::kReserve), 0u);
  EXPECT_EQ(Marks::leave_to_data(Marks::kReserve + 5), 5u);
}

}  // namespace marks_test
}  // namespace lambdacast::node
