#include "dataplane/core_stage.h"

#include <gtest/gtest.h>

#include "dataplane/reliability_stage.h"
#include "support.h"

namespace lambdacast::dataplane {
namespace {

using counters::DropReason;

// Refuses odd frame sequences.
struct EvenOnly {
  explicit EvenOnly(DropReason why) : reason(why) {}
  DropReason accept(const endpoint::PacketInfo& info) const {
    return info.frame_seq % 2 == 0 ? DropReason::kNone : reason;
  }
  DropReason reason;
};
class EvenOnlyStage final : public CoreStage<EvenOnly> {
 public:
  using CoreStage::CoreStage;
  [[nodiscard]] const char* name() const override { return "even"; }
};

class CoreStageTest : public ::testing::Test {
 protected:
  static Link link(uint32_t slots) {
    static int next = 0;
    return std::move(*Link::create("test_stage_link" + std::to_string(next++), slots));
  }
  void offer(const std::vector<uint64_t>& sequences) {
    for (const uint64_t sequence : sequences) {
      rte_mbuf* m = pool_.packet(sequence);
      in_.push(&m, 1);
    }
  }
  std::vector<uint64_t> take() {
    std::vector<uint64_t> sequences;
    rte_mbuf* m = nullptr;
    while (out_.pull(&m, 1) == 1) {
      sequences.push_back(info_of(m).frame_seq);
      rte_pktmbuf_free(m);
    }
    return sequences;
  }

  test::Pool pool_;
  Link in_ = link(64);
  Link out_ = link(4);
};

TEST_F(CoreStageTest, refuse_half_of_the_packets__expect_them_counted_and_back_in_the_pool) {
  EvenOnlyStage stage(DropReason::kTooOld, 32, in_, out_);
  offer({0, 1, 2, 3});
  EXPECT_EQ(stage.poll(0), 4u);
  EXPECT_EQ(take(), (std::vector<uint64_t>{0, 2}));
  EXPECT_EQ(stage.counters().received, 4u);
  EXPECT_EQ(stage.counters().forwarded, 2u);
  EXPECT_EQ(stage.counters().drops[DropReason::kTooOld], 2u);
  EXPECT_EQ(stage.counters().drops.total(), 2u);
  EXPECT_EQ(pool_.away(), 0u);
}

TEST_F(CoreStageTest, meet_a_full_link__expect_the_pull_to_stop_and_nothing_dropped) {
  EvenOnlyStage stage(DropReason::kTooOld, 32, in_, out_);
  offer({0, 2, 4, 6, 8, 10});
  EXPECT_EQ(stage.poll(0), 4u);  // the room of the link behind
  EXPECT_EQ(stage.poll(0), 0u);
  EXPECT_EQ(in_.size(), 2u);
  EXPECT_EQ(take(), (std::vector<uint64_t>{0, 2, 4, 6}));
  EXPECT_EQ(stage.poll(0), 2u);
  EXPECT_EQ(take(), (std::vector<uint64_t>{8, 10}));
  EXPECT_EQ(stage.counters().drops.total(), 0u);
}

TEST_F(CoreStageTest, poll_with_a_burst_of_two__expect_two_a_poll) {
  EvenOnlyStage stage(DropReason::kTooOld, 2, in_, out_);
  offer({0, 2, 4});
  EXPECT_EQ(stage.poll(0), 2u);
  EXPECT_EQ(stage.poll(0), 1u);
  EXPECT_EQ(stage.poll(0), 0u);
}

TEST_F(CoreStageTest, reliability_receives_a_repeated_frame__expect_a_duplicate_and_the_gap_told) {
  ReliabilityStage stage(reliability::ReliabilityConfig{1}, 32, in_, out_);
  offer({100, 101, 101, 103});
  EXPECT_EQ(stage.poll(0), 4u);
  EXPECT_EQ(take(), (std::vector<uint64_t>{100, 101, 103}));
  EXPECT_EQ(stage.counters().drops[DropReason::kDuplicate], 1u);
  EXPECT_EQ(stage.core().report(0).current.missing, 1u);
  EXPECT_STREQ(stage.name(), "reliability");
}

}  // namespace
}  // namespace lambdacast::dataplane
