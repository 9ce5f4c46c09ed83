// SPDX-License-Identifier: BSD-3-Clause
#include "node/resumption.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace lambdacast::node {
namespace {

using counters::DropReason;
using Step = DeliveryFilter::Step;
using What = ViewEvent::What;

constexpr uint32_t kEach = 50;
constexpr uint32_t kBytes = 190;  // four fragments

class ResumptionTest : public ::testing::Test {
 protected:
  ResumptionTest() { delivery_.subscriptions().subscribe(1); }

  struct Fragment {
    uint32_t message_id;
    uint32_t number;
    uint32_t group = 1;
    uint16_t peer = kNoPeer;
    wire::Qos qos = wire::Qos::kTotallyOrdered;
    wire::Kind kind = wire::Kind::kFragment;
  };
  static uint8_t byte_of(uint32_t message_id, uint32_t number) {
    return static_cast<uint8_t>(16 * message_id + number);
  }
  // It comes (back) in order.
  DeliveryFilter::Outcome accept(const Fragment& fragment) {
    PacketInfo info{};
    info.kind = fragment.kind;
    info.qos = fragment.qos;
    info.peer = fragment.peer;
    info.group = fragment.group;
    info.message_id = fragment.message_id;
    info.message_bytes = kBytes;
    info.fragment_bytes = kEach;
    info.fragment_offset = kEach * fragment.number;
    const std::vector<uint8_t> bytes(kEach, byte_of(fragment.message_id, fragment.number));
    return delivery_.accept(info, bytes.data(), 0);
  }
  // Of a view of so many members, of whom so many were in the one before.
  void view_of(size_t members, size_t stayed) {
    resumption_.view_event({What::kView, {}, std::span(members_).first(members), stayed});
  }
  // Message and number of what is sent once more.
  std::vector<std::pair<uint32_t, uint32_t>> resumed() {
    std::vector<std::pair<uint32_t, uint32_t>> out;
    for (; resumption_.pending(); resumption_.sent()) {
      PacketInfo info{};
      const auto bytes = resumption_.next(info);
      const uint32_t number = info.fragment_offset / kEach;
      out.emplace_back(info.message_id, number);
      EXPECT_EQ(info.kind, kind_);
      EXPECT_EQ(info.qos, wire::Qos::kTotallyOrdered);
      EXPECT_EQ(info.message_bytes, kBytes);
      EXPECT_EQ(info.fragment_bytes, kEach);
      EXPECT_EQ(info.payload_bytes, bytes.size());
      EXPECT_EQ(bytes[0], byte_of(info.message_id, number));
      EXPECT_EQ(bytes.back(), bytes[0]);
    }
    return out;
  }
  using Sent = std::vector<std::pair<uint32_t, uint32_t>>;
  wire::Kind kind_ = wire::Kind::kFragment;  // of what is sent once more

  DeliveryFilter delivery_{DeliveryFilterConfig{.ordering = {4, false},
                                                .reassembly = {.max_message_bytes = 1000,
                                                               .max_messages = 8,
                                                               .timeout_ns = 1000,
                                                               .memory_bytes = 16384}}};
  Resumption resumption_{delivery_};
  std::array<wire::StreamName, 4> members_{};
};

TEST_F(ResumptionTest, a_newcomer_amid_a_message__expect_what_was_sent_of_it_again) {
  (void)accept({1, 0});
  (void)accept({1, 1});
  view_of(3, 2);
  EXPECT_EQ(resumed(), (Sent{{1, 0}, {1, 1}}));
  EXPECT_EQ(resumption_.fragments(), 2u);
}

TEST_F(ResumptionTest, a_newcomer_amid_a_request__expect_it_as_a_request_again) {
  kind_ = wire::Kind::kRequestFragment;
  (void)accept({1, 0, 1, kNoPeer, wire::Qos::kTotallyOrdered, kind_});
  view_of(3, 2);
  EXPECT_EQ(resumed(), (Sent{{1, 0}}));
}

TEST_F(ResumptionTest, who_goes_on_was_there_before__expect_nothing) {
  (void)accept({1, 0});
  view_of(3, 3);
  EXPECT_FALSE(resumption_.pending());
}

TEST_F(ResumptionTest, messages_that_are_whole_or_of_others_or_not_ordered__expect_nothing) {
  for (uint32_t number = 0; number < 3; ++number) EXPECT_EQ(accept({1, number}).step, Step::kHold);
  EXPECT_EQ(accept({1, 3}).step, Step::kDeliver);
  (void)accept({2, 0, 1, 5});
  (void)accept({3, 0, 1, 5, wire::Qos::kSourceOrdered});
  view_of(3, 2);
  EXPECT_FALSE(resumption_.pending());
}

TEST_F(ResumptionTest, two_messages_at_a_time__expect_both) {
  (void)accept({1, 0});
  (void)accept({2, 0});
  (void)accept({2, 1});
  view_of(3, 2);
  const Sent sent = resumed();
  EXPECT_EQ(Sent(sent.begin(), sent.end()).size(), 3u);
  EXPECT_EQ(std::count(sent.begin(), sent.end(), std::pair(1u, 0u)), 1);
  EXPECT_EQ(std::count(sent.begin(), sent.end(), std::pair(2u, 1u)), 1);
}

TEST_F(ResumptionTest, another_newcomer_meanwhile__expect_all_of_it_once_more) {
  (void)accept({1, 0});
  (void)accept({1, 1});
  view_of(3, 2);
  resumption_.sent();
  view_of(3, 3);
  EXPECT_TRUE(resumption_.pending()) << "a view without newcomers changes nothing";
  view_of(4, 3);
  EXPECT_EQ(resumed(), (Sent{{1, 0}, {1, 1}}));
}

TEST_F(ResumptionTest, out_of_the_view__expect_an_end) {
  (void)accept({1, 0});
  view_of(3, 2);
  resumption_.view_event({What::kExcluded, {}, {}, 0});
  EXPECT_FALSE(resumption_.pending());
}

// Its fragments come back, as all of the view before get them again.
TEST_F(ResumptionTest, what_is_sent_again_comes_back__expect_it_dropped_and_nothing_lost) {
  (void)accept({1, 0});
  view_of(3, 2);
  (void)resumed();
  const auto outcome = accept({1, 0});
  EXPECT_EQ(outcome.step, Step::kDrop);
  EXPECT_EQ(outcome.reason, DropReason::kDuplicate);
  for (uint32_t number = 1; number < 3; ++number) EXPECT_EQ(accept({1, number}).step, Step::kHold);
  EXPECT_EQ(accept({1, 3}).step, Step::kDeliver);
}

// To publish one need not subscribe.
TEST_F(ResumptionTest, of_a_group_not_subscribed_to__expect_it_kept_sent_again_and_not_delivered) {
  EXPECT_EQ(accept({1, 0, 2, 5}).reason, DropReason::kNotSubscribed) << "of another endpoint";
  EXPECT_EQ(accept({1, 0, 2}).step, Step::kHold);
  view_of(3, 2);
  EXPECT_EQ(resumed(), (Sent{{1, 0}}));
  EXPECT_EQ(accept({1, 1, 2}).step, Step::kHold);
  EXPECT_EQ(accept({1, 2, 2}).step, Step::kHold);
  const auto outcome = accept({1, 3, 2});
  EXPECT_EQ(outcome.step, Step::kDrop);
  EXPECT_EQ(outcome.reason, DropReason::kNotSubscribed);
  const StageCounters& c = delivery_.counters();
  EXPECT_EQ(c.drops[DropReason::kNotSubscribed], 5u);
  EXPECT_EQ(c.received, c.forwarded + c.drops.total() + delivery_.held());
  EXPECT_EQ(delivery_.reassembly().completed_outstanding(), 0u);
}

}  // namespace
}  // namespace lambdacast::node
