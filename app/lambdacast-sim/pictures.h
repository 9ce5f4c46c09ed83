// SPDX-License-Identifier: BSD-3-Clause
// The pictures that `--svg DIR` asks for: one a file, named after what it shows.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "../plot.h"

namespace lambdacast::sim_program {

class Pictures {
 public:
  explicit Pictures(std::string folder) : folder_(std::move(folder)) {}
  [[nodiscard]] bool wanted() const { return !folder_.empty(); }
  // Empty, or a sentence: why there would be none.
  [[nodiscard]] std::string missing() const {
    return wanted() ? app::gnuplot_missing("--svg") : std::string();
  }
  // Adds a point to a curve of a picture; both are made when they are first named.
  void point(const std::string& picture, const app::Plot& labels, const std::string& curve,
             double x, double y) {
    if (!wanted()) return;
    auto found = std::find_if(plots_.begin(), plots_.end(),
                              [&](const auto& plot) { return plot.first == picture; });
    if (found == plots_.end()) found = plots_.insert(found, {picture, labels});
    auto& curves = found->second.curves;
    auto at = std::find_if(curves.begin(), curves.end(),
                           [&](const app::Curve& each) { return each.title == curve; });
    if (at == curves.end()) at = curves.insert(at, {curve, {}});
    at->points.emplace_back(x, y);
  }
  // Empty, or a sentence.
  [[nodiscard]] std::string draw() const {
    for (const auto& [name, plot] : plots_) {
      const std::string said = app::draw(plot, folder_ + "/" + file_name(name) + ".svg");
      if (!said.empty()) return said;
    }
    return {};
  }
  // Without the folder of a graph's file. What is no letter or digit becomes a hyphen.
  [[nodiscard]] static std::string file_name(const std::string& name) {
    const size_t slash = name.find_last_of('/');
    const bool has_folder = slash != std::string::npos;
    std::string file =
        has_folder ? name.substr(0, name.find(':') + 1) + name.substr(slash + 1) : name;
    for (char& c : file)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
    return file;
  }

 private:
  const std::string folder_;
  std::vector<std::pair<std::string, app::Plot>> plots_;  // by name
};

}  // namespace lambdacast::sim_program
