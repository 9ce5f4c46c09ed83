// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/packet_trace.h"

#include <gtest/gtest.h>

#include "dpdk/packet.h"
#include "support.h"

namespace lambdacast::dpdk {
namespace {

using node::Passage;
using node::StageId;

constexpr auto kNone = counters::DropReason::kNone;

class PacketTraceTest : public ::testing::Test {
 protected:
  // "stage/what " of each step of a life.
  static std::string steps(const PacketTrace::Life& life) {
    std::string text;
    for (const PacketTrace::Step& step : life.steps) {
      text += std::to_string(static_cast<int>(step.stage)) + "/" +
              std::to_string(static_cast<int>(step.what)) + " ";
    }
    return text;
  }
  void pass(PacketTrace& trace, StageId stage, rte_mbuf* packet, Passage what,
            counters::DropReason reason = kNone) {
    trace.note(stage, &packet, 1, what, reason);
  }

  test::Pool pool_;
};

TEST_F(PacketTraceTest, receive_two_and_follow_one__expect_its_steps_until_it_is_delivered) {
  PacketTrace trace(StageId::kReceive, nullptr, 1);
  auto packets = pool_.packets(2);
  trace.note(StageId::kReceive, packets.data(), 2, Passage::kOn, kNone);
  trace.note(StageId::kReliability, packets.data(), 2, Passage::kOn, kNone);
  trace.note(StageId::kOrdering, packets.data(), 2, Passage::kOn, kNone);
  ASSERT_EQ(trace.lives().size(), 1u);
  EXPECT_FALSE(trace.lives()[0].ended);
  trace.note(StageId::kApplication, packets.data(), 2, Passage::kTaken, kNone);
  const auto lives = trace.lives();
  ASSERT_EQ(lives.size(), 1u);
  EXPECT_EQ(steps(lives[0]), "0/0 2/0 3/0 4/2 ");
  EXPECT_TRUE(lives[0].ended);
  EXPECT_EQ(lives[0].pool, pool_.get());
  EXPECT_LE(lives[0].steps[0].tsc, lives[0].steps[3].tsc);
  rte_pktmbuf_free_bulk(packets.data(), 2);
}

TEST_F(PacketTraceTest, drop_one__expect_the_reason_and_the_end) {
  PacketTrace trace(StageId::kReceive, nullptr, 4);
  rte_mbuf* packet = pool_.packet(42);
  pass(trace, StageId::kReceive, packet, Passage::kOn);
  pass(trace, StageId::kReliability, packet, Passage::kDropped, counters::DropReason::kDuplicate);
  pass(trace, StageId::kOrdering, packet, Passage::kOn);
  const auto lives = trace.lives();
  ASSERT_EQ(lives.size(), 1u);
  EXPECT_EQ(steps(lives[0]), "0/0 2/3 ");
  EXPECT_EQ(lives[0].steps[1].reason, counters::DropReason::kDuplicate);
  EXPECT_EQ(lives[0].frame_seq, 42u);
  rte_pktmbuf_free(packet);
}

TEST_F(PacketTraceTest, use_an_mbuf_again__expect_another_life) {
  PacketTrace trace(StageId::kReceive, nullptr, 4);
  rte_mbuf* packet = pool_.packet();
  pass(trace, StageId::kReceive, packet, Passage::kOn);
  pass(trace, StageId::kReliability, packet, Passage::kKept);
  pass(trace, StageId::kReceive, packet, Passage::kOn);
  pass(trace, StageId::kReliability, packet, Passage::kOn);
  const auto lives = trace.lives();
  ASSERT_EQ(lives.size(), 2u);
  EXPECT_EQ(steps(lives[0]), "0/0 2/1 ");
  EXPECT_TRUE(lives[0].ended);
  EXPECT_EQ(steps(lives[1]), "0/0 2/0 ");
  rte_pktmbuf_free(packet);
}

TEST_F(PacketTraceTest, follow_what_an_application_publishes__expect_no_delivery_among_it) {
  PacketTrace trace(StageId::kApplication, nullptr, 4);
  auto packets = pool_.packets(2);
  pass(trace, StageId::kApplication, packets[0], Passage::kTaken);
  pass(trace, StageId::kApplication, packets[1], Passage::kOn);
  pass(trace, StageId::kRateControl, packets[1], Passage::kOn);
  const auto lives = trace.lives();
  ASSERT_EQ(lives.size(), 1u);
  EXPECT_EQ(steps(lives[0]), "4/0 5/0 ");
  EXPECT_TRUE(lives[0].ended);
  rte_pktmbuf_free_bulk(packets.data(), 2);
}

TEST_F(PacketTraceTest, follow_one_pool__expect_no_packet_of_another) {
  test::Pool other;
  PacketTrace trace(StageId::kReceive, pool_.get(), 4);
  rte_mbuf* theirs = other.packet();
  rte_mbuf* ours = pool_.packet();
  pass(trace, StageId::kReceive, theirs, Passage::kOn);
  EXPECT_TRUE(trace.lives().empty());
  pass(trace, StageId::kReceive, ours, Passage::kOn);
  EXPECT_EQ(trace.lives().size(), 1u);
  rte_pktmbuf_free(theirs);
  rte_pktmbuf_free(ours);
}

TEST_F(PacketTraceTest, take_more_steps_than_are_kept__expect_the_first_and_the_end) {
  PacketTrace trace(StageId::kReceive, nullptr, 1);
  rte_mbuf* packet = pool_.packet();
  pass(trace, StageId::kReceive, packet, Passage::kOn);
  for (size_t i = 0; i < 2 * PacketTrace::kMostSteps; ++i)
    pass(trace, StageId::kReliability, packet, Passage::kKept);
  ASSERT_EQ(trace.lives().size(), 1u);
  EXPECT_EQ(trace.lives()[0].steps.size(), PacketTrace::kMostSteps);
  EXPECT_TRUE(trace.lives()[0].ended);
  rte_pktmbuf_free(packet);
}

}  // namespace
}  // namespace lambdacast::dpdk
