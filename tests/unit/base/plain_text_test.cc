// SPDX-License-Identifier: BSD-3-Clause
#include "base/plain_text.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace lambdacast::base {
namespace {

std::string utf8(char32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

TEST(FirstCharacter, every_character__expect_its_code) {
  for (char32_t code = 0; code <= 0x10ffff; ++code) {
    const std::string text = utf8(code);
    const Utf8Character character = first_character(text);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    ASSERT_EQ(character.valid, !surrogate) << uint32_t{code};
    if (surrogate) continue;
    ASSERT_EQ(character.code, code);
    ASSERT_EQ(character.bytes, text.size());
  }
}

// As many as there are characters of that length: with those above, no others.
TEST(FirstCharacter, every_three_bytes__expect_as_many_characters_as_there_are) {
  std::array<uint64_t, 5> found{};
  for (uint32_t bytes = 0; bytes < 1u << 24; ++bytes) {
    const char text[] = {static_cast<char>(bytes >> 16), static_cast<char>(bytes >> 8),
                         static_cast<char>(bytes)};
    const Utf8Character character = first_character({text, sizeof text});
    if (character.valid) ++found[character.bytes];
  }
  EXPECT_EQ(found, (std::array<uint64_t, 5>{0, 0x80ull << 16, (0x800ull - 0x80) << 8,
                                            0x10000 - 0x800 - 0x800, 0}));
}

TEST(PlainText, utf8_of_each_length__expect_taken) {
  for (const char* text : {"", "orders", "a b\\\"~", "\xc3\xa9t\xc3\xa9", "prices \xe2\x82\xac",
                           "\xf0\x9f\x98\x80", "\xc2\xa0", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_plain_text(text)) << text;
  }
}

TEST(PlainText, bytes_that_are_no_utf8__expect_refused) {
  for (const char* text : {
           "\xe9t\xe9",                                                 // Latin-1
           "\x80", "\xbf",                                              // begins nothing
           "\xc3", "\xe2\x82", "\xf0\x9f\x98",                          // cut off
           "\xc3(", "\xe2\x82(",                                        // not continued
           "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",  // overlong
           "\xed\xa0\x80", "\xed\xbf\xbf",                              // surrogates
           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff",              // beyond the last
       }) {
    EXPECT_FALSE(is_plain_text(text)) << shown(text);
  }
}

TEST(PlainText, controls__expect_refused) {
  for (const char* text :
       {"a\nb", "\x1b[2J", "\x7f", "\xc2\x80",
        "\xc2\x9b"
        "2J",
        "\xc2\x9f", "\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6", "\xd8\x9c"}) {
    EXPECT_FALSE(is_plain_text(text)) << shown(text);
  }
  EXPECT_FALSE(is_plain_text(std::string_view("a\0b", 3)));
}

TEST(Shown, text_of_any_bytes__expect_what_is_plain_as_it_is_and_the_rest_as_hex) {
  EXPECT_EQ(shown("\xc3\xa9t\xc3\xa9 \\ \""), "\xc3\xa9t\xc3\xa9 \\ \"");
  EXPECT_EQ(shown("\xe9t\xe9\n\x1b[2J"), "\\xe9t\\xe9\\x0a\\x1b[2J");
  EXPECT_EQ(shown("a\xc2\x9b"
                  "2J\xe2\x80\xae"),
            "a\\xc2\\x9b2J\\xe2\\x80\\xae");
  EXPECT_EQ(shown(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Shown, several_lines__expect_line_feeds_alone_kept) {
  EXPECT_EQ(shown_lines("a\nb\r\n"), "a\nb\\x0d\n");
}

TEST(AsciiEscaped, text_of_any_bytes__expect_printable_ascii_that_tells_them_apart) {
  EXPECT_EQ(ascii_escaped("a b~"), "a b~");
  EXPECT_EQ(ascii_escaped("\xc3\xa9t\xc3\xa9"), "\\u00e9t\\u00e9");
  EXPECT_EQ(ascii_escaped("\xf0\x9f\x98\x80"), "\\U0001f600");
  EXPECT_EQ(ascii_escaped("\\u00e9"), "\\\\u00e9");
  EXPECT_EQ(ascii_escaped("\xe9\n\xc2\x9b"), "\\xe9\\x0a\\xc2\\x9b");
}

TEST(AsciiEscaped, cut_by_its_escapes__expect_each_whole) {
  const std::string escaped = ascii_escaped("a\xc3\xa9\\\xff\xf0\x9f\x98\x80");
  std::vector<std::string> parts;
  for (std::string_view rest = escaped; !rest.empty();) {
    parts.emplace_back(rest.substr(0, ascii_escape_bytes(rest)));
    rest.remove_prefix(parts.back().size());
  }
  EXPECT_EQ(parts, (std::vector<std::string>{"a", "\\u00e9", "\\\\", "\\xff", "\\U0001f600"}));
  EXPECT_EQ(ascii_escape_bytes(""), 0u);
}

TEST(ColumnsOf, text__expect_a_column_a_character) {
  EXPECT_EQ(columns_of(""), 0u);
  EXPECT_EQ(columns_of("\xc3\xa9t\xc3\xa9"), 3u);
}

}  // namespace
}  // namespace lambdacast::base
