// SPDX-License-Identifier: BSD-3-Clause
#include "config/suggest.h"

#include <gtest/gtest.h>

namespace lambdacast::config {
namespace {

TEST(EditDistance, counts_each_kind_of_slip_once) {
  EXPECT_EQ(edit_distance("burst", "burst"), 0u);
  EXPECT_EQ(edit_distance("burts", "burst"), 1u);   // a swap
  EXPECT_EQ(edit_distance("bursts", "burst"), 1u);  // an insertion
  EXPECT_EQ(edit_distance("brst", "burst"), 1u);    // a removal
  EXPECT_EQ(edit_distance("bursd", "burst"), 1u);   // a replacement
  EXPECT_EQ(edit_distance("", "burst"), 5u);
  EXPECT_EQ(edit_distance("burst", ""), 5u);
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, suggests_only_what_is_near) {
  const std::vector<std::string_view> known = {"burst", "path_mtu", "rx_descriptors"};
  EXPECT_EQ(nearest("path-mtu", known), "path_mtu");
  EXPECT_EQ(nearest("rx_descriptor", known), "rx_descriptors");
  EXPECT_EQ(nearest("colour", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(100000, 'b'), known), "");
  EXPECT_EQ(nearest("burst", {}), "");
}

}  // namespace
}  // namespace lambdacast::config
