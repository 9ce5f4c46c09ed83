// SPDX-License-Identifier: BSD-3-Clause
// Pictures of results, drawn by gnuplot as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/histogram.h"

namespace lambdacast::app {

struct Curve {
  std::string title;
  std::vector<std::pair<double, double>> points;  // x, y
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  bool by_percentile = false;  // x is 1 / (1 - quantile), told in percent; both scales logarithmic
  std::vector<Curve> curves{};
  bool with_points = false;  // each is told apart by a mark
};

// Latency by percentile, nanoseconds in microseconds.
[[nodiscard]] Curve percentiles_of(const std::string& title, const base::Histogram& ns);

// What gnuplot is told to draw `plot` into `file`.
[[nodiscard]] std::string gnuplot_script(const Plot& plot, const std::string& file);

// "" if gnuplot is to be had; else a sentence about that option, with the command that mends it.
[[nodiscard]] std::string gnuplot_missing(const std::string& option = "--plot");

// "" or a sentence: why there is no picture.
[[nodiscard]] std::string draw(const Plot& plot, const std::string& file);

}  // namespace lambdacast::app
