// SPDX-License-Identifier: BSD-3-Clause
#include "console/terminal.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

namespace lambdacast::console {
namespace {

TEST(TerminalTest, use_a_terminal__expect_keys_at_once_and_its_old_ways_afterwards) {
  int ours = -1, theirs = -1;
  ASSERT_EQ(::openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
  termios before{}, during{}, after{};
  ::tcgetattr(theirs, &before);
  {
    const RawTerminal raw(theirs);
    EXPECT_TRUE(raw.is_terminal());
    ::tcgetattr(theirs, &during);
  }
  ::tcgetattr(theirs, &after);
  EXPECT_EQ(during.c_lflag & (ICANON | ECHO | ISIG), 0u);
  EXPECT_EQ(after.c_lflag, before.c_lflag);
  ::close(ours);
  ::close(theirs);
}

TEST(TerminalTest, use_a_pipe__expect_it_to_be_known_for_one) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(RawTerminal(ends[0]).is_terminal());
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace lambdacast::console
