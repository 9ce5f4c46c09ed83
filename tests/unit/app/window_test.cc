// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-bench/harness/window.h"

#include <gtest/gtest.h>

namespace lambdacast::bench {
namespace {

TEST(WindowTest, send_within_the_credit__expect_what_is_left_of_it) {
  Credit credit(2, 100);
  Window window(credit, 0);
  EXPECT_EQ(window.allowance(0, 1), 100u);
  EXPECT_EQ(window.allowance(60, 2), 40u);
  EXPECT_EQ(window.allowance(100, 3), 0u);
  credit.taken(1, 0, 30);
  EXPECT_EQ(window.allowance(100, 4), 30u);
  EXPECT_EQ(window.timeouts(), 0u);
}

TEST(WindowTest, keep_it_closed_for_the_timeout__expect_a_window_forgiven_and_counted) {
  Credit credit(2, 100);
  Window window(credit, 0);
  EXPECT_EQ(window.allowance(0, 1), 100u);
  EXPECT_EQ(window.allowance(100, 10), 0u);
  EXPECT_EQ(window.allowance(100, 10 + Window::kTimeoutNs), 0u);
  EXPECT_EQ(window.allowance(100, 11 + Window::kTimeoutNs), 0u);
  EXPECT_EQ(window.timeouts(), 1u);
  EXPECT_EQ(window.allowance(100, 12 + Window::kTimeoutNs), 100u);
  credit.taken(1, 0, 100);  // it had arrived after all: the credit is as it was
  EXPECT_EQ(window.allowance(200, 13 + Window::kTimeoutNs), 100u);
}

}  // namespace
}  // namespace lambdacast::bench
