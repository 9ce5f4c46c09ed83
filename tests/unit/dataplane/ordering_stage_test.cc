#include "dataplane/ordering_stage.h"

#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::dataplane {
namespace {

using counters::DropReason;

class OrderingStageTest : public ::testing::Test {
 protected:
  static std::string name(const char* what) {
    static int next = 0;
    return what + std::to_string(next++);
  }
  // A packet of 10 bytes; of a fragmented message of 20 if `message_id` is not 0.
  void offer(uint32_t group, uint32_t message_id = 0, uint32_t offset = 0) {
    rte_mbuf* m = pool_.packet();
    endpoint::PacketInfo& info = info_of(m);
    info.kind = message_id == 0 ? wire::Kind::kData : wire::Kind::kFragment;
    info.group = group;
    info.payload_bytes = 10;
    info.payload_offset = 0;
    info.message_bytes = 20;
    info.message_id = message_id;
    info.fragment_offset = offset;
    info.fragment_bytes = 10;
    info.message = nullptr;
    in_.push(&m, 1);
  }
  rte_mbuf* take() {
    rte_mbuf* m = nullptr;
    return out_.pull(&m, 1) == 1 ? m : nullptr;
  }

  test::Pool pool_;
  Link in_ = std::move(*Link::create(name("ordering_in"), 64));
  Link out_ = std::move(*Link::create(name("ordering_out"), 4));
  ReleaseRing released_ = std::move(*ReleaseRing::create(name("ordering_released"), 256));
  OrderingStage stage_{endpoint::DeliveryConfig{{1, false}, {1000, 256, 100}, 16384}, 32, in_, out_,
                       released_};
};

TEST_F(OrderingStageTest, receive_a_foreign_group__expect_not_subscribed) {
  offer(1);
  EXPECT_EQ(stage_.poll(0), 1u);
  EXPECT_EQ(stage_.counters().drops[DropReason::kNotSubscribed], 1u);
  EXPECT_EQ(take(), nullptr);
  EXPECT_EQ(pool_.away(), 0u);
  EXPECT_STREQ(stage_.name(), "ordering");
}

TEST_F(OrderingStageTest, receive_fragments__expect_their_packets_back_at_once_but_the_last) {
  stage_.core().ordering().subscribe(1);
  offer(1, 5, 0);
  EXPECT_EQ(stage_.poll(0), 1u);
  EXPECT_EQ(pool_.away(), 0u);
  EXPECT_EQ(take(), nullptr);
  offer(1, 5, 10);
  EXPECT_EQ(stage_.poll(0), 1u);
  rte_mbuf* m = take();
  ASSERT_NE(m, nullptr);
  EXPECT_NE(info_of(m).message, nullptr);
  EXPECT_LT(stage_.core().reassembly().free_bytes(), 16384u);
  released_.push(info_of(m).reassembly);
  rte_pktmbuf_free(m);
  EXPECT_EQ(stage_.poll(0), 0u);
  EXPECT_EQ(stage_.core().reassembly().free_bytes(), 16384u);
}

TEST_F(OrderingStageTest, poll_with_nothing_to_do__expect_silent_messages_given_up) {
  stage_.core().ordering().subscribe(1);
  offer(1, 5, 0);
  EXPECT_EQ(stage_.poll(1000), 1u);
  EXPECT_EQ(stage_.poll(1101), 0u);
  EXPECT_EQ(stage_.counters().drops[DropReason::kMessageIncomplete], 1u);
}

TEST_F(OrderingStageTest, meet_a_full_link__expect_the_pull_to_stop_and_nothing_dropped) {
  stage_.core().ordering().subscribe(1);
  for (int i = 0; i < 6; ++i) offer(1);
  EXPECT_EQ(stage_.poll(0), 4u);
  EXPECT_EQ(stage_.poll(0), 0u);
  EXPECT_EQ(in_.size(), 2u);
}

}  // namespace
}  // namespace lambdacast::dataplane
