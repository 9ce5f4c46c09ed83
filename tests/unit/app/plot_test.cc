// SPDX-License-Identifier: BSD-3-Clause
#include "plot.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace lambdacast::app {
namespace {

TEST(PlotTest, make_a_curve_of_a_histogram__expect_values_over_the_quantiles_they_begin_at) {
  base::Histogram ns;
  for (int i = 0; i < 90; ++i) ns.record(100);
  for (int i = 0; i < 9; ++i) ns.record(200);
  ns.record(300);
  const Curve curve = percentiles_of("x", ns);
  ASSERT_EQ(curve.points.size(), 4u);
  const std::vector<std::pair<double, double>> wanted = {
      {1, 0.1}, {10, 0.2}, {100, 0.3}, {100, 0.3}};
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_DOUBLE_EQ(curve.points[i].first, wanted[i].first);
    EXPECT_DOUBLE_EQ(curve.points[i].second, wanted[i].second);
  }
  EXPECT_TRUE(percentiles_of("x", {}).points.empty());
}

TEST(PlotTest, write_a_script__expect_names_quoted_and_every_curve_in_it) {
  Plot plot{"it's 'that'", "x", "y", false, {{"one", {{1, 2}, {3, 4.5}}}, {"two", {{1, 1}}}}};
  const std::string script = gnuplot_script(plot, "a'b.svg");
  EXPECT_NE(script.find("set output 'a''b.svg'\n"), std::string::npos);
  EXPECT_NE(script.find("set title 'it''s ''that'''\n"), std::string::npos);
  EXPECT_NE(script.find("$curve0 << END\n1 2\n3 4.5\nEND\n"), std::string::npos);
  EXPECT_NE(script.find("title 'two'"), std::string::npos);
  EXPECT_EQ(script.find("logscale"), std::string::npos);
  plot.by_percentile = true;
  EXPECT_NE(gnuplot_script(plot, "x").find("set logscale xy"), std::string::npos);
}

TEST(PlotTest, have_no_gnuplot__expect_the_command_that_mends_it) {
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(::setenv("PATH", "/nonesuch", 1), 0);
  EXPECT_NE(gnuplot_missing().find("apt-get install gnuplot-nox"), std::string::npos);
  ASSERT_EQ(::setenv("PATH", path.c_str(), 1), 0);
}

TEST(PlotTest, draw_where_nobody_may__expect_a_sentence) {
  EXPECT_EQ(draw({}, "/nonesuch/x.svg"), "cannot write /nonesuch/x.svg");
}

}  // namespace
}  // namespace lambdacast::app
