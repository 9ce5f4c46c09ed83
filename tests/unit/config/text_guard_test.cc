// SPDX-License-Identifier: BSD-3-Clause
#include "config/text_guard.h"

#include <gtest/gtest.h>

namespace lambdacast::config {
namespace {

const std::string kUmlaut = "\xc3\xa4";
const std::string kDots(65, '.');

// The line of the fault; 0 if there is none.
unsigned fault_line(const std::string& text) {
  const auto fault = find_fault(text);
  return fault ? fault->line : 0;
}

TEST(FindFault, nothing_in_plain_text) {
  EXPECT_EQ(fault_line(""), 0u);
  EXPECT_EQ(fault_line("\xef\xbb\xbf[a]\nb = \"c\"\n"), 0u);
}

TEST(FindFault, beyond_ascii_only_in_comments) {
  EXPECT_EQ(fault_line("# " + kUmlaut + "\n"), 0u);
  EXPECT_EQ(fault_line("a = 1 # " + kUmlaut), 0u);
  EXPECT_EQ(fault_line("a = 1\n" + kUmlaut), 2u);
  EXPECT_EQ(fault_line("a = \"" + kUmlaut + "\""), 1u);
  EXPECT_EQ(fault_line("a = '''\n" + kUmlaut + "'''"), 2u);
  EXPECT_EQ(fault_line("a\n\xef\xbb\xbf"), 2u);  // a byte order mark elsewhere
}

// A '#' begins a comment only outside strings.
TEST(FindFault, follows_the_end_of_strings) {
  const std::string comment = "# " + kUmlaut;
  EXPECT_EQ(fault_line("a = \"#\" " + kUmlaut), 1u);
  EXPECT_EQ(fault_line("a = '#' " + kUmlaut), 1u);
  EXPECT_EQ(fault_line("a = '#' " + comment), 0u);
  EXPECT_EQ(fault_line("a = \"\\\"" + comment), 1u);              // an escaped quote ends nothing
  EXPECT_EQ(fault_line("a = '\\' " + comment), 0u);               // which has no escapes
  EXPECT_EQ(fault_line("a = \"open\n" + comment), 0u);            // a line end closes it
  EXPECT_EQ(fault_line("a = \"\" " + comment), 0u);               // the empty string
  EXPECT_EQ(fault_line("a = \"\"\"b\"\"\"\"\" " + comment), 0u);  // two more quotes at the end
  EXPECT_EQ(fault_line("a = \"\"\"\nb \"\" c\n" + comment), 3u);  // still open
  EXPECT_EQ(fault_line("a = '''\n\n'''\n" + comment + "\n" + kUmlaut), 5u);
  EXPECT_EQ(fault_line("a = \"\"\"\\\"\"\"" + comment), 1u);
  EXPECT_EQ(fault_line("a = \"\\"), 0u);
  EXPECT_EQ(fault_line("a = \"\"\"\\"), 0u);
}

TEST(FindFault, dots_of_a_line) {
  EXPECT_EQ(fault_line("\n" + kDots), 2u);
  EXPECT_EQ(fault_line(kDots.substr(1) + "\n" + kDots.substr(1)), 0u);
  EXPECT_EQ(fault_line("# " + kDots), 0u);
  EXPECT_EQ(fault_line("a = '" + kDots + "'"), 0u);
}

TEST(FindFault, size) {
  EXPECT_EQ(fault_line(std::string(kMaxFileBytes, '#')), 0u);
  EXPECT_EQ(fault_line(std::string(kMaxFileBytes + 1, '#')), 1u);
}

}  // namespace
}  // namespace lambdacast::config
