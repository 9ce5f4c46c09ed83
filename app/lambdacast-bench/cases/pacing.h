// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench pacing`: how evenly an endpoint with a limit sends, in windows of a
// millisecond. A window begins and ends with a frame, so that its rate has no part of a frame too
// much. In a window in which rate_control did not run for longer than a burst lasts, what it did
// not earn is lost: such windows are counted and left out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../command_line.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"

namespace lambdacast::bench {

// Rates of windows, from what has been sent by each turn of an lcore.
class PacingWindows {
 public:
  static constexpr uint64_t kWindowNs = 1'000'000;

  // `burst_ns`: a window with a longer time between two turns is left out.
  PacingWindows(uint64_t rate_bps, uint64_t burst_ns)
      : rate_bps_(static_cast<double>(rate_bps)), burst_ns_(burst_ns) {}

  // So many bytes on the wire have been sent in all.
  void turn(uint64_t bytes, uint64_t now_ns) {
    if (last_ns_ != 0) gap_ns_ = std::max(gap_ns_, now_ns - last_ns_);
    last_ns_ = now_ns;
    if (bytes == bytes_) return;
    bytes_ = bytes;
    if (begin_ns_ == 0) return begin(now_ns);
    if (now_ns - begin_ns_ < kWindowNs) return;
    const double bps =
        static_cast<double>(bytes - begin_bytes_) * 8e9 / static_cast<double>(now_ns - begin_ns_);
    if (gap_ns_ > burst_ns_)
      ++left_out_;
    else
      ratios_.push_back(bps / rate_bps_);
    begin(now_ns);
  }
  void reserve(size_t windows) { ratios_.reserve(windows); }

  // The rate of each window, as a part of the limit.
  [[nodiscard]] const std::vector<double>& ratios() const { return ratios_; }
  [[nodiscard]] uint64_t left_out() const { return left_out_; }

 private:
  void begin(uint64_t now_ns) {
    begin_ns_ = now_ns;
    begin_bytes_ = bytes_;
    gap_ns_ = 0;
  }

  const double rate_bps_;
  const uint64_t burst_ns_;
  uint64_t bytes_ = 0;
  uint64_t last_ns_ = 0;   // of the last turn; 0: none yet
  uint64_t gap_ns_ = 0;    // the longest between two turns of this window
  uint64_t begin_ns_ = 0;  // of this window; 0: none yet
  uint64_t begin_bytes_ = 0;
  std::vector<double> ratios_;
  uint64_t left_out_ = 0;
};

struct PacingOptions {
  std::vector<uint32_t> lcores = {0, 1};  // the sender's and the receiver's
  uint64_t rate_bps = 1'000'000'000;
  uint32_t burst_us = 1'000;
  uint32_t payload_bytes = 4'048;
  double seconds = 5;
  double warm_up = 0.2;
  Output output;
};

void add_options(CLI::App& command, PacingOptions& options);
[[nodiscard]] std::string check(const PacingOptions& options);
[[nodiscard]] Planned rack_of(const PacingOptions& options);

struct PacingReport {
  static constexpr double kNear = 0.02;  // of the rate

  std::vector<double> ratios;  // ascending
  uint64_t left_out = 0;
  double mean_ratio = 0;  // of all that was sent, in windows or not
  uint64_t bytes = 0;

  [[nodiscard]] double near_part() const;
  [[nodiscard]] double value_at(double part) const;
  [[nodiscard]] bool sound() const { return !ratios.empty(); }
};
[[nodiscard]] Readings readings_of(const PacingReport& report, const PacingOptions& options);

[[nodiscard]] int run(const app::CommandLine& line, const PacingOptions& options);

}  // namespace lambdacast::bench
