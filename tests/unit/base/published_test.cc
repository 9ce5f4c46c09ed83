// SPDX-License-Identifier: BSD-3-Clause
#include "base/published.h"

#include <gtest/gtest.h>

#include <thread>

namespace lambdacast::base {
namespace {

struct Pair {
  uint64_t a = 7;
  uint32_t b = 8;
  char odd_size[3] = {};
};

TEST(Published, made_expect_its_value_at_once) {
  const Published<Pair> published;
  Pair pair{0, 0, {}};
  uint64_t version = 0;
  ASSERT_TRUE(published.read(pair, version));
  EXPECT_EQ(pair.a, 7u);
  EXPECT_EQ(pair.b, 8u);
  EXPECT_EQ(version, published.version());
}

TEST(Published, set_expect_another_version_and_the_new_value) {
  Published<Pair> published;
  uint64_t version = 0;
  Pair pair;
  ASSERT_TRUE(published.read(pair, version));
  published.set({1, 2, {'x', 'y', 'z'}});
  EXPECT_NE(published.version(), version);
  ASSERT_TRUE(published.read(pair, version));
  EXPECT_EQ(pair.a, 1u);
  EXPECT_EQ(pair.b, 2u);
  EXPECT_EQ(pair.odd_size[2], 'z');
  EXPECT_EQ(published.version(), version);
}

// The two halves of a value always belong together, and the reader sees the last one in the end.
TEST(Published, read_while_another_thread_sets_expect_no_half_of_one_value) {
  constexpr uint64_t kLast = 200'000;
  Published<Pair> published({0, 0, {}});
  std::thread writer([&] {
    for (uint64_t i = 1; i <= kLast; ++i) published.set({i, static_cast<uint32_t>(i), {}});
  });
  Pair pair;
  uint64_t version = 0;
  uint64_t before = 0;
  do {
    if (!published.read(pair, version)) continue;
    ASSERT_EQ(pair.a, pair.b);
    ASSERT_GE(pair.a, before);
    before = pair.a;
  } while (before != kLast);
  writer.join();
}

}  // namespace
}  // namespace lambdacast::base
