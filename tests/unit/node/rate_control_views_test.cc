// SPDX-License-Identifier: BSD-3-Clause
// What rate_control sends with membership, and in which order (rate_control_stage_test.cc:
// without).
#include "members.h"
#include "sim/multicast/frame_view.h"
#include "wire/control/control.h"

namespace lambdacast::node {
namespace {

using wire::Qos;

// Node 0 alone is polled from publish() on, and node 1 asks it for repairs.
class RateControlViewsTest : public MembersTest {
 protected:
  static constexpr uint32_t kMissed = 50;
  // As often they are asked for: more than repairs have saved up while there was nothing to repair.
  static constexpr uint32_t kTimes = 4;

  RateControlViewsTest() { run_ms(50); }
  void publish(Qos qos, uint32_t count) {
    network_.stopped = {false, true, true};
    for (; count != 0; --count) ASSERT_TRUE(network_[0].publish(counting_bytes(8), qos));
  }
  // Node 1 asks for the last kMissed positions, by a frame that its stages did not make.
  void ask() {
    network_.now_ns += 10'000'000;  // the repair before has had its time
    sim::SimNode& node = network_.node(0);
    const wire::StreamName us = network_[0].name();
    wire::ControlHeader header;
    header.kind = wire::ControlKind::kNack;
    header.incarnation = network_.node(1).identity().incarnation;
    header.data_qpn = network_.node(1).identity().data_qpn;
    header.entries = 1;
    header.timestamp_ns = network_.now_ns;
    ControlTransmit transmit(network_.node(1).identity(), wire::IcrcMode::kFull);
    Bytes frame(wire::kMaxFrameBytes);
    uint8_t* const payload = frame.data() + transmit.payload_offset();
    wire::store_control_header(header, payload);
    wire::store_nack(us, node.sender().window().last() + 1 - kMissed, payload);
    wire::store_nack_run({0, kMissed}, payload + wire::kNackHeaderBytes);
    frame.resize(transmit.finish(frame.data(), wire::kNackHeaderBytes + wire::kNackRunBytes,
                                 network_.now_ns));
    network_[0].env.arrive(frame);
    (void)node.receive().poll(network_.now_ns);
    (void)node.reliability().poll(network_.now_ns);
  }
  void poll() { (void)stage().poll(network_.now_ns); }
  void expect_repairs_at_once() {
    for (uint32_t times = 1; times <= kTimes; ++times) {
      ask();
      for (uint32_t turn = 0; turn <= kMissed / 32 + 1; ++turn) poll();
      EXPECT_EQ(repairs(), times * kMissed);
    }
  }
  [[nodiscard]] uint64_t repairs() { return network_.node(0).sender().counters().repairs; }
  RateControlStage<SimEnv>& stage() { return network_.node(0).rate_control(); }
};

TEST_F(RateControlViewsTest, its_view_lets_nothing_go__expect_every_repair_at_once) {
  publish(Qos::kTotallyResilient, kMissed);
  run_ms(100);  // alone it finds no majority for another view
  ASSERT_EQ(view(0).membership().state(), wire::MemberState::kRecovering);
  publish(Qos::kTotallyResilient, 5);
  ASSERT_EQ(view(0).allowance(), 0u);
  ASSERT_NE(network_.node(0).sender().allowance(), 0u);
  expect_repairs_at_once();
  EXPECT_FALSE(stage().flushed()) << "they still wait";
}

TEST_F(RateControlViewsTest, data_goes__expect_repairs_to_have_their_share_alone) {
  publish(Qos::kReliable, kMissed);
  run_us(50);
  for (uint32_t times = 1; times <= kTimes; ++times) {
    ask();
    for (uint32_t turn = 0; turn < 2; ++turn) {
      publish(Qos::kUnreliable, 1);
      poll();
    }
  }
  EXPECT_LT(repairs(), kTimes * kMissed * 3 / 4);
}

// Its own messages come back to it in their order, in packets of their own.
TEST_F(RateControlViewsTest,
       no_packet_for_what_comes_back_to_it__expect_it_sent_when_there_is_one) {
  sim::NodeWild wild;
  wild.pool.packets = 512;
  TestNetwork network(
      3, [](uint32_t number) { return member_config(number); }, wild);
  network.run_ms(50);
  ASSERT_TRUE(network[0].publish({1}, Qos::kTotallyOrdered));
  auto taken = network[0].env.take_all();
  network.stopped = {true, true, true};
  const uint64_t packets = network.node(0).rate_control().packets();
  (void)network.node(0).rate_control().poll(network.now_ns);
  EXPECT_EQ(network.node(0).rate_control().packets(), packets);
  network[0].env.give_back(taken);
  (void)network.node(0).rate_control().poll(network.now_ns);
  EXPECT_EQ(network.node(0).rate_control().packets(), packets + 1);
}

TEST_F(RateControlViewsTest, source_ordered_behind_ordered_that_may_not_go__expect_it_held_back) {
  network_.stopped = {false, true, true};
  run_ms(100);
  ASSERT_EQ(view(0).allowance(), 0u);
  ASSERT_TRUE(network_[0].publish({1}, Qos::kTotallyOrdered));
  ASSERT_TRUE(network_[0].publish({2}, Qos::kSourceOrdered));
  ASSERT_TRUE(network_[0].publish({3}, Qos::kUnreliable));
  const uint64_t packets = stage().packets();
  poll();
  poll();
  EXPECT_EQ(stage().packets(), packets + 1) << "the unreliable one overtakes";
  EXPECT_GT(stage().next_deadline_ns(), network_.now_ns) << "what waits for the view has no time";
}

TEST_F(RateControlViewsTest, marks_are_due_and_data_waits__expect_the_marks_ahead) {
  // Whoever orders group 1 has marks to say once another's content has come.
  const auto& order = view(0).order();
  const size_t rank = order.marker_of(order.domain_of(1));
  size_t sequencer = 0;
  while (view(sequencer).membership().own_rank() != rank) ++sequencer;
  const size_t other = (sequencer + 1) % 3;
  ASSERT_TRUE(network_[other].publish(counting_bytes(8), Qos::kTotallyOrdered));
  network_[other].poll();
  network_.carry();
  sim::SimNode& node = network_.node(sequencer);
  (void)node.receive().poll(network_.now_ns);
  (void)node.reliability().poll(network_.now_ns);
  (void)node.ordering().poll(network_.now_ns);
  ASSERT_LE(view(sequencer).marks_due_ns(), network_.now_ns);
  EXPECT_LE(node.rate_control().next_deadline_ns(), network_.now_ns);
  for (int i = 0; i < 40; ++i)
    ASSERT_TRUE(network_[sequencer].publish(counting_bytes(8), Qos::kUnreliable));
  network_[sequencer].env.host.frames.clear();
  (void)node.rate_control().poll(network_.now_ns);
  const auto& frames = network_[sequencer].env.host.frames;
  const auto first = std::find_if(frames.begin(), frames.end(), is_data);
  ASSERT_NE(first, frames.end());
  EXPECT_TRUE(sim::FrameView(*first).marks());
  EXPECT_EQ(view(sequencer).marks_due_ns(), ~uint64_t{0}) << "no marks are left";
}

}  // namespace
}  // namespace lambdacast::node
