// SPDX-License-Identifier: BSD-3-Clause
#include "node/reliability_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "test_node.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;
using wire::Qos;

constexpr auto kOrdered = Qos::kSourceOrdered;

// Node 0 publishes to node 1, which a test polls stage by stage.
class ReliabilityStageTest : public ::testing::Test {
 protected:
  void publish(uint8_t number, Qos qos = kOrdered) {
    ASSERT_TRUE(a_.publish({number}, qos)) << int{number};
  }
  // Those numbers, each in a frame of its own, in front of node 1.
  void send(uint8_t first, uint8_t end, Qos qos = kOrdered) {
    for (uint8_t number = first; number < end; ++number) {
      publish(number, qos);
      network_.now_ns += 1'000;
      (void)a_.node->rate_control().poll(network_.now_ns);
      network_.carry();
    }
  }
  void poll_b() {
    (void)b_.node->receive().poll(network_.now_ns);
    (void)stage().poll(network_.now_ns);
  }
  // Node 1 sees no frame of this position, once.
  void lose_position(uint64_t first, uint64_t count = 1) {
    network_.loses = [=](size_t from, size_t, const Bytes& frame) {
      return from == 0 && is_data(frame) && !is_repair(frame) && rel_seq_of(frame) >= first &&
             rel_seq_of(frame) < first + count;
    };
  }
  std::vector<int> numbers() {
    std::vector<int> out;
    for (const Taken& each : b_.messages) out.push_back(each.bytes[0]);
    return out;
  }
  static std::vector<int> counting(int count) {
    std::vector<int> out(static_cast<size_t>(count));
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  [[nodiscard]] uint64_t drops(DropReason reason) { return stage().counters().drops[reason]; }
  ReliabilityStage<SimEnv>& stage() { return b_.node->reliability(); }

  TestNetwork network_{2};
  TestNode& a_ = network_[0];
  TestNode& b_ = network_[1];
};

// --- where each outcome goes ---------------------------------------------------------------------

TEST_F(ReliabilityStageTest, receive_data_in_its_place__expect_it_on_accepted_in_order) {
  network_.join();
  send(0, 5);
  poll_b();
  EXPECT_EQ(b_.on_link(LinkId::kAccepted), 5u);
  (void)b_.node->ordering().poll(network_.now_ns);
  (void)b_.take();
  EXPECT_EQ(numbers(), counting(5));
  EXPECT_STREQ(stage().name(), "reliability");
}

TEST_F(ReliabilityStageTest, receive_data_ahead_of_a_gap__expect_it_held_until_the_gap_has_closed) {
  network_.join();
  lose_position(3);
  send(0, 6);
  poll_b();
  EXPECT_EQ(b_.on_link(LinkId::kAccepted), 2u);
  EXPECT_EQ(b_.node->receiver().kept(), 3u);
  EXPECT_EQ(b_.on_link(LinkId::kSaid), 1u) << "it asks at once";
  network_.run_us(100);
  EXPECT_EQ(numbers(), counting(6));
  EXPECT_EQ(b_.node->receiver().kept(), 0u);
  EXPECT_EQ(a_.node->sender().counters().repairs, 1u);
  EXPECT_EQ(b_.node->receiver().counters().nacks_sent, 1u);
  EXPECT_EQ(b_.node->receiver().repair_ns().count(), 1u);
}

TEST_F(ReliabilityStageTest, receive_reliable_data_ahead_of_a_gap__expect_it_on_accepted_at_once) {
  network_.join();
  lose_position(3);
  send(0, 6, Qos::kReliable);
  poll_b();
  EXPECT_EQ(b_.on_link(LinkId::kAccepted), 5u);
}

TEST_F(ReliabilityStageTest, give_up_a_gap__expect_a_packet_without_a_frame_in_its_place) {
  network_.join();
  network_.loses = [](size_t from, size_t, const Bytes& frame) {
    return from == 0 && is_data(frame) && rel_seq_of(frame) == 3;
  };
  send(0, 6);
  network_.run_us(6'000'000, 5'000);  // beyond repair_deadline
  EXPECT_EQ(numbers(), (std::vector<int>{0, 1, 3, 4, 5}));
  ASSERT_EQ(b_.gaps.size(), 1u);
  EXPECT_EQ(b_.gaps[0].first_rel_seq, 3u);
  EXPECT_EQ(b_.gaps[0].count, 1u);
  const auto told = stage().take_gap();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->first_rel_seq, 3u);
  EXPECT_EQ(told->reason, b_.gaps[0].reason);
  EXPECT_FALSE(stage().take_gap());
  EXPECT_EQ(stage().gap_events_dropped(), 0u);
}

// A gap is offered again until there is a packet to tell it with.
TEST_F(ReliabilityStageTest, give_up_a_gap_without_a_packet__expect_it_told_when_there_is_one) {
  sim::NodeWild wild;
  wild.pool.packets = 100;
  TestNetwork network(2, test_config, wild);
  network.join();
  network.loses = [](size_t from, size_t, const Bytes& frame) {
    return from == 0 && is_data(frame) && rel_seq_of(frame) == 1;
  };
  for (uint8_t i = 0; i < 2; ++i) ASSERT_TRUE(network[0].publish({i}, kOrdered));
  network.run_us(4'800'000, 2'000);
  ASSERT_EQ(network.node(1).receiver().kept(), 1u);
  TestNode& lacking = network[1];
  auto taken = lacking.env.take_all();
  for (int step = 0; step < 200; ++step) {  // beyond repair_deadline
    network[0].poll();
    network.carry();
    (void)lacking.node->receive().poll(network.now_ns);
    (void)lacking.node->reliability().poll(network.now_ns);
    network.now_ns += 2'000'000;
  }
  EXPECT_EQ(lacking.on_link(LinkId::kAccepted), 0u);
  EXPECT_EQ(lacking.node->reliability().next_deadline_ns(), 0u) << "it tries again at once";
  EXPECT_FALSE(lacking.node->reliability().take_gap());
  lacking.env.give_back(taken);
  (void)lacking.node->reliability().poll(network.now_ns);
  EXPECT_EQ(lacking.on_link(LinkId::kAccepted), 2u);
  EXPECT_TRUE(lacking.node->reliability().take_gap());
}

TEST_F(ReliabilityStageTest, receive_control_about_its_own_stream__expect_it_heard_and_counted) {
  network_.join();
  const uint64_t taken = drops(DropReason::kControlTaken);
  // b publishes, a answers with a status about b's stream.
  ASSERT_TRUE(b_.publish({7}, kOrdered));
  network_.run_us(1);
  a_.poll();
  network_.carry();
  while (b_.env.receiver.waiting() == 0) {
    network_.now_ns += 1'000;
    a_.poll();
    network_.carry();
  }
  const uint32_t heard = b_.on_link(LinkId::kHeard);
  poll_b();
  EXPECT_GT(b_.on_link(LinkId::kHeard), heard);
  EXPECT_GT(drops(DropReason::kControlTaken), taken);
  EXPECT_EQ(b_.on_link(LinkId::kAccepted), 0u);
}

TEST_F(ReliabilityStageTest, receive_more_control_than_heard_takes__expect_the_rest_held) {
  network_.join();
  // rate_control takes nothing: statuses pile up in the link of 64.
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(a_.publish({1}, kOrdered));
    network_.now_ns += 100'000;
    a_.poll();
    network_.carry();
    (void)b_.node->receive().poll(network_.now_ns);
    (void)stage().poll(network_.now_ns);
    (void)b_.node->ordering().poll(network_.now_ns);
    (void)b_.take();
    if (stage().heard_waiting() != 0) break;
    network_.now_ns += 10'000'000;  // a says at least that much
  }
  EXPECT_EQ(b_.on_link(LinkId::kHeard), 64u);
  ASSERT_EQ(stage().heard_waiting(), 1u);
  EXPECT_TRUE(b_.node->rx_blocked()) << "or a receiver counts as silent whose status waits here";
  // What comes behind it waits in the link before this stage.
  network_.now_ns += 10'000'000;
  a_.poll();
  network_.carry();
  (void)b_.node->receive().poll(network_.now_ns);
  ASSERT_EQ(b_.on_link(LinkId::kReceived), 2u);
  (void)stage().poll(network_.now_ns);
  EXPECT_EQ(b_.on_link(LinkId::kReceived), 2u);
  (void)b_.node->rate_control().poll(network_.now_ns);
  (void)stage().poll(network_.now_ns);
  EXPECT_EQ(stage().heard_waiting() + b_.on_link(LinkId::kReceived), 0u);
  EXPECT_FALSE(b_.node->rx_blocked());
}

// A heartbeat of another stream tells this node's sender nothing.
TEST_F(ReliabilityStageTest, receive_other_control__expect_it_counted_and_freed) {
  a_.poll();  // its first heartbeat
  network_.carry();
  const uint64_t live = b_.env.packets.live();
  (void)b_.node->receive().poll(network_.now_ns);
  EXPECT_EQ(b_.env.packets.live(), live + 1);
  (void)stage().poll(network_.now_ns);
  EXPECT_EQ(drops(DropReason::kControlTaken), 1u);
  EXPECT_EQ(b_.on_link(LinkId::kHeard), 0u);
  EXPECT_EQ(b_.env.packets.live(), live + b_.on_link(LinkId::kSaid));
}

TEST_F(ReliabilityStageTest, repeat_a_frame__expect_a_duplicate_freed_and_counted) {
  network_.join();
  publish(0);
  (void)a_.node->rate_control().poll(network_.now_ns += 1'000);
  ASSERT_EQ(a_.env.host.frames.size(), 1u);
  const Bytes frame = a_.env.host.frames[0];
  network_.carry();
  b_.env.arrive(frame);
  poll_b();
  EXPECT_EQ(b_.on_link(LinkId::kAccepted), 1u);
  EXPECT_EQ(drops(DropReason::kDuplicate), 1u);
  EXPECT_EQ(b_.env.host.outcomes.back(), DropReason::kDuplicate);
}

TEST_F(ReliabilityStageTest, receive_what_was_published_before_it_joined__expect_not_joined) {
  ASSERT_TRUE(a_.publish({1}, Qos::kReliable));
  a_.poll();
  network_.carry();
  EXPECT_EQ(a_.node->sender().window().size(), 0u) << "retained for nobody";
  poll_b();
  EXPECT_EQ(drops(DropReason::kNotJoined), 1u);
}

// --- full links ----------------------------------------------------------------------------------

TEST_F(ReliabilityStageTest, fill_the_link_behind__expect_the_pull_to_stop_and_nothing_lost) {
  network_.join();
  for (uint8_t i = 0; i < 200; ++i) {
    while (!a_.publish({i}, kOrdered)) {
      network_.now_ns += 1'000;
      a_.poll();
      network_.carry();
    }
    network_.now_ns += 1'000;
    a_.poll();
    network_.carry();
    poll_b();  // ordering takes nothing away
  }
  EXPECT_EQ(b_.on_link(LinkId::kAccepted), 64u);
  EXPECT_EQ(b_.on_link(LinkId::kReceived), 64u);
  EXPECT_TRUE(b_.node->rx_blocked());
  network_.run_us(5'000);
  EXPECT_EQ(numbers(), counting(200));
  EXPECT_FALSE(b_.node->rx_blocked());
}

TEST_F(ReliabilityStageTest, take_nothing_for_longer_than_suspicion__expect_it_waited_for) {
  network_.join();
  int published = 0;
  for (int step = 0; step < 5'000; ++step) {  // 5 s, suspect_after is 2 s
    network_.now_ns += 1'000'000;
    if (a_.publish({static_cast<uint8_t>(published)}, kOrdered)) ++published;
    a_.poll();
    network_.carry();
    poll_b();
    (void)b_.node->rate_control().poll(network_.now_ns);
    network_.carry();
  }
  EXPECT_TRUE(b_.node->rx_blocked());
  EXPECT_EQ(a_.node->rate_control().receivers(), 1u);
  EXPECT_EQ(b_.node->rate_control().receivers(), 1u);
  network_.run_us(20'000, 10);
  const std::vector<int> got = numbers();
  ASSERT_EQ(got.size(), static_cast<size_t>(published));
  for (int i = 0; i < published; ++i) EXPECT_EQ(got[static_cast<size_t>(i)], i % 256);
}

TEST_F(ReliabilityStageTest, have_more_to_say_than_the_link_takes__expect_the_rest_said_later) {
  network_.join();
  // Its rate_control takes nothing: 64 statuses stand in kSaid, and no more packets are used up.
  for (int i = 0; i < 100; ++i) {
    network_.now_ns += 20'000'000;
    (void)stage().poll(network_.now_ns);
  }
  EXPECT_EQ(b_.on_link(LinkId::kSaid), 64u);
  EXPECT_EQ(b_.env.packets.live(), 64u);
}

// --- runs ----------------------------------------------------------------------------------------

TEST_F(ReliabilityStageTest, lose_frames_within_a_burst__expect_the_runs_around_them_in_order) {
  network_.join();
  lose_position(21, 5);
  std::vector<int> expected;
  for (uint8_t i = 0; i < 60; ++i) {
    publish(i);
    if (i % 20 == 19) (void)a_.node->rate_control().poll(network_.now_ns += 1'000);
  }
  network_.carry();
  network_.run_us(500);
  EXPECT_EQ(numbers(), counting(60));
  EXPECT_GT(stage().in_runs(), 40u);
  EXPECT_EQ(b_.node->receiver().report(0).repaired, 5u);
  EXPECT_EQ(b_.node->frames().total().missing, 5u);
}

// --- who is there --------------------------------------------------------------------------------

TEST_F(ReliabilityStageTest, stop_a_receiver__expect_both_sides_told_once) {
  using What = reliability::ReceiverEvent::What;
  network_.join();
  auto event = a_.node->rate_control().take_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->what, What::kJoined);
  EXPECT_FALSE(a_.node->rate_control().take_event());

  // b is stopped for longer than suspect_after, and loses what comes meanwhile.
  network_.stopped[1] = true;
  network_.loses = [](size_t, size_t to, const Bytes&) { return to == 1; };
  for (uint8_t i = 0; i < 10; ++i) publish(i);
  network_.run_us(2'500'000, 5'000);
  EXPECT_EQ(a_.node->rate_control().receivers(), 0u);
  event = a_.node->rate_control().take_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->what, What::kEvictedSilent);
  EXPECT_EQ(event->position, 0u);
  EXPECT_EQ(a_.node->peers().at(event->peer).gid, b_.node->identity().gid);
  EXPECT_FALSE(stage().take_gap());

  network_.stopped[1] = false;
  network_.loses = {};
  network_.join();
  network_.run_us(20'000, 10);
  auto gap = stage().take_gap();
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->reason, reliability::LossReason::kEvicted);
  EXPECT_EQ(gap->count, 0u) << "that it was cut off";
  gap = stage().take_gap();
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->first_rel_seq, 1u);
  EXPECT_EQ(gap->count, 10u);
  EXPECT_FALSE(stage().take_gap());
  ASSERT_EQ(b_.gaps.size(), 1u);
  EXPECT_EQ(b_.gaps[0].count, 10u);
  publish(77);
  network_.run_us(500);
  EXPECT_EQ(numbers(), std::vector<int>{77});
}

TEST_F(ReliabilityStageTest, quiesce_it__expect_it_to_say_nothing_any_more) {
  network_.join();
  network_.run_us(100);
  stage().quiesce();
  const uint32_t said = b_.on_link(LinkId::kSaid);
  network_.now_ns += 100'000'000;
  (void)stage().poll(network_.now_ns);
  EXPECT_EQ(b_.on_link(LinkId::kSaid), said);
}

// --- deadlines -----------------------------------------------------------------------------------

TEST_F(ReliabilityStageTest, poll_before_its_deadline__expect_nothing_and_at_it_something_said) {
  network_.join();
  network_.run_us(50'000, 10);
  b_.poll();
  const uint64_t due_ns = stage().next_deadline_ns();
  ASSERT_GT(due_ns, network_.now_ns);
  ASSERT_NE(due_ns, Stage::kNever);
  const uint64_t before = b_.node->receiver().counters().statuses_sent;
  EXPECT_EQ(stage().poll(due_ns - 1), 0u);
  EXPECT_EQ(b_.node->receiver().counters().statuses_sent, before);
  uint64_t at_ns = due_ns;
  for (int i = 0; i < 1'000 && b_.on_link(LinkId::kSaid) == 0; ++i) {
    (void)stage().poll(at_ns);
    at_ns = std::max(at_ns + 1, stage().next_deadline_ns());
  }
  EXPECT_EQ(b_.on_link(LinkId::kSaid), 1u);
  EXPECT_LE(at_ns, network_.now_ns + 21'000'000) << "status_max twice";
}

TEST_F(ReliabilityStageTest, link_behind_fills_and_empties__expect_a_deadline_to_say_so) {
  network_.join();
  send(0, 40);
  poll_b();
  poll_b();
  send(40, 80);
  poll_b();
  ASSERT_EQ(b_.on_link(LinkId::kAccepted), 64u);
  EXPECT_EQ(stage().next_deadline_ns(), 0u) << "the flag is not up";
  (void)stage().poll(network_.now_ns);
  EXPECT_TRUE(b_.node->rx_blocked());
  EXPECT_GT(stage().next_deadline_ns(), network_.now_ns);
  (void)b_.node->ordering().poll(network_.now_ns);
  EXPECT_EQ(stage().next_deadline_ns(), 0u) << "the flag is still up";
}

}  // namespace
}  // namespace lambdacast::node
