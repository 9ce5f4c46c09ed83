// SPDX-License-Identifier: BSD-3-Clause
// Histograms as files.
#pragma once

#include <string>

#include "base/histogram.h"

namespace lambdacast::bench {

inline constexpr double kNsPerUs = 1000;

// The percentile output of HdrHistogram (.hgrm), which its plotter and other tools read. Values are
// written in units of `unit`: kNsPerUs makes microseconds of nanoseconds.
[[nodiscard]] std::string hgrm_of(const base::Histogram& histogram, double unit);

// The name of a second file beside one: "a/run.hgrm", "bare" -> "a/run.bare.hgrm".
[[nodiscard]] std::string beside(const std::string& file, const std::string& what);

}  // namespace lambdacast::bench
