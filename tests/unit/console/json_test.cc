// SPDX-License-Identifier: BSD-3-Clause
#include "console/json.h"

#include <gtest/gtest.h>

namespace lambdacast::console {
namespace {

using telemetry::Kind;
using telemetry::Unit;

TEST(JsonTest, write_a_table__expect_values_as_stored_and_units_beside_them) {
  const telemetry::Table table = {
      {{"endpoint", Kind::kLabel, Unit::kNone, "Whose."},
       {"frequency", Kind::kGauge, Unit::kGigahertz, "How fast."},
       {"power", Kind::kGauge, Unit::kMillidecibels, "How much."}},
      {{std::string("a\"b\x1b"), uint64_t{18446744073709551615u}, int64_t{-5}}},
      {"a note"}};
  EXPECT_EQ(json_of("light", table),
            R"({"subject":"light","figures":{"endpoint":{"kind":"label","unit":""},)"
            R"("frequency":{"kind":"gauge","unit":"GHz"},"power":{"kind":"gauge","unit":"mdB"}},)"
            R"("rows":[{"endpoint":"a\"b\\x1b","frequency":18446744073709551615,"power":-5}],)"
            R"("notes":["a note"]})");
}

TEST(JsonTest, write_an_empty_table__expect_no_rows) {
  EXPECT_EQ(json_of("x", {}), R"({"subject":"x","figures":{},"rows":[]})");
}

TEST(JsonTest, write_text__expect_an_object_and_nothing_of_nothing) {
  EXPECT_EQ(json_of_text("two\nlines\n"), R"({"text":"two\nlines\n"})");
  EXPECT_EQ(json_of_text(""), "");
}

TEST(JsonTest, write_an_event__expect_its_endpoint_only_if_it_has_one) {
  EXPECT_EQ(event_json({7, "view", "node0", "begins\xff"}),
            R"({"time_ms":7,"event":"view","endpoint":"node0","text":"begins\\xff"})");
  EXPECT_EQ(event_json({7, "command", "", "x"}), R"({"time_ms":7,"event":"command","text":"x"})");
}

}  // namespace
}  // namespace lambdacast::console
