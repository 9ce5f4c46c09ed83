// SPDX-License-Identifier: BSD-3-Clause
#include "bench_rack.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/plain_text.h"

namespace lambdacast::bench {

app::ExitCode complain(const std::string& sentence, app::ExitCode code) {
  std::fprintf(stderr, "lambdacast-bench: %s\n", base::shown_lines(sentence).c_str());
  return code;
}

tl::expected<BenchRack, app::ExitCode> BenchRack::create(const app::CommandLine& line,
                                                         const config::Config& config,
                                                         const rack::Endpoint::Options& options) {
  const auto arguments = dpdk::eal_arguments(config, line.eal, dpdk::Machine::this_one());
  if (!arguments.note.empty()) (void)complain(arguments.note, app::kExitOk);
  auto eal = dpdk::Eal::start(line.program, arguments);
  if (!eal) return tl::unexpected(complain(eal.error().message, app::kExitEnvironment));
  auto rack = rack::Rack::create(config, options);
  if (!rack) return tl::unexpected(complain(rack.error().message, app::kExitEnvironment));
  return BenchRack{std::move(*eal), std::move(*rack)};
}

uint64_t window_of(const config::Config& config) {
  if (config.fabric) return config.fabric->slots / 2;
  uint32_t descriptors = config.endpoints.front().rx_descriptors;
  for (const auto& endpoint : config.endpoints) {
    descriptors = std::min(descriptors, endpoint.rx_descriptors);
  }
  return descriptors / 2;
}

bool await_receivers(rack::Rack& rack, size_t sender, size_t receivers, dpdk::StopSignal& stop) {
  constexpr int kPatienceMs = 10'000;
  for (int ms = 0; ms < kPatienceMs && !stop.came(); ++ms) {
    if (rack.endpoint(sender).receivers() >= receivers) return true;
    stop.wait_ms(1);
  }
  (void)complain("endpoint " + rack.endpoint(sender).config().name + " has " +
                     std::to_string(rack.endpoint(sender).receivers()) + " of " +
                     std::to_string(receivers) + " receivers after 10 s",
                 app::kExitEnvironment);
  return false;
}

bool write_file(const std::string& text, const std::string& file) {
  if (file.empty()) return true;
  if (file == "-") {
    std::fputs(text.c_str(), stdout);
    return true;
  }
  std::ofstream out(file);
  out << text;
  if (out.flush()) return true;
  (void)complain("cannot write " + file, app::kExitEnvironment);
  return false;
}

bool draw_plot(const Plot& plot, const std::string& file) {
  if (file.empty()) return true;
  const std::string wrong = draw(plot, file);
  if (!wrong.empty()) (void)complain(wrong, app::kExitEnvironment);
  return wrong.empty();
}

void print(const std::string& text, const std::string& json_file) {
  std::fputs(text.c_str(), json_file == "-" ? stderr : stdout);
}

}  // namespace lambdacast::bench
