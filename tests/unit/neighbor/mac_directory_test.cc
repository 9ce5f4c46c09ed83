// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/mac_directory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace lambdacast::neighbor {
namespace {

wire::MacAddress mac(uint8_t last) { return {{2, 0x10, 0x20, 0x30, 0x40, last}}; }

TEST(MacDirectory, publish_a_table__expect_what_is_usable) {
  NeighborTable table({.max_neighbors = 4});
  MacDirectory directory(4);
  const wire::Gid a = wire::gid_from_ipv4(1);
  const wire::Gid b = wire::gid_from_ipv4(2);
  table.add_permanent(a, mac(1));
  (void)table.resolve(b, 1);
  EXPECT_FALSE(directory.find(a));
  const uint64_t before = directory.generation();
  directory.publish(table);
  EXPECT_NE(directory.generation(), before);
  EXPECT_EQ(directory.find(a), mac(1));
  EXPECT_FALSE(directory.find(b));
  (void)table.hear({b, mac(2), true}, 2);
  directory.publish(table);
  EXPECT_EQ(directory.find(b), mac(2));
}

TEST(MacDirectory, publish_without_a_change__expect_the_same_generation) {
  NeighborTable table({.max_neighbors = 4});
  MacDirectory directory(4);
  table.add_permanent(wire::gid_from_ipv4(1), mac(1));
  directory.publish(table);
  const uint64_t before = directory.generation();
  directory.publish(table);
  EXPECT_EQ(directory.generation(), before);
}

TEST(MacDirectory, read_while_it_is_written__expect_only_whole_addresses) {
  NeighborTable table({.max_neighbors = 1});
  MacDirectory directory(1);
  const wire::Gid gids[] = {wire::gid_from_ipv4(1), {{0xfd, 1, 2, 3, 4, 5, 6, 7}}};
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done.load()) {
      for (uint8_t i = 0; i < 2; ++i) {
        const auto found = directory.find(gids[i]);
        if (found) {
          EXPECT_EQ(*found, mac(i));
        }
      }
    }
  });
  for (int round = 0; round < 20'000; ++round) {
    const auto i = static_cast<uint8_t>(round % 2);
    (void)table.resolve(gids[i], 1);
    (void)table.hear({gids[i], mac(i), true}, 1);
    directory.publish(table);
  }
  done = true;
  reader.join();
}

}  // namespace
}  // namespace lambdacast::neighbor
