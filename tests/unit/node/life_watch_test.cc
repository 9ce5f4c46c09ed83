// SPDX-License-Identifier: BSD-3-Clause
#include "node/life_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::node {
namespace {

wire::StreamName life(uint8_t node, uint32_t incarnation) {
  wire::StreamName name;
  name.gid.bytes[15] = node;
  name.qpn = 0x100;
  name.incarnation = incarnation;
  return name;
}

class LifeWatchTest : public ::testing::Test {
 protected:
  std::vector<wire::StreamName> look(const Occupant& now, size_t wavelength = 0) {
    std::vector<wire::StreamName> over;
    watch_.look(wavelength, now, [&](const wire::StreamName& name) { over.push_back(name); });
    return over;
  }
  using Names = std::vector<wire::StreamName>;
  LifeWatch watch_{2};
};

TEST_F(LifeWatchTest, an_owner_goes__expect_its_life_over_once) {
  EXPECT_EQ(look({}), Names{});
  EXPECT_EQ(look({1, false, life(1, 7)}), Names{});
  EXPECT_EQ(look({1, true, life(1, 7)}), Names{life(1, 7)});
  EXPECT_EQ(look({1, true, life(1, 7)}), Names{});
}

TEST_F(LifeWatchTest, an_owner_stands_still__expect_nothing) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(look({1, false, life(1, 7)}), Names{});
}

TEST_F(LifeWatchTest, another_owner_before_the_end_was_seen__expect_the_earlier_life_over) {
  EXPECT_EQ(look({1, false, life(1, 7)}), Names{});
  EXPECT_EQ(look({2, false, life(1, 8)}), Names{life(1, 7)});
  EXPECT_EQ(look({4, true, life(1, 10)}), (Names{life(1, 8), life(1, 10)}));
}

// A port of another program has the wavelength now.
TEST_F(LifeWatchTest, a_later_owner_without_a_name__expect_the_earlier_life_over) {
  EXPECT_EQ(look({1, false, life(1, 7)}), Names{});
  EXPECT_EQ(look({2, false, {}}), Names{life(1, 7)});
  EXPECT_EQ(look({2, true, {}}), Names{});
}

TEST_F(LifeWatchTest, the_same_owner_with_another_endpoint__expect_the_earlier_life_over) {
  EXPECT_EQ(look({1, false, life(1, 7)}), Names{});
  EXPECT_EQ(look({1, false, life(1, 8)}), Names{life(1, 7)});
}

TEST_F(LifeWatchTest, the_first_look_finds_it_gone__expect_its_life_over) {
  EXPECT_EQ(look({3, true, life(1, 7)}), Names{life(1, 7)});
}

TEST_F(LifeWatchTest, two_wavelengths__expect_each_by_itself) {
  EXPECT_EQ(look({1, false, life(1, 7)}, 0), Names{});
  EXPECT_EQ(look({1, false, life(2, 7)}, 1), Names{});
  EXPECT_EQ(look({1, true, life(2, 7)}, 1), Names{life(2, 7)});
  EXPECT_EQ(look({1, false, life(1, 7)}, 0), Names{});
}

}  // namespace
}  // namespace lambdacast::node
