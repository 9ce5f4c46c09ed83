// SPDX-License-Identifier: BSD-3-Clause
// PeerTable against a std::map, in tables from one place to many, often full.

#include "node/peer_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

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

// Places are withdrawn, taken again by their peers and given to newcomers, in a table that is
// always nearly full: whatever is erased, nobody else is lost.
TEST(PeerTableProperty, random_successions__expect_what_a_map_says) {
  using Key = std::pair<wire::Gid, uint32_t>;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::SplitMix64 random(seed);
    const size_t capacity = 1 + random.below(40);
    PeerTable table(capacity);
    std::map<Key, uint16_t> model;
    std::vector<Key> holder;  // by place
    std::set<uint16_t> withdrawn;
    const uint64_t distinct = 1 + capacity;
    for (int step = 0; step < 3000; ++step) {
      if (!holder.empty() && random.below(3) == 0) {
        const auto place = static_cast<uint16_t>(random.below(holder.size()));
        table.withdraw(place);
        withdrawn.insert(place);
      }
      if (table.newcomer() != nullptr && !withdrawn.empty() && random.below(2) == 0) {
        const uint16_t place = *withdrawn.begin();
        const Key key{table.newcomer()->gid, table.newcomer()->qpn};
        if (model.contains(key)) {  // its own place came free and it took that one
          table.forget_newcomer();
          continue;
        }
        model.erase(holder[place]);
        table.give_to_newcomer(place, 1);
        model[key] = place;
        holder[place] = key;
        withdrawn.erase(place);
      }
      const Key key{draw_gid(random, distinct), static_cast<uint32_t>(16 + random.below(3))};
      const auto known = model.find(key);
      const bool found = known != model.end() && !withdrawn.contains(known->second);
      ASSERT_EQ(table.find(key.first, key.second), found ? known->second : kNoPeer);
      if (random.below(2) == 0) continue;
      const uint16_t wanted = known != model.end()       ? known->second
                              : holder.size() < capacity ? static_cast<uint16_t>(holder.size())
                                                         : kNoPeer;
      ASSERT_EQ(table.find_or_learn(key.first, key.second, 1), wanted) << seed << ", " << step;
      if (wanted == kNoPeer) continue;
      withdrawn.erase(wanted);
      if (wanted == holder.size()) holder.push_back(key);
      model[key] = wanted;
    }
    for (const auto& [key, place] : model) {
      ASSERT_EQ(table.name_of(place), (PeerName{key.first, key.second}));
      ASSERT_EQ(table.withdrawn(place), withdrawn.contains(place));
    }
  }
}

}  // namespace
}  // namespace lambdacast::node
