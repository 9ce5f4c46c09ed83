// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-bench/harness/figures.h"

#include <gtest/gtest.h>

#include <map>

namespace lambdacast::bench {
namespace {

struct Inner {
  uint32_t depth = 7;
};
struct Options {
  std::string mode = "fast";
  Inner inner;
};
struct Report {
  uint64_t count = 3;
  uint64_t lost = 0;
  double rate = 0.5;
  bool right = true;
  std::map<std::string, uint64_t> by_reason;

  [[nodiscard]] uint64_t twice() const { return 2 * count; }
  [[nodiscard]] std::string with(const Options& options) const { return options.mode + "!"; }
};

constexpr Figure<Report, Options> kTable[] = {
    {"mode", "", "", of<&Options::mode>, kBeside},
    {"depth", "m", "depth", of<&Options::inner, &Inner::depth>, kBeside},
    {"count", "messages", "counted", of<&Report::count>},
    {"twice", "", "and twice", of<&Report::twice>, kBeside},
    {"with", "", "with", of<&Report::with>},
    {"lost", "messages", "LOST", of<&Report::lost>, kNotZero},
    {"lost_more", "", "more", of<&Report::count>, kBeside},
    {"absent", "", "absent", [](const Report&, const Options&) -> Json { return nullptr; }},
    {"hidden", "", "hidden", of<&Report::rate>, kNever},
    {"by_reason", "packets", "lost at", of<&Report::by_reason>, kNotZero},
    {"right", "", "verdict: right|verdict: WRONG", of<&Report::right>},
};

TEST(FiguresTest, read_a_table__expect_each_key_in_json_and_none_of_what_is_absent) {
  const auto json = nlohmann::json::parse(json_of(read("made-up", kTable, Report{}, Options{})));
  EXPECT_EQ(json["benchmark"], "made-up");
  EXPECT_EQ(json["mode"], "fast");
  EXPECT_EQ(json["depth"], 7);
  EXPECT_EQ(json["twice"], 6);
  EXPECT_EQ(json["with"], "fast!");
  EXPECT_EQ(json["hidden"], 0.5);
  EXPECT_EQ(json["right"], true);
  EXPECT_FALSE(json.contains("absent"));
  EXPECT_EQ(json.size(), 11u);
}

TEST(FiguresTest, write_it_for_people__expect_lines_and_nothing_of_zeros_and_hidden_ones) {
  EXPECT_EQ(text_of(read("made-up", kTable, Report{}, Options{})),
            "made-up: fast, depth 7 m\n"
            "  counted 3 messages, and twice 6\n"
            "  with fast!\n"
            "  verdict: right\n");
}

TEST(FiguresTest, lose_something__expect_it_told_with_what_stands_beside_it) {
  Report report;
  report.lost = 5;
  report.right = false;
  report.by_reason = {{"fault", 2}, {"overrun", 3}};
  EXPECT_EQ(text_of(read("made-up", kTable, report, Options{})),
            "made-up: fast, depth 7 m\n"
            "  counted 3 messages, and twice 6\n"
            "  with fast!\n"
            "  LOST 5 messages, more 3\n"
            "  lost at fault: 2 packets\n"
            "  lost at overrun: 3 packets\n"
            "  verdict: WRONG\n");
}

std::string told(const Json& value, const std::string& unit) {
  return text_of({{"x", unit, "", value}});
}

TEST(FiguresTest, tell_units__expect_handy_multiples) {
  EXPECT_EQ(told(9'999, "ns"), "9999 ns\n");
  EXPECT_EQ(told(10'500, "ns"), "10.5 us\n");
  EXPECT_EQ(told(20'500'000, "ns"), "20.5 ms\n");
  EXPECT_EQ(told(1.5e9, "bit/s"), "1.5 Gb/s\n");
  EXPECT_EQ(told(2e6, "bit/s"), "2 Mb/s\n");
  EXPECT_EQ(told(1234567.8, "messages/s"), "1234568 messages/s\n");
  EXPECT_EQ(told(0.000123456, ""), "0.0001235\n");
}

TEST(FiguresTest, hold_text_from_elsewhere__expect_it_fit_for_a_terminal_and_valid_json) {
  const Readings readings = {{"x", "", "", std::string("a\x1b[2J\xff")}};
  EXPECT_EQ(text_of(readings).find('\x1b'), std::string::npos);
  EXPECT_TRUE(nlohmann::json::accept(json_of(readings)));
}

TEST(FiguresTest, read_times__expect_percentiles_under_a_prefix_on_one_line) {
  base::Histogram ns;
  for (uint64_t i = 1; i <= 100; ++i) ns.record(i);
  Readings readings;
  read_times(readings, "bare_", "bare", ns);
  const auto json = nlohmann::json::parse(json_of(readings));
  EXPECT_EQ(json["bare_min_ns"], 1);
  EXPECT_EQ(json["bare_p50_ns"], 50);
  EXPECT_EQ(json["bare_max_ns"], 100);
  EXPECT_EQ(json["bare_mean_ns"], 50.5);
  EXPECT_TRUE(text_of(readings).starts_with("bare: least 1 ns"));
  EXPECT_EQ(text_of(readings).find('\n') + 1, text_of(readings).size());
}

}  // namespace
}  // namespace lambdacast::bench
