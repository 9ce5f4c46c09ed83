// SPDX-License-Identifier: BSD-3-Clause
#include "console/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace lambdacast::console {
namespace {

using telemetry::Kind;
using telemetry::Layout;
using telemetry::Table;
using telemetry::Unit;
using telemetry::Value;

Value number(uint64_t value) { return Value(value); }

TEST(TextTest, write_numbers__expect_a_separator_every_three_digits) {
  EXPECT_EQ(with_separators(uint64_t{0}), "0");
  EXPECT_EQ(with_separators(uint64_t{999}), "999");
  EXPECT_EQ(with_separators(uint64_t{1000}), "1,000");
  EXPECT_EQ(with_separators(uint64_t{123456789}), "123,456,789");
  EXPECT_EQ(with_separators(~uint64_t{0}), "18,446,744,073,709,551,615");
  EXPECT_EQ(with_separators(int64_t{-1234}), "-1,234");
  EXPECT_EQ(with_separators(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(TextTest, write_stored_units__expect_those_that_people_use) {
  EXPECT_EQ(shown(number(193'400), Unit::kGigahertz), "193.400");
  EXPECT_STREQ(shown_unit(Unit::kGigahertz), "THz");
  EXPECT_EQ(shown(number(1'550'116), Unit::kPicometres), "1,550.116");
  EXPECT_EQ(shown(Value(int64_t{-50}), Unit::kMillidecibels), "-0.050");
  EXPECT_EQ(shown(Value(int64_t{-12'345}), Unit::kMillidecibels), "-12.345");
  EXPECT_EQ(shown(number(7), Unit::kPermille), "0.7");
  EXPECT_EQ(shown(number(2500), Unit::kThousandths), "2.500");
  EXPECT_EQ(shown(number(1'000'000), Unit::kPpb), "0.001000000");
  EXPECT_EQ(shown(number(1'234), Unit::kBytes), "1,234");
  EXPECT_STREQ(shown_unit(Unit::kBytes), "bytes");
  EXPECT_EQ(shown(Value("as it is"), Unit::kNone), "as it is");
}

TEST(TextTest, show_text_from_elsewhere__expect_columns_of_characters_and_no_control) {
  const Table table{{{"name", Kind::kLabel, Unit::kNone, ""}, {"n", Kind::kGauge, Unit::kNone, ""}},
                    {{Value("\xc3\xa9t\xc3\xa9"), number(1)},
                     {Value("\xc2\x9b\n"), number(2)},
                     {Value("summer"), number(3)}},
                    {}};
  EXPECT_EQ(render(table, Layout::kGrid),
            "name          n\n"
            "\n"
            "\xc3\xa9t\xc3\xa9           1\n"
            "\\xc2\\x9b\\x0a  2\n"
            "summer        3\n");
}

Table example() {
  return {{{"endpoint", Kind::kLabel, Unit::kNone, "E."},
           {"received", Kind::kCounter, Unit::kPackets, "R."}},
          {{Value("node0"), number(1'234'567)}, {Value("x"), number(8)}}};
}

TEST(TextTest, render_a_grid__expect_numbers_to_the_right_under_their_unit) {
  EXPECT_EQ(render(example(), Layout::kGrid),
            "endpoint   received\n"
            "            packets\n"
            "node0     1,234,567\n"
            "x                 8\n");
}

TEST(TextTest, render_a_grid_wider_than_a_terminal__expect_parts_each_with_the_labels) {
  Table wide = {{{"endpoint", Kind::kLabel, Unit::kNone, "E."}}, {{Value("node0")}}, {}};
  const std::string name(70, 'n');
  for (uint64_t i = 0; i < 3; ++i) {
    wide.figures.push_back({name.c_str(), Kind::kCounter, Unit::kNone, "N."});
    wide.rows[0].push_back(number(i));
  }
  const std::string text = render(wide, Layout::kGrid);
  const size_t second = text.find("\n\nendpoint  " + name + "\n");
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_EQ(text.rfind("endpoint  " + name + "  " + name + "\n", 0), 0u) << text;
  EXPECT_NE(text.find("node0", second), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 2), "2\n");
}

TEST(TextTest, render_a_sheet__expect_a_column_a_row_and_the_unit_behind) {
  EXPECT_EQ(render(example(), Layout::kSheet),
            "endpoint      node0  x\n"
            "received  1,234,567  8  packets\n");
}

TEST(TextTest, render_notes__expect_them_below) {
  EXPECT_EQ(render({{}, {}, {"warning: dark"}}, Layout::kSheet), "warning: dark\n");
}

TEST(TextTest, render_no_rows__expect_the_headings) {
  EXPECT_EQ(render({example().figures, {}}, Layout::kGrid),
            "endpoint  received\n           packets\n");
}

}  // namespace
}  // namespace lambdacast::console
