// SPDX-License-Identifier: BSD-3-Clause
#include "node/port_drain.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace {

TEST(PortDrain, ask__expect_it_drained_once_the_port_was_found_empty) {
  PortDrain drain(100);
  EXPECT_TRUE(drain.drained());
  drain.ask();
  EXPECT_FALSE(drain.drained());
  drain.polled(32, false);
  EXPECT_FALSE(drain.drained());
  drain.polled(5, true);
  EXPECT_TRUE(drain.drained());
}

TEST(PortDrain, a_port_that_is_never_empty__expect_it_drained_of_as_many_as_it_holds) {
  PortDrain drain(100);
  drain.ask();
  for (int i = 0; i < 3; ++i) drain.polled(32, false);
  EXPECT_FALSE(drain.drained());
  drain.polled(32, false);
  EXPECT_TRUE(drain.drained());
}

TEST(PortDrain, ask_again__expect_a_new_count) {
  PortDrain drain(64);
  drain.polled(1'000, false);
  drain.ask();
  drain.polled(32, false);
  EXPECT_FALSE(drain.drained());
  drain.polled(32, false);
  EXPECT_TRUE(drain.drained());
  drain.ask();
  drain.polled(63, false);
  EXPECT_FALSE(drain.drained());
  drain.polled(0, true);
  EXPECT_TRUE(drain.drained());
}

}  // namespace
}  // namespace lambdacast::node
