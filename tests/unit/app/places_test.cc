// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/places.h"

#include <gtest/gtest.h>

namespace lambdacast::appliance {
namespace places_test {

const node::PlaceEvent kTaken{{wire::gid_from_ipv4(0x0a4d0009), 0x12},
                              false,
                              {wire::gid_from_ipv4(0x0a4d0003), 0x11},
                              true,
                              2'140'000'000};

TEST(Places, of_one_that_left__expect_both_names_and_that) {
  EXPECT_EQ(sentence("node1", kTaken, 8),
            "node1: 10.77.0.9 qpn 0x12 takes the place of 10.77.0.3 qpn 0x11, which has left");
}

TEST(Places, of_one_that_is_silent__expect_for_how_long) {
  node::PlaceEvent silent = kTaken;
  silent.left = false;
  EXPECT_EQ(sentence("node1", silent, 8),
            "node1: 10.77.0.9 qpn 0x12 takes the place of 10.77.0.3 qpn 0x11, which was silent for "
            "2.1 s");
}

TEST(Places, all_are_taken__expect_the_newcomer_and_what_mends_it) {
  node::PlaceEvent refused = kTaken;
  refused.refused = true;
  EXPECT_EQ(sentence("node1", refused, 8),
            "node1: 10.77.0.9 qpn 0x12 is not heard: all 8 places are taken by peers that are not "
            "gone; a larger max_peers has room for it");
}

}  // namespace places_test
}  // namespace lambdacast::appliance
