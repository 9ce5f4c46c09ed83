// SPDX-License-Identifier: BSD-3-Clause
#include "plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace lambdacast::app {
namespace {

constexpr double kNsPerUs = 1000;

// Told apart by those who see few colours, too (Okabe and Ito, 2008).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};

constexpr const char* kStyle =
    "set terminal svg size 900,540 dynamic font 'sans-serif,15' background rgb 'white' noenhanced\n"
    "set border 3 linecolor rgb '#666666'\n"
    "set tics nomirror textcolor rgb '#333333'\n"
    "set grid linecolor rgb '#dddddd' linetype 1 linewidth 1\n"
    "set key top left reverse Left\n"
    "set lmargin 10\nset rmargin 5\n";

constexpr const char* kPercentileAxes =
    "set logscale xy\n"
    "set xtics ('0 %%' 1, '50 %%' 2, '90 %%' 10, '99 %%' 100, '99.9 %%' 1e3, '99.99 %%' 1e4, "
    "'99.999 %%' 1e5, '99.9999 %%' 1e6, '99.99999 %%' 1e7)\n"
    "set format y '%g'\n";

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

}  // namespace

Curve percentiles_of(const std::string& title, const base::Histogram& ns) {
  Curve curve{title, {}};
  const auto total = static_cast<double>(ns.count());
  uint64_t before = 0;
  ns.for_each([&](const base::Histogram::Bucket& bucket) {
    const double us = static_cast<double>(std::min(bucket.highest, ns.max())) / kNsPerUs;
    // From the quantile at which this value begins.
    curve.points.emplace_back(total / (total - static_cast<double>(before)), us);
    before += bucket.count;
  });
  if (total > 0) curve.points.emplace_back(total, static_cast<double>(ns.max()) / kNsPerUs);
  return curve;
}

std::string gnuplot_script(const Plot& plot, const std::string& file) {
  std::string script = kStyle;
  script += fmt::format("set output {}\nset title {}\nset xlabel {}\nset ylabel {}\n", quoted(file),
                        quoted(plot.title), quoted(plot.x_label), quoted(plot.y_label));
  script += plot.by_percentile ? kPercentileAxes : "set yrange [0:*]\n";
  for (size_t i = 0; i < plot.curves.size(); ++i) {
    script += fmt::format("$curve{} << END\n", i);
    for (const auto& [x, y] : plot.curves[i].points) script += fmt::format("{:.9g} {:.9g}\n", x, y);
    script += "END\n";
  }
  if (plot.curves.size() == 1) script += "unset key\n";  // the title says it
  script += "plot ";
  for (size_t i = 0; i < plot.curves.size(); ++i) {
    script += fmt::format("{}$curve{} using 1:2 with {} linewidth 2 linecolor rgb '{}' title {}",
                          i == 0 ? "" : ", \\\n     ", i,
                          plot.by_percentile ? "steps"
                          : plot.with_points ? "linespoints"
                                             : "lines",
                          kColours[i % std::size(kColours)], quoted(plot.curves[i].title));
  }
  return script + "\n";
}

std::string gnuplot_missing(const std::string& option) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((folder + "/gnuplot").c_str(), X_OK) == 0) return {};
  }
  return option + " needs gnuplot, which is not installed; to mend: apt-get install gnuplot-nox";
}

std::string draw(const Plot& plot, const std::string& file) {
  if (std::ofstream out(file); !out) return "cannot write " + file;
  std::FILE* gnuplot = ::popen("gnuplot", "w");
  if (gnuplot == nullptr) return "cannot start gnuplot";
  const std::string script = gnuplot_script(plot, file);
  const bool written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
  if (::pclose(gnuplot) == 0 && written) return {};
  return "gnuplot did not draw " + file;
}

}  // namespace lambdacast::app
