// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/trace.h"

#include <gtest/gtest.h>

#include <string>

namespace lambdacast::sim {
namespace {

TEST(Trace, say__expect_the_time_and_the_line_if_somebody_listens) {
  uint64_t now_ns = 42;
  Trace trace(now_ns, 1);
  EXPECT_FALSE(trace.heard());
  trace.say("nobody hears it");
  std::string lines;
  trace.listen([&](const std::string& line) { lines += line + '\n'; });
  EXPECT_TRUE(trace.heard());
  trace.say("node 1 starts");
  now_ns = 12'345'678'901;
  trace.say("it ends");
  EXPECT_EQ(lines, "        42 ns  node 1 starts\n12345678901 ns  it ends\n");
}

TEST(Trace, add__expect_a_hash_of_seed_values_and_their_order) {
  const uint64_t now_ns = 0;
  const auto hash = [&](uint64_t seed, uint64_t first, uint64_t second) {
    Trace trace(now_ns, seed);
    trace.add(first);
    trace.add(second);
    return trace.hash();
  };
  EXPECT_EQ(hash(1, 2, 3), hash(1, 2, 3));
  EXPECT_NE(hash(1, 2, 3), hash(1, 3, 2));
  EXPECT_NE(hash(1, 2, 3), hash(2, 2, 3));
}

}  // namespace
}  // namespace lambdacast::sim
