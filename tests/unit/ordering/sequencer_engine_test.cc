// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/sequencer_engine.h"

#include <gtest/gtest.h>

#include "ordering/engines.h"
#include "stub_host.h"

namespace lambdacast::ordering {
namespace sequencer_marks_test {

using State = Held::State;
using wire::Qos;

constexpr uint64_t kNone = ~uint64_t{0};

// View 3 of streams 0 to 2 (this node's), by rank.
class SequencerEngineTest : public ::testing::Test {
 protected:
  static constexpr TotalOrderConfig kMarksConfig{2, 8, 16, 1, 100};
  static constexpr size_t kMembers[] = {0, 1, 2};

  SequencerEngineTest() {
    view_.end();
    view_.begin(3, kMembers, 2);
    acks_.begin(3, kMarksConfig.k);
    engines_.begin_view();
    EXPECT_EQ(engine_.take_progress(), Progress::kAwaited);
  }
  // A domain that the member of that rank orders.
  [[nodiscard]] uint32_t domain_of_rank(size_t rank) const {
    uint32_t domain = 0;
    while (view_.marker_of(domain) != rank) ++domain;
    return domain;
  }
  void content(size_t stream, uint64_t rel_seq, size_t marker, Qos qos = Qos::kTotallyOrdered) {
    host_.taken[stream] = rel_seq;
    engines_.link(held_.add(entry(stream, rel_seq, domain_of_rank(marker), State::kUnmarked, qos)));
  }
  void marks(size_t stream, uint64_t rel_seq, uint64_t epoch,
             const std::vector<wire::Mark>& items) {
    std::vector<uint8_t> bytes(wire::kMarksHeaderBytes + items.size() * wire::kMarkBytes);
    wire::store_marks_epoch(epoch, bytes.data());
    for (size_t i = 0; i < items.size(); ++i) wire::store_mark(items[i], bytes.data(), i);
    host_.payloads[packet(stream, rel_seq)] = bytes;
    engines_.link(held_.add(entry(stream, rel_seq, 0, State::kMarks)));
  }
  [[nodiscard]] uint64_t applied(size_t marker) const { return engines_.sheet().applied(marker); }

  StubHost host_;
  OrderView view_{3};
  Acknowledgements acks_{3};
  HeldPackets held_{kMarksConfig, host_};
  DomainQueues queues_{kMarksConfig, view_, acks_, held_, host_};
  Engines engines_{kMarksConfig, view_, acks_, held_, queues_, host_};
  SequencerEngine& engine_ = engines_.sequencers();
};

TEST_F(SequencerEngineTest, mark_of_what_has_come__expect_it_ordered_and_acknowledged) {
  content(1, 1, 0);
  marks(0, 5, 3, {{1, 1}});
  engine_.apply(0);
  EXPECT_EQ(host_.delivered, (Packets{packet(1, 1)}));
  EXPECT_EQ(applied(0), 5u);
  EXPECT_EQ(acks_.of(0, 0), 5u);
  EXPECT_EQ(acks_.of(2, 0), 5u);
  EXPECT_EQ(engine_.take_progress(), Progress::kApplied);
  EXPECT_EQ(engine_.packets_applied(), 1u);
}

TEST_F(SequencerEngineTest, mark_ahead_of_content__expect_it_to_wait_with_what_is_behind_it) {
  content(1, 1, 0);
  marks(0, 5, 3, {{1, 2}});
  marks(0, 6, 3, {{1, 2}});
  engine_.apply(0);
  EXPECT_EQ(host_.delivered, Packets{});
  EXPECT_EQ(engine_.take_progress(), Progress::kNone);
  content(1, 2, 0, Qos::kMajority);
  engine_.apply(0);
  EXPECT_EQ(host_.delivered, (Packets{packet(1, 1), packet(1, 2)}));
  EXPECT_EQ(applied(0), 6u);
  EXPECT_EQ(engine_.take_progress(), Progress::kAwaited);
}

TEST_F(SequencerEngineTest, marks_of_other_views__expect_those_before_passed_over_and_later_kept) {
  content(1, 1, 0);
  marks(0, 5, 2, {{1, 1}});
  marks(0, 6, 4, {{1, 1}});
  engine_.apply(0);
  EXPECT_EQ(applied(0), 5u);
  EXPECT_EQ(host_.delivered, Packets{});
}

TEST_F(SequencerEngineTest, content_of_our_domains__expect_marks_due_until_it_is_marked) {
  content(1, 1, 0);
  EXPECT_EQ(engine_.due_ns(), kNone);
  content(0, 1, 2);
  content(0, 2, 2);
  EXPECT_EQ(engine_.due_ns(), 0u);
  std::vector<uint8_t> bytes(100);
  bytes.resize(engine_.write(bytes.data(), bytes.size(), 1'000));
  ASSERT_EQ(wire::count_marks(bytes), 1u);
  EXPECT_EQ(wire::load_mark(bytes, 0).rank, 0);
  EXPECT_EQ(wire::load_mark(bytes, 0).through, 2u);
  EXPECT_EQ(engine_.packets_written(), 1u);
  EXPECT_EQ(engine_.due_ns(), 1'100u) << "an interval later, as long as it is not applied";
  marks(2, 1, 3, {{0, 2}});
  engine_.apply(0);
  EXPECT_EQ(engine_.due_ns(), kNone);
  EXPECT_EQ(engine_.take_progress(), Progress::kNone) << "who marks need not say so";
}

TEST_F(SequencerEngineTest, view_that_ends__expect_marks_applied_unacknowledged) {
  content(1, 1, 0);
  marks(0, 5, 3, {{1, 9}});
  view_.end();
  engine_.apply(0);
  EXPECT_EQ(applied(0), 5u);
  EXPECT_EQ(acks_.of(2, 0), 0u);
  EXPECT_EQ(engine_.take_progress(), Progress::kNone);
  EXPECT_FALSE(queues_.idle());
}

TEST_F(SequencerEngineTest, stream_of_no_member__expect_it_to_wait_for_nothing) {
  const size_t others[] = {0, 2};
  view_.begin(4, others, 1);
  engines_.begin_view();
  content(1, 1, 1);
  marks(1, 2, 4, {});
  EXPECT_EQ(engine_.due_ns(), kNone);
  engine_.apply(0);
  EXPECT_EQ(engine_.packets_applied(), 0u);
}

}  // namespace sequencer_marks_test
}  // namespace lambdacast::ordering
