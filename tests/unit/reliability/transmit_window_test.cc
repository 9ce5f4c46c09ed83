// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/transmit_window.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::reliability {
namespace transmit_window_test {

PacketHandle packet(uint64_t number) { return static_cast<PacketHandle>(number); }

std::vector<PacketHandle> release(TransmitWindow& window, uint64_t before) {
  std::vector<PacketHandle> out;
  window.release_before(before, [&](uint64_t position, const TransmitWindow::Slot& slot) {
    EXPECT_EQ(&slot, &window.at(position));
    out.push_back(slot.packet);
  });
  return out;
}

TEST(TransmitWindow, begin__expect_nothing_retained_behind_the_last_position) {
  const TransmitWindow window(64, 1'000, 41);
  EXPECT_EQ(window.last(), 41u);
  EXPECT_EQ(window.oldest(), 42u);
  EXPECT_EQ(window.size(), 0u);
  EXPECT_FALSE(window.retains(41));
  EXPECT_FALSE(window.retains(42));
}

TEST(TransmitWindow, retain__expect_consecutive_positions_and_their_slots) {
  TransmitWindow window(64, 1'000, 41);
  EXPECT_EQ(window.retain(packet(1), 100, 5'000, 50), 42u);
  EXPECT_EQ(window.retain(packet(2), 200, 6'000, 60), 43u);
  EXPECT_TRUE(window.retains(42));
  EXPECT_TRUE(window.retains(43));
  EXPECT_FALSE(window.retains(44));
  EXPECT_EQ(window.at(43).packet, packet(2));
  EXPECT_EQ(window.at(43).sent_ns, 6'000u);
  EXPECT_EQ(window.at(43).sent_uptime_ns, 60u);
  EXPECT_EQ(window.bytes(), 300u);
}

TEST(TransmitWindow, release__expect_the_oldest_given_back_in_order_and_no_more_than_sent) {
  TransmitWindow window(64, 1'000, 0);
  for (uint64_t i = 1; i <= 3; ++i) (void)window.retain(packet(i), 100, 0, 0);
  EXPECT_EQ(release(window, 3), (std::vector<PacketHandle>{packet(1), packet(2)}));
  EXPECT_EQ(window.oldest(), 3u);
  EXPECT_EQ(window.bytes(), 100u);
  EXPECT_EQ(release(window, 1'000), std::vector<PacketHandle>{packet(3)});
  EXPECT_EQ(window.oldest(), 4u);
  EXPECT_EQ(window.bytes(), 0u);
}

TEST(TransmitWindow, fill_it__expect_the_capacity_and_the_bytes_said) {
  TransmitWindow window(64, 1'000, 0);
  for (uint64_t i = 1; i <= 64; ++i) {
    EXPECT_EQ(window.bytes_used_up(), i > 10);
    (void)window.retain(packet(i), 100, 0, 0);
  }
  EXPECT_EQ(window.size(), window.capacity_pkts());
}

TEST(TransmitWindow, use_a_slot_again__expect_nothing_of_its_last_packet) {
  TransmitWindow window(64, 100'000, 0);
  (void)window.retain(packet(1), 100, 0, 0);
  window.at(1).queued = true;
  window.note_missed(1, 7);
  window.at(1).repaired_ns = 9;
  (void)release(window, 2);
  for (uint64_t i = 2; i <= 65; ++i) (void)window.retain(packet(i), 100, 0, 0);
  EXPECT_FALSE(window.at(65).queued);
  EXPECT_FALSE(window.at(65).missed);
  EXPECT_EQ(window.at(65).repaired_ns, 0u);
  window.note_missed(65, 8);
  EXPECT_EQ(window.missed_by(65), base::NodeSet::of(8));
}

TEST(TransmitWindow, note_who_missed__expect_each_receiver_that_has_a_number_in_the_set) {
  TransmitWindow window(64, 1'000, 0);
  (void)window.retain(packet(1), 100, 0, 0);
  window.note_missed(1, base::NodeSet::kCapacity);
  EXPECT_FALSE(window.at(1).missed);
  for (const size_t receiver : {3, 79, 127, 79}) window.note_missed(1, receiver);
  EXPECT_TRUE(window.at(1).missed);
  base::NodeSet expected;
  for (const size_t receiver : {3, 79, 127}) expected.add(receiver);
  EXPECT_EQ(window.missed_by(1), expected);
}

}  // namespace transmit_window_test
}  // namespace lambdacast::reliability
