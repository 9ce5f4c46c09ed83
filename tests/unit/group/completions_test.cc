// SPDX-License-Identifier: BSD-3-Clause
#include "group/completions.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::group {
namespace completions_test {

struct Log final : Completion {
  void stable(uint64_t token) override {
    tokens.push_back(token);
    if (again != nullptr) again->wait(100, *this, token + 100);
  }
  void unknown(uint64_t token) override { unknowns.push_back(token); }
  std::vector<uint64_t> tokens, unknowns;
  Completions* again = nullptr;  // where each one publishes another
};

TEST(Completions, InTheirOrderAsFarAsIsStable) {
  Log log;
  Completions completions(4);
  for (uint64_t ticket = 1; ticket <= 4; ++ticket) completions.wait(ticket, log, 10 * ticket);
  EXPECT_TRUE(completions.full());
  completions.advance(0);
  EXPECT_TRUE(log.tokens.empty());
  completions.advance(3);
  EXPECT_EQ(log.tokens, (std::vector<uint64_t>{10, 20, 30}));
  EXPECT_EQ(completions.waiting(), 1u);
  completions.give_up();
  EXPECT_EQ(log.unknowns, std::vector<uint64_t>{40});
  EXPECT_EQ(completions.waiting(), 0u);
}

TEST(Completions, AreWaitedForOutOfACall) {
  Completions completions(2);
  Log log;
  log.again = &completions;
  completions.wait(1, log, 1);
  completions.wait(2, log, 2);
  completions.advance(50);
  EXPECT_EQ(log.tokens, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(completions.waiting(), 2u);
}

}  // namespace completions_test
}  // namespace lambdacast::group
