// SPDX-License-Identifier: BSD-3-Clause
#include "node/peer_table.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace {

wire::Gid gid(uint32_t number) { return wire::gid_from_ipv4(0x0a000000 + number); }

TEST(PeerTable, learn__expect_dense_indices_in_order_of_arrival) {
  PeerTable table(8);
  EXPECT_EQ(table.find_or_learn(gid(5), 16, 100), 0);
  EXPECT_EQ(table.find_or_learn(gid(3), 16, 200), 1);
  EXPECT_EQ(table.find_or_learn(gid(5), 16, 300), 0);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.at(0).gid, gid(5));
  EXPECT_EQ(table.at(0).first_seen_ns, 100u);
  EXPECT_EQ(table.at(1).qpn, 16u);
}

TEST(PeerTable, same_gid_other_qpn__expect_another_peer) {
  PeerTable table(8);
  EXPECT_EQ(table.find_or_learn(gid(5), 16, 1), 0);
  EXPECT_EQ(table.find_or_learn(gid(5), 17, 1), 1);
  EXPECT_EQ(table.find(gid(5), 16), 0);
}

TEST(PeerTable, find_a_stranger__expect_no_peer) {
  PeerTable table(8);
  EXPECT_EQ(table.find(gid(1), 16), kNoPeer);
  EXPECT_EQ(table.find(wire::Gid{}, 0), kNoPeer);  // an empty slot is nobody
  EXPECT_EQ(table.size(), 0u);
}

TEST(PeerTable, full__expect_newcomers_refused_and_the_known_found) {
  PeerTable table(3);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(table.find_or_learn(gid(i), 16, 1), i);
  EXPECT_EQ(table.find_or_learn(gid(9), 16, 1), kNoPeer);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(table.find_or_learn(gid(i), 16, 1), i);
  EXPECT_EQ(table.add(gid(9), 16, "late"), kNoPeer);
}

TEST(PeerTable, name_before_hearing__expect_first_seen_set_by_the_first_frame) {
  PeerTable table(4);
  EXPECT_EQ(table.add(gid(1), 16, "node1"), 0);
  EXPECT_STREQ(table.at(0).name, "node1");
  EXPECT_EQ(table.at(0).first_seen_ns, 0u);
  EXPECT_EQ(table.find_or_learn(gid(1), 16, 77), 0);
  EXPECT_EQ(table.at(0).first_seen_ns, 77u);
}

TEST(PeerTable, name_again_or_too_long__expect_the_last_name_cut) {
  PeerTable table(4);
  EXPECT_EQ(table.add(gid(1), 16, std::string(100, 'x')), 0);
  EXPECT_EQ(std::string_view(table.at(0).name), std::string(31, 'x'));
  EXPECT_EQ(table.add(gid(1), 16, "a"), 0);
  EXPECT_STREQ(table.at(0).name, "a");
}

TEST(PeerTable, capacity_out_of_range__expect_it_clamped) {
  EXPECT_EQ(PeerTable(0).max_peers(), 1u);
  EXPECT_EQ(PeerTable(1'000'000).max_peers(), PeerTable::kMaxPeers);
}

// --- places that are used again ------------------------------------------------------------------

PeerName name(uint32_t number, uint32_t qpn) { return {gid(number), qpn}; }

TEST(PeerTable, full__expect_the_first_newcomer_remembered_until_it_is_forgotten) {
  PeerTable table(1);
  (void)table.find_or_learn(gid(0), 16, 1);
  EXPECT_EQ(table.newcomer(), nullptr);
  EXPECT_EQ(table.find_or_learn(gid(1), 17, 2), kNoPeer);
  EXPECT_EQ(table.find_or_learn(gid(2), 18, 3), kNoPeer);
  ASSERT_NE(table.newcomer(), nullptr);
  EXPECT_EQ(*table.newcomer(), name(1, 17));
  table.forget_newcomer();
  EXPECT_EQ(table.newcomer(), nullptr);
}

TEST(PeerTable, hear_a_peer_whose_place_is_withdrawn__expect_it_to_have_it_again) {
  PeerTable table(2);
  (void)table.find_or_learn(gid(0), 16, 1);
  (void)table.find_or_learn(gid(1), 16, 1);
  table.withdraw(0);
  EXPECT_TRUE(table.withdrawn(0));
  EXPECT_EQ(table.find(gid(0), 16), kNoPeer) << "a stranger to the fast path";
  EXPECT_EQ(table.find(gid(1), 16), 1);
  EXPECT_EQ(table.find_or_learn(gid(0), 16, 2), 0);
  EXPECT_FALSE(table.withdrawn(0));
  EXPECT_EQ(table.find(gid(0), 16), 0);
  EXPECT_EQ(table.newcomer(), nullptr);
}

TEST(PeerTable, give_a_place_to_the_newcomer__expect_its_name_there_and_the_old_one_a_stranger) {
  PeerTable table(2);
  (void)table.find_or_learn(gid(0), 16, 1);
  (void)table.find_or_learn(gid(1), 16, 1);
  (void)table.find_or_learn(gid(0), 17, 5);
  table.withdraw(0);
  table.give_to_newcomer(0, 9);
  EXPECT_EQ(table.newcomer(), nullptr);
  EXPECT_EQ(table.find(gid(0), 17), 0);
  EXPECT_FALSE(table.withdrawn(0));
  EXPECT_EQ(table.at(0).qpn, 17u);
  EXPECT_EQ(table.at(0).first_seen_ns, 9u);
  EXPECT_EQ(table.name_of(0), name(0, 17));
  EXPECT_EQ(table.name_of(1), name(1, 16));
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.find_or_learn(gid(0), 16, 10), kNoPeer);
  EXPECT_EQ(*table.newcomer(), name(0, 16));
}

TEST(PeerTable, name_by_configuration__expect_the_place_kept) {
  PeerTable table(2);
  EXPECT_EQ(table.add(gid(0), 16, ""), 0);
  EXPECT_EQ(table.find_or_learn(gid(1), 16, 1), 1);
  EXPECT_TRUE(table.keeps(0));
  EXPECT_FALSE(table.keeps(1));
}

}  // namespace
}  // namespace lambdacast::node
