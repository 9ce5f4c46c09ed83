// Histograms of nanoseconds as files.
#pragma once

#include <string>

#include "base/histogram.h"

namespace lambdacast::app {

// The percentile output of HdrHistogram (.hgrm), in microseconds: what its plotter and other tools
// read.
[[nodiscard]] std::string hgrm_of(const base::Histogram& ns);

// The name of a second file beside one: "a/run.hgrm", "bare" -> "a/run.bare.hgrm".
[[nodiscard]] std::string beside(const std::string& file, const std::string& what);

}  // namespace lambdacast::app
