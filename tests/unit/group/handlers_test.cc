#include "group/handlers.h"

#include <gtest/gtest.h>

#include <set>

namespace lambdacast::group {
namespace {

TEST(Handlers, EveryResultAndEndHasWordsOfItsOwn) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(Result::kNotJoined); ++i)
    EXPECT_TRUE(words.insert(text(static_cast<Result>(i))).second) << i;
  for (int i = 0; i <= static_cast<int>(End::kStateTooLarge); ++i)
    EXPECT_TRUE(words.insert(text(static_cast<End>(i))).second) << i;
  EXPECT_FALSE(words.contains(""));
}

}  // namespace
}  // namespace lambdacast::group
