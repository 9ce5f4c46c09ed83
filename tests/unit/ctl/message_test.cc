// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/message.h"

#include <gtest/gtest.h>

namespace lambdacast::ctl {
namespace {

TEST(MessageTest, greet__expect_what_was_said) {
  const auto hello = parse_hello(encode(Hello{2, 3, "lambdacast 0.1.0"}));
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->min_version, 2);
  EXPECT_EQ(hello->max_version, 3);
  EXPECT_EQ(hello->program, "lambdacast 0.1.0");
}

TEST(MessageTest, greet_with_what_is_no_greeting__expect_an_error) {
  const std::string right = encode(Hello{1, 1, "x"});
  for (const std::string& wrong :
       {std::string(), std::string("LCTL"), right.substr(0, 7), right.substr(0, 8),
        "HTTP" + right.substr(4), encode(Hello{3, 2, "x"}), encode(Hello{1, 1, "a\x1b[2J"}),
        encode(Hello{1, 1, std::string(kMaxProgramBytes + 1, 'x')})}) {
    EXPECT_FALSE(parse_hello(wrong)) << wrong;
  }
}

TEST(MessageTest, agree__expect_the_highest_version_of_both) {
  EXPECT_EQ(*agree({1, 4, "p"}, {2, 3, "c"}), 3);
  EXPECT_EQ(*agree({1, 1, "p"}, {1, 9, "c"}), 1);
}

TEST(MessageTest, agree_on_nothing__expect_a_sentence_that_names_both) {
  const auto version = agree({2, 3, "lambdacast 7"}, {1, 1, "lambdacastctl 6"});
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().message,
            "lambdacastctl 6 speaks version 1 of the control protocol, lambdacast 7 speaks "
            "versions 2 to 3; use the lambdacastctl of that lambdacast");
  EXPECT_FALSE(agree({1, 1, "p"}, {2, 2, "c"}));
}

TEST(MessageTest, ask__expect_format_line_and_file) {
  const auto request = parse_request(encode(Request{Format::kJson, "plan x", "[fabric]\n"}));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->format, Format::kJson);
  EXPECT_EQ(request->line, "plan x");
  EXPECT_EQ(request->file, "[fabric]\n");
}

TEST(MessageTest, ask_with_what_is_no_request__expect_an_error) {
  const std::string right = encode(Request{Format::kText, "show view"});
  for (const std::string& wrong :
       {std::string(), right.substr(0, 2), "\x02" + right.substr(1),
        right.substr(0, right.size() - 1), encode(Request{Format::kText, "two\nlines"}),
        encode(Request{Format::kText, std::string(1, '\0')}),
        encode(Request{Format::kText, std::string(kMaxLineBytes + 1, 'x')})}) {
    EXPECT_FALSE(parse_request(wrong)) << wrong;
  }
}

TEST(MessageTest, answer__expect_what_was_said) {
  const auto answer = parse_answer(encode(Answer{false, "no\n"}));
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->ok);
  EXPECT_EQ(answer->text, "no\n");
  EXPECT_TRUE(parse_answer(encode(Answer{true, ""}))->ok);
  EXPECT_FALSE(parse_answer(""));
  EXPECT_FALSE(parse_answer("\x02"));
}

}  // namespace
}  // namespace lambdacast::ctl
