// SPDX-License-Identifier: BSD-3-Clause
// What every benchmark does first and last: EAL and a rack of its configuration; a report.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "../command_line.h"
#include "config/config.h"
#include "dpdk/eal.h"
#include "dpdk/stop_signal.h"
#include "plot.h"
#include "rack/rack.h"

namespace lambdacast::bench {

// One sentence on standard error; returns the code.
app::ExitCode complain(const std::string& sentence, app::ExitCode code);

struct BenchRack {
  std::unique_ptr<dpdk::Eal> eal;
  std::unique_ptr<rack::Rack> rack;  // gone before EAL

  // Not started yet. On an error it has complained, and the code is the program's. A StopSignal has
  // to be there before.
  [[nodiscard]] static tl::expected<BenchRack, app::ExitCode> create(
      const app::CommandLine& line, const config::Config& config,
      const rack::Endpoint::Options& options);
};

// Until so many receivers hold a place in the stream of endpoint `sender`; false, and has
// complained, if they do not within ten seconds.
[[nodiscard]] bool await_receivers(rack::Rack& rack, size_t sender, size_t receivers,
                                   dpdk::StopSignal& stop);

// Of the window pace: half a ring of the embedded fabric. Real ports: half their descriptors.
[[nodiscard]] uint64_t window_of(const config::Config& config);

// The text on standard output, or on standard error if JSON goes there; JSON and others to their
// files, "-" being standard output and an empty name none. False, and has complained, if one cannot
// be written.
bool write_file(const std::string& text, const std::string& file);
bool draw_plot(const Plot& plot, const std::string& file);
void print(const std::string& text, const std::string& json_file);

}  // namespace lambdacast::bench
