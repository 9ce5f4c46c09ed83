// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/ring_engine.h"

#include <gtest/gtest.h>

#include "ordering/engines.h"
#include "stub_host.h"
#include "wire/control/pass.h"

namespace lambdacast::ordering {
namespace {

using State = Held::State;
using wire::Qos;

constexpr uint64_t kNever = ~uint64_t{0};
constexpr uint64_t kInterval = 100;
constexpr TotalOrderConfig kRingConfig{2, 16, 16, 1, kInterval, Order::kRing};

// View 3 of streams 0 to 2 (this node's), by rank, all of which stayed: site(1) is rank 0.
class RingEngineTest : public ::testing::Test {
 protected:
  static constexpr size_t kMembers[] = {0, 1, 2};

  RingEngineTest() { begin(3, 3, 6); }
  void begin(uint64_t epoch, size_t stayed, size_t max_n) {
    view_.end();
    view_.begin(epoch, kMembers, 2, stayed);
    acks_.begin(3, kRingConfig.k, max_n);
    EXPECT_FALSE(acks_.begun(2));
    engines_.begin_view();
  }
  void content(size_t stream, uint64_t rel_seq, Qos qos = Qos::kTotallyOrdered) {
    host_.taken[stream] = rel_seq;
    engines_.link(held_.add(entry(stream, rel_seq, 3, State::kUnmarked, qos)));
  }
  void pass(size_t stream, uint64_t rel_seq, uint64_t number, const std::vector<wire::Mark>& items,
            uint64_t epoch = 3) {
    std::vector<uint8_t> bytes(wire::pass_bytes(items.size()));
    wire::store_pass({epoch, number}, bytes.data());
    for (size_t i = 0; i < items.size(); ++i) wire::store_pass_item(items[i], bytes.data(), i);
    take(stream, rel_seq, bytes);
  }
  void take(size_t stream, uint64_t rel_seq, const std::vector<uint8_t>& bytes) {
    host_.payloads[packet(stream, rel_seq)] = bytes;
    Held held = entry(stream, rel_seq, 0, State::kMarks);
    held.marker = kRing;
    engines_.link(held_.add(held));
  }
  // This node writes one, and it comes back.
  std::vector<uint8_t> write(uint64_t rel_seq, uint64_t now_ns, size_t room = 100) {
    std::vector<uint8_t> bytes(room);
    bytes.resize(ring_.write(bytes.data(), bytes.size(), now_ns));
    take(2, rel_seq, bytes);
    ring_.apply(now_ns);
    return bytes;
  }

  StubHost host_;
  OrderView view_{3, kRingConfig};
  Acknowledgements acks_{3};
  HeldPackets held_{kRingConfig, host_};
  DomainQueues queues_{kRingConfig, view_, acks_, held_, host_};
  Engines engines_{kRingConfig, view_, acks_, held_, queues_, host_};
  RingEngine& ring_ = *engines_.ring();
};

TEST_F(RingEngineTest, pass_of_what_has_come__expect_it_ordered_and_acknowledged_by_two) {
  content(1, 1);
  pass(0, 5, 1, {{1, 1}});
  ring_.apply(0);
  EXPECT_EQ(host_.delivered, (Packets{packet(1, 1)}));
  EXPECT_EQ(host_.last.sequencer, kRing);
  EXPECT_EQ(host_.last.mark, 1u);
  EXPECT_EQ(acks_.of(0, kRing), 1u);
  EXPECT_EQ(acks_.of(1, kRing), 0u) << "who is to make the next pass has not said so";
  EXPECT_EQ(acks_.of(2, kRing), 1u);
  EXPECT_EQ(ring_.counters().applied, 1u);
}

TEST_F(RingEngineTest, pass_ahead_of_its_content__expect_all_of_it_to_wait) {
  content(0, 1);
  pass(0, 5, 1, {{0, 1}, {1, 1}});
  ring_.apply(0);
  EXPECT_EQ(host_.delivered, Packets{});
  EXPECT_EQ(ring_.pass(), 0u);
  content(1, 1);
  ring_.apply(0);
  EXPECT_EQ(host_.delivered, (Packets{packet(0, 1), packet(1, 1)}));
}

TEST_F(RingEngineTest, pass_ahead_of_the_one_before__expect_both_in_their_order) {
  content(1, 1);
  content(0, 1);
  pass(1, 7, 2, {{0, 1}});
  ring_.apply(0);
  EXPECT_EQ(ring_.pass(), 0u);
  pass(0, 5, 1, {{1, 1}});
  ring_.apply(0);
  EXPECT_EQ(host_.delivered, (Packets{packet(1, 1), packet(0, 1)}));
  EXPECT_EQ(ring_.pass(), 2u);
}

TEST_F(RingEngineTest, pass_of_another_site_or_number__expect_it_refused) {
  content(1, 1);
  pass(1, 5, 1, {{1, 1}});  // rank 0 makes it
  pass(0, 5, 4, {{1, 1}});  // its first is 1
  take(0, 6, std::vector<uint8_t>(wire::kPassHeaderBytes + 1));
  ring_.apply(0);
  EXPECT_EQ(ring_.counters().refused, 3u);
  EXPECT_EQ(host_.delivered, Packets{});
  pass(0, 7, 1, {{1, 1}});
  pass(0, 8, 1, {{1, 1}});
  ring_.apply(0);
  EXPECT_EQ(ring_.counters().refused, 4u);
  EXPECT_EQ(host_.delivered, (Packets{packet(1, 1)}));
}

TEST_F(RingEngineTest, passes_of_other_views__expect_earlier_skipped_and_later_kept) {
  content(1, 1);
  pass(0, 5, 1, {{1, 1}}, 2);
  pass(0, 6, 1, {{1, 1}}, 4);
  ring_.apply(0);
  EXPECT_EQ(ring_.pass(), 0u);
  EXPECT_EQ(ring_.counters().refused, 0u);
  pass(0, 7, 1, {{1, 1}});
  ring_.apply(0);
  EXPECT_EQ(ring_.pass(), 1u);
}

TEST_F(RingEngineTest, view_of_members_and_newcomers__expect_a_member_that_stayed_to_begin) {
  EXPECT_EQ(ring_.site(1), 0u);
  EXPECT_EQ(ring_.site(3), 2u);
  EXPECT_EQ(ring_.site(4), 0u);
  for (uint64_t epoch = 4; epoch < 10; ++epoch) {
    begin(epoch, 2, 6);
    EXPECT_EQ(ring_.site(1), epoch % 2) << epoch;
  }
  begin(5, 0, 6);
  EXPECT_EQ(ring_.site(1), 2u) << "a first view: any of them";
}

// --- when it passes ------------------------------------------------------------------------------

TEST_F(RingEngineTest, nothing_is_unmarked__expect_the_token_to_rest) {
  EXPECT_EQ(ring_.due_ns(), kNever);
  EXPECT_TRUE(ring_.rests());
  content(1, 1);
  EXPECT_EQ(ring_.due_ns(), kNever) << "rank 0 has the token";
  EXPECT_FALSE(ring_.rests());
}

TEST_F(RingEngineTest, who_has_the_token_and_content__expect_a_pass_at_once) {
  begin(5, 3, 6);
  content(1, 1);
  content(0, 1);
  content(0, 2);
  EXPECT_EQ(ring_.due_ns(), 0u);
  const auto bytes = write(1, 1'000);
  EXPECT_EQ(wire::load_pass(bytes), (wire::Pass{5, 1}));
  ASSERT_EQ(wire::count_pass_items(bytes), 2u);
  EXPECT_EQ(wire::load_pass_item(bytes, 0).rank, 0);
  EXPECT_EQ(wire::load_pass_item(bytes, 0).through, 2u);
  EXPECT_EQ(wire::load_pass_item(bytes, 1).rank, 1);
  EXPECT_EQ(ring_.pass(), 1u);
  EXPECT_EQ(ring_.due_ns(), kNever);
  EXPECT_EQ(ring_.counters().written, 1u);
}

TEST_F(RingEngineTest, written_and_not_sent__expect_the_same_number_again_with_what_has_come) {
  begin(5, 3, 6);
  content(1, 1);
  std::vector<uint8_t> bytes(100);
  (void)ring_.write(bytes.data(), bytes.size(), 1'000);
  EXPECT_EQ(ring_.due_ns(), 1'000 + kInterval);
  content(0, 1);
  bytes.resize(ring_.write(bytes.data(), bytes.size(), 2'000));
  EXPECT_EQ(wire::load_pass(bytes).number, 1u);
  EXPECT_EQ(wire::count_pass_items(bytes), 2u);
  EXPECT_EQ(ring_.counters().written, 0u);
}

TEST_F(RingEngineTest, more_streams_than_fit__expect_the_rest_to_come_with_the_next_pass) {
  begin(5, 3, 6);
  for (size_t stream = 0; stream < 3; ++stream) content(stream, 1);
  const auto bytes = write(2, 0, wire::pass_bytes(2));
  EXPECT_EQ(wire::count_pass_items(bytes), 2u);
  EXPECT_EQ(wire::load_pass_item(bytes, 0).rank, 2) << "its own first";
  EXPECT_FALSE(ring_.rests());
}

TEST_F(RingEngineTest, passes_without_items__expect_one_round_of_them_less_one_then_rest) {
  content(1, 1);
  pass(0, 5, 1, {{1, 1}});
  pass(1, 5, 2, {});
  ring_.apply(1'000);
  EXPECT_EQ(ring_.due_ns(), 1'000 + kInterval) << "it is its turn, and nobody waits";
  EXPECT_EQ(acks_.stable(kRing), 1u) << "with all, as this node knows and the others do not";
  write(1, 1'000 + kInterval);
  EXPECT_TRUE(ring_.rests());
  EXPECT_EQ(ring_.counters().empty, 1u);
}

TEST_F(RingEngineTest, a_level_is_awaited__expect_a_pass_at_once) {
  content(1, 1, Qos::kTotallyResilient);
  pass(0, 5, 1, {{1, 1}});
  ring_.apply(1'000);
  EXPECT_EQ(host_.delivered, Packets{});
  pass(1, 5, 2, {});
  ring_.apply(1'000);
  EXPECT_EQ(host_.delivered, (Packets{packet(1, 1)})) << "all hold it, as this node knows";
  EXPECT_EQ(ring_.due_ns(), 0u) << "and nobody else";
}

TEST_F(RingEngineTest, content_behind_a_pass_that_named_something__expect_an_interval_between) {
  content(1, 1);
  pass(0, 5, 1, {{1, 1}});
  pass(1, 5, 2, {});
  ring_.apply(1'000);
  content(1, 2);
  EXPECT_EQ(ring_.due_ns(), 1'000 + kInterval);
}

// --- levels --------------------------------------------------------------------------------------

TEST_F(RingEngineTest, levels__expect_each_when_so_many_members_have_made_a_pass) {
  content(0, 1, Qos::kKResilient);
  pass(0, 5, 1, {{0, 1}});
  ring_.apply(0);
  EXPECT_EQ(host_.delivered.size(), 1u) << "its maker and this node";
  content(0, 2, Qos::kMajority);
  pass(1, 5, 2, {{0, 2}});
  ring_.apply(0);
  EXPECT_EQ(host_.delivered.size(), 2u) << "two of three, for all have begun the view";
  content(0, 3, Qos::kTotallyResilient);
  write(1, kInterval);
  EXPECT_EQ(host_.delivered.size(), 2u);
  pass(0, 6, 4, {});
  ring_.apply(0);
  EXPECT_EQ(host_.delivered.size(), 2u);
  pass(1, 6, 5, {});
  ring_.apply(0);
  EXPECT_EQ(host_.delivered.size(), 3u);
}

TEST_F(RingEngineTest, view_that_one_has_not_begun__expect_a_majority_of_the_largest_to_count) {
  content(0, 1, Qos::kMajority);
  pass(0, 5, 1, {{0, 1}});
  ring_.apply(0);
  EXPECT_EQ(host_.delivered.size(), 0u) << "that had six: it takes all three";
  EXPECT_TRUE(acks_.begun(1)) << "rank 0 has, by its pass";
  queues_.drain(kRing);
  EXPECT_EQ(host_.delivered.size(), 1u);
  EXPECT_EQ(acks_.max_n(), 3u);
}

// --- the end of a view ---------------------------------------------------------------------------

TEST_F(RingEngineTest, view_that_ends_with_a_hole__expect_what_is_behind_it_void) {
  content(0, 1);
  content(1, 1);
  content(1, 2);
  pass(0, 5, 1, {{1, 1}});
  ring_.apply(0);
  view_.end();
  pass(2, 7, 3, {{0, 1}, {1, 2}});
  ring_.apply(0);
  EXPECT_EQ(ring_.pass(), 1u);
  EXPECT_EQ(ring_.counters().holes, 1u);
}

TEST_F(RingEngineTest, passes_up_to_the_cuts_linked_again__expect_those_applied_to_count) {
  content(1, 1);
  content(1, 2);
  pass(0, 5, 1, {{1, 1}});
  pass(1, 5, 2, {{1, 2}});
  ring_.apply(0);
  view_.end();
  engines_.unlink_all();
  pass(2, 7, 3, {});
  pass(0, 6, 4, {});
  ring_.apply(0);
  EXPECT_EQ(ring_.counters().refused, 0u);
  EXPECT_EQ(ring_.pass(), 4u);
  EXPECT_EQ(ring_.counters().holes, 0u);
}

}  // namespace
}  // namespace lambdacast::ordering
