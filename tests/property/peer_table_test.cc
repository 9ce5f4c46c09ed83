// SPDX-License-Identifier: BSD-3-Clause
// PeerTable against a std::map, in tables from one place to many, often full.

#include "node/peer_table.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "base/random.h"

namespace lambdacast::node {
namespace {

wire::Gid draw_gid(base::SplitMix64& random, uint64_t distinct) {
  const auto number = static_cast<uint32_t>(random.below(distinct));
  if (random.below(2) == 0) return wire::gid_from_ipv4(0x0a000000 + number);
  wire::Gid gid;
  gid.bytes[0] = 0xfd;
  base::store_be32(&gid.bytes[4], number);  // differ in the upper half only
  return gid;
}

TEST(PeerTableProperty, random_lookups__expect_what_a_map_says) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    base::SplitMix64 random(seed);
    const size_t capacity = 1 + random.below(100);
    PeerTable table(capacity);
    std::map<std::pair<wire::Gid, uint32_t>, uint16_t> model;
    const uint64_t distinct = 1 + random.below(60);
    for (int step = 0; step < 3000; ++step) {
      const wire::Gid gid = draw_gid(random, distinct);
      const auto qpn = static_cast<uint32_t>(16 + random.below(3));
      const auto known = model.find({gid, qpn});
      const uint16_t wanted = known != model.end()      ? known->second
                              : model.size() < capacity ? static_cast<uint16_t>(model.size())
                                                        : kNoPeer;
      if (random.below(3) == 0) {
        ASSERT_EQ(table.find(gid, qpn), known != model.end() ? known->second : kNoPeer);
        continue;
      }
      const uint16_t found = random.below(8) == 0 ? table.add(gid, qpn, "named")
                                                  : table.find_or_learn(gid, qpn, step + 1);
      ASSERT_EQ(found, wanted) << "seed " << seed << " step " << step;
      if (wanted != kNoPeer) model.emplace(std::pair(gid, qpn), wanted);
      ASSERT_EQ(table.size(), model.size());
    }
    for (const auto& [key, peer] : model) {
      ASSERT_EQ(table.at(peer).gid, key.first);
      ASSERT_EQ(table.at(peer).qpn, key.second);
    }
  }
}

}  // namespace
}  // namespace lambdacast::node
