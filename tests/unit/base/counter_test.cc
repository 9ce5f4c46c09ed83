// SPDX-License-Identifier: BSD-3-Clause
#include "base/counter.h"

#include <gtest/gtest.h>

#include <thread>

namespace lambdacast::base {
namespace {

TEST(Counter, adds_expect_their_sum) {
  Counter counter;
  EXPECT_EQ(counter.get(), 0u);
  counter.add(3);
  counter.add(uint64_t{1} << 40);
  EXPECT_EQ(counter.get(), (uint64_t{1} << 40) + 3);
}

TEST(Counter, read_while_written_expect_it_never_to_fall) {
  Counter counter;
  constexpr uint64_t kAdds = 200'000;
  std::thread writer([&] {
    for (uint64_t i = 0; i < kAdds; ++i) counter.add(0x100000001);
  });
  uint64_t last = 0;
  while (last != kAdds * 0x100000001) {
    const uint64_t now = counter.get();
    ASSERT_GE(now, last);
    ASSERT_EQ(now >> 32, now & 0xffffffff);  // no half of another value
    last = now;
  }
  writer.join();
}

}  // namespace
}  // namespace lambdacast::base
