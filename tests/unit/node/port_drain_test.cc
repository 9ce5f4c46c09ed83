// SPDX-License-Identifier: BSD-3-Clause
#include "node/port_drain.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace {

// The answers of the port.
const auto kNone = [] { return true; };
const auto kMore = [] { return false; };

TEST(PortDrain, ask__expect_it_drained_once_the_port_was_found_empty) {
  PortDrain drain(100);
  EXPECT_TRUE(drain.drained(0));
  drain.ask();
  EXPECT_FALSE(drain.drained(0));
  drain.polled(32, 0, kMore);
  EXPECT_FALSE(drain.drained(0));
  drain.polled(5, 0, kNone);
  EXPECT_TRUE(drain.drained(0));
}

TEST(PortDrain, a_port_that_is_never_empty__expect_it_drained_of_as_many_as_it_holds) {
  PortDrain drain(100);
  drain.ask();
  for (int i = 0; i < 3; ++i) drain.polled(32, 0, kMore);
  EXPECT_FALSE(drain.drained(0));
  drain.polled(32, 0, kMore);
  EXPECT_TRUE(drain.drained(0));
}

TEST(PortDrain, ask_again__expect_a_new_count) {
  PortDrain drain(64);
  drain.polled(1'000, 0, kMore);
  drain.ask();
  drain.polled(32, 0, kMore);
  EXPECT_FALSE(drain.drained(0));
  drain.polled(32, 0, kMore);
  EXPECT_TRUE(drain.drained(0));
  drain.ask();
  drain.polled(63, 0, kMore);
  EXPECT_FALSE(drain.drained(0));
  drain.polled(0, 0, kNone);
  EXPECT_TRUE(drain.drained(0));
}

TEST(PortDrain, ask_again_without_an_answer__expect_it_to_count_from_then_on) {
  PortDrain drain(64);
  drain.ask();
  drain.polled(63, 0, kMore);
  drain.ask();
  drain.polled(1, 0, kMore);
  EXPECT_FALSE(drain.drained(0));
  drain.polled(63, 0, kMore);
  EXPECT_TRUE(drain.drained(0));
}

TEST(PortDrain, frames_wait_between_receive_and_reliability__expect_it_drained_of_them_too) {
  PortDrain drain(100);
  drain.ask();
  drain.polled(5, 20, kNone);
  drain.polled(5, 25, kNone);
  EXPECT_FALSE(drain.drained(19));
  EXPECT_TRUE(drain.drained(20)) << "what came behind the answer does not count";
}

TEST(PortDrain, nobody_asks__expect_the_port_not_to_be_looked_at) {
  PortDrain drain(64);
  bool looked = false;
  drain.polled(0, 0, [&] { return looked = true; });
  EXPECT_FALSE(looked);
}

}  // namespace
}  // namespace lambdacast::node
