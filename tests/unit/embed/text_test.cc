// SPDX-License-Identifier: BSD-3-Clause
// Through the shared library: that the functions can be seen from outside is part of the test.
#include "lambdacast/text.h"

#include <gtest/gtest.h>

namespace lambdacast {
namespace {

TEST(TextTest, a_terminals_command_in_a_name__expect_its_bytes_written_out) {
  EXPECT_EQ(shown("caf\u00e9 \x1b[2J\n"), "caf\u00e9 \\x1b[2J\\x0a");
}

TEST(TextTest, lines__expect_line_feeds_alone_kept) {
  EXPECT_EQ(shown_lines("one\ntwo\r\n"), "one\ntwo\\x0d\n");
}

}  // namespace
}  // namespace lambdacast
