// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/doubles.h"

#include <gtest/gtest.h>

namespace lambdacast::appliance {
namespace doubles_test {

const node::DoubleEvent kPair{wire::gid_from_ipv4(0x0a4d0001), 0x0a, 0xb0000000, false, false};

TEST(Doubles, of_a_peer__expect_both_incarnations_and_what_mends_it) {
  EXPECT_EQ(sentence("node1", kPair),
            "node1: two endpoints have the address 10.77.0.1: incarnation 0x0000000a and "
            "0xb0000000; end one of them, or change its address");
}

TEST(Doubles, of_this_endpoint__expect_it_to_say_which_it_is) {
  node::DoubleEvent own = kPair;
  own.own = true;
  EXPECT_EQ(sentence("node0", own),
            "node0: two endpoints have the address 10.77.0.1: incarnation 0x0000000a, this one, "
            "and 0xb0000000; end one of them, or change its address");
  own.lost = true;
  EXPECT_EQ(sentence("node0", own),
            "node0: two endpoints have the address 10.77.0.1: incarnation 0x0000000a, this one, "
            "and 0xb0000000; this one gives way: end the other one, or change the address");
}

}  // namespace doubles_test
}  // namespace lambdacast::appliance
