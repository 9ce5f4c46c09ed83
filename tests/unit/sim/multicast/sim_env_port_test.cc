// SPDX-License-Identifier: BSD-3-Clause
// The port of a simulated node: what it receives, takes, refuses and gives back late.
#include "sim_env_fixture.h"

namespace lambdacast::sim {
namespace sim_env_port_test {

TEST_F(SimEnvTest, receive_short_bursts__expect_some_fewer_than_wait_and_all_in_the_end) {
  SimReceiver receiver(packets_, {.short_burst = 0.5}, 1);
  for (uint8_t i = 0; i < 30; ++i) receiver.arrive(frame(i));
  std::vector<uint8_t> numbers;
  int bursts = 0;
  while (receiver.waiting() != 0) {
    SimPacket* got[8];
    const uint32_t count = receiver.receive(got, 8);
    ASSERT_GT(count, 0u);
    for (uint32_t i = 0; i < count; ++i) numbers.push_back(got[i]->bytes[0]);
    packets_.free(got, count);
    ++bursts;
  }
  EXPECT_GT(bursts, 4);
  EXPECT_EQ(numbers, counting(30));
}

TEST_F(SimEnvTest,
       receive_with_an_empty_pool__expect_the_descriptors_used_up_and_the_rest_to_wait) {
  SimReceiver receiver(packets_, {}, 1);
  std::vector<SimPacket*> all(kMost);
  ASSERT_TRUE(packets_.allocate(all.data(), kMost));
  for (uint8_t i = 0; i < 200; ++i) receiver.arrive(frame(i));
  std::vector<SimPacket*> got(200);
  const uint32_t first = receiver.receive(got.data(), 200);
  EXPECT_LT(first, 200u);
  EXPECT_EQ(receiver.receive(got.data() + first, 200), 0u);
  EXPECT_EQ(receiver.waiting(), 200u - first);
  packets_.free(all.data(), 3);
  EXPECT_EQ(receiver.receive(got.data() + first, 200), 3u);
}

// --- the transmitting side -----------------------------------------------------------------------

TEST_F(SimEnvTest, transmit_calmly__expect_all_sent_and_given_back_but_what_is_kept) {
  SimTransmitter port = transmitter({});
  auto made = several(3);
  packets_.keep(made[1]);
  EXPECT_EQ(port.transmit(made.data(), 3), 3u);
  EXPECT_EQ(host_.sent, counting(3));
  EXPECT_EQ(packets_.live(), 1u);
  EXPECT_FALSE(packets_.shared(made[1])) << "its sender's alone";
  EXPECT_EQ(port.next_event_ns(), kNever);
  packets_.free(made[1]);
}

TEST_F(SimEnvTest, transmit_partial_bursts__expect_the_first_ones_taken_and_it_counted) {
  SimTransmitter port = transmitter({.partial_burst = 1});
  auto made = several(8);
  uint32_t sent = 0;
  while (sent < 7) {
    const uint32_t taken = port.transmit(made.data() + sent, 8 - sent);
    ASSERT_GT(taken, 0u);
    ASSERT_LT(taken, 8 - sent);
    sent += taken;
  }
  EXPECT_GT(port.counts().partial_bursts, 0u);
  EXPECT_EQ(port.transmit(made.data() + 7, 1), 1u) << "there is no part of one";
  EXPECT_EQ(host_.sent, counting(8));
  now_ns_ = kCalmNs;
  made = several(8);
  EXPECT_EQ(port.transmit(made.data(), 8), 8u);
}

TEST_F(SimEnvTest, transmit_to_a_port_that_refuses__expect_nothing_taken_and_when_it_will) {
  SimTransmitter port = transmitter({.refusal = 1, .refusal_ns = 1'000});
  auto made = several(2);
  now_ns_ = 10;
  EXPECT_EQ(port.transmit(made.data(), 2), 0u);
  EXPECT_EQ(port.counts().refusals, 1u);
  const uint64_t until_ns = port.next_event_ns();
  EXPECT_GT(until_ns, now_ns_);
  EXPECT_LE(until_ns, 1'010u);
  now_ns_ = 11;
  EXPECT_EQ(port.transmit(made.data(), 2), 0u);
  EXPECT_EQ(port.counts().refusals, 1u) << "still the same one";
  now_ns_ = kCalmNs;
  EXPECT_EQ(port.transmit(made.data(), 2), 2u);
  EXPECT_EQ(host_.sent, counting(2));
  EXPECT_EQ(host_.offered, std::vector<uint64_t>(2, 10)) << "when it refused them first";
  EXPECT_EQ(port.next_event_ns(), kNever);
}

TEST_F(SimEnvTest, free_late__expect_packets_with_the_port_until_it_is_asked_in_time) {
  SimTransmitter port = transmitter({.late_free_ns = 1'000});
  auto made = several(8);
  EXPECT_EQ(port.transmit(made.data(), 8), 8u);
  EXPECT_EQ(host_.sent, counting(8)) << "it sends at once";
  EXPECT_EQ(packets_.live(), 8u);
  port.reclaim();
  EXPECT_GT(packets_.live(), 0u);
  EXPECT_GT(port.counts().late_frees, 0u);
  EXPECT_LE(port.next_event_ns(), 1'000u);
  now_ns_ = 1'000;
  EXPECT_GT(packets_.live(), 0u) << "some look only when they are asked";
  EXPECT_EQ(port.next_event_ns(), kNever) << "nobody has to look for what is due";
  port.reclaim();
  EXPECT_EQ(packets_.live(), 0u);
  EXPECT_EQ(port.next_event_ns(), kNever);
  EXPECT_TRUE(host_.misuses.empty());
}

TEST_F(SimEnvTest, free_late_and_then_calm__expect_everything_back_when_asked) {
  SimTransmitter port = transmitter({.late_free_ns = 100 * kCalmNs});
  auto made = several(8);
  EXPECT_EQ(port.transmit(made.data(), 8), 8u);
  EXPECT_LE(port.next_event_ns(), kCalmNs);
  now_ns_ = kCalmNs;
  port.reclaim();
  EXPECT_EQ(packets_.live(), 0u);
}

TEST_F(SimEnvTest, change_a_packet_that_the_port_has__expect_it_told) {
  SimTransmitter port = transmitter({.late_free_ns = 1'000});
  SimPacket* changed = packet(1);
  packets_.share(changed);
  EXPECT_EQ(port.transmit(&changed, 1), 1u);
  changed->bytes[50] ^= 1;
  now_ns_ = 1'000;
  port.reclaim();
  ASSERT_EQ(host_.misuses.size(), 1u);
  EXPECT_NE(host_.misuses[0].find("changes"), std::string::npos);
  packets_.free(changed);
}

TEST_F(SimEnvTest, give_back_what_the_port_has__expect_it_told) {
  SimTransmitter port = transmitter({.late_free_ns = 1'000});
  SimPacket* lost = packet(1);
  EXPECT_EQ(port.transmit(&lost, 1), 1u);
  packets_.free(lost);  // the port's reference
  now_ns_ = 1'000;
  port.reclaim();
  EXPECT_FALSE(host_.misuses.empty());
}

TEST_F(SimEnvTest, transmit_what_was_given_back__expect_it_told) {
  SimTransmitter port = transmitter({});
  SimPacket* gone = packet(1);
  packets_.free(gone);
  EXPECT_EQ(port.transmit(&gone, 1), 1u);
  EXPECT_FALSE(host_.misuses.empty());
}

TEST_F(SimEnvTest, destroy_a_port_with_packets__expect_them_back) {
  {
    SimTransmitter port = transmitter({.late_free_ns = 1'000});
    auto made = several(3);
    EXPECT_EQ(port.transmit(made.data(), 3), 3u);
    EXPECT_EQ(packets_.live(), 3u);
  }
  EXPECT_EQ(packets_.live(), 0u);
}

}  // namespace sim_env_port_test
}  // namespace lambdacast::sim
