// SPDX-License-Identifier: BSD-3-Clause
#include "base/wire_bytes.h"

#include <gtest/gtest.h>

namespace lambdacast::base {
namespace {

TEST(WireBytes, frames__expect_what_ethernet_sends) {
  EXPECT_EQ(wire_bytes(60), 84u);  // 14.88 million a second at 10 Gbit/s
  EXPECT_EQ(wire_bytes(14), 84u);  // padded
  EXPECT_EQ(wire_bytes(1514), 1538u);
}

}  // namespace
}  // namespace lambdacast::base
