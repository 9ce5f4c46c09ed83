// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/designated_nackers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lambdacast::reliability {
namespace {

wire::StreamName stream(uint32_t number, uint32_t incarnation = 1) {
  return {wire::gid_from_ipv4(0x0a000000 + number), 0x10, incarnation};
}

// The kFirstAskers of `receivers` for a position of sender 0, as everybody computes them.
std::vector<uint32_t> designated_nackers(uint32_t receivers, uint64_t position) {
  std::vector<std::pair<uint64_t, uint32_t>> ranks;
  for (uint32_t i = 1; i <= receivers; ++i) {
    ranks.emplace_back(asker_rank(name_hash(stream(i)), name_hash(stream(0)), position), i);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.resize(std::min<size_t>(ranks.size(), kFirstAskers));
  std::vector<uint32_t> out;
  for (const auto& [rank, receiver] : ranks) out.push_back(receiver);
  return out;
}

TEST(DesignatedNackers, hash_names__expect_the_incarnation_left_out) {
  EXPECT_EQ(name_hash(stream(1, 1)), name_hash(stream(1, 2)));
  EXPECT_NE(name_hash(stream(1)), name_hash(stream(2)));
  wire::StreamName other_queue_pair = stream(1);
  other_queue_pair.qpn = 0x12;
  EXPECT_NE(name_hash(stream(1)), name_hash(other_queue_pair));
}

TEST(DesignatedNackers, rank_in_one_block__expect_the_same_order_throughout) {
  EXPECT_EQ(designated_nackers(64, 0), designated_nackers(64, kAskerBlock - 1));
  EXPECT_NE(designated_nackers(64, 0), designated_nackers(64, kAskerBlock));
}

TEST(DesignatedNackers, rank_many_blocks__expect_the_work_shared_out) {
  constexpr uint32_t kReceivers = 63;
  constexpr uint64_t kBlocks = 4096;
  std::vector<uint64_t> asked(kReceivers + 1);
  for (uint64_t block = 0; block < kBlocks; ++block) {
    for (const uint32_t receiver : designated_nackers(kReceivers, block * kAskerBlock))
      ++asked[receiver];
  }
  // 520 each on average, 21 the standard deviation: five of those.
  const uint64_t average = kBlocks * kFirstAskers / kReceivers;
  for (uint32_t i = 1; i <= kReceivers; ++i) {
    EXPECT_NEAR(static_cast<double>(asked[i]), static_cast<double>(average), 110) << i;
  }
}

TEST(DesignatedNackers, consider_in_any_order__expect_those_of_the_smallest_ranks) {
  for (uint64_t offset = 0; offset < 20; ++offset) {
    DesignatedNackers first;
    for (uint64_t i = 0; i < 20; ++i) {
      const uint64_t rank = (i * 7 + offset) % 20;
      first.consider(10 * rank, static_cast<uint16_t>(rank));
      EXPECT_TRUE(i + 1 >= kFirstAskers || first.include(~uint64_t{0}));
    }
    EXPECT_TRUE(first.include(10 * kFirstAskers - 11));
    EXPECT_FALSE(first.include(10 * kFirstAskers - 9));
    uint64_t peers = 0;
    (void)first.all_asked_ns([&](uint16_t peer) { return peers |= uint64_t{1} << peer; });
    EXPECT_EQ(peers, 0xffu);
    first.clear();
    EXPECT_TRUE(first.include(~uint64_t{0}));
  }
}

TEST(DesignatedNackers, hear_all_but_two_or_three_ask__expect_when_six_had) {
  DesignatedNackers first;
  for (uint16_t peer = 0; peer < kFirstAskers; ++peer) first.consider(peer, peer);
  const auto heard = [&](uint16_t not_heard) {
    return first.all_asked_ns([=](uint16_t peer) { return peer < not_heard ? 0u : 100u + peer; });
  };
  EXPECT_EQ(heard(0), 102u);
  EXPECT_EQ(heard(2), 102u);
  EXPECT_EQ(heard(3), 0u);
}

TEST(DesignatedNackers, listen__expect_three_quarters_of_a_round_trip_up_to_a_whole_one) {
  EXPECT_EQ(listening_ns(1'000, 0), 750u);
  EXPECT_EQ(listening_ns(1'000, 300), 800u);
  EXPECT_EQ(listening_ns(1'000, 5'000), 1'000u);
  EXPECT_EQ(listening_ns(1, 0), 1u);
}

}  // namespace
}  // namespace lambdacast::reliability
