#include "throughput_options.h"

#include <CLI/CLI.hpp>
#include <map>

namespace lambdacast::app {

void add_throughput_options(CLI::App& command, ThroughputOptions& o) {
  command.add_option("--payload", o.payload_bytes, "bytes of the application in each message")
      ->check(CLI::Range(1u, 4048u))
      ->capture_default_str();
  command.add_option("--seconds", o.seconds, "to measure; 0: until --count")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command.add_option("--count", o.count, "messages to measure; 0: until --seconds")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 60))
      ->capture_default_str();
  command.add_option("--warm-up", o.warm_up_s, "seconds before, not measured")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  const std::map<std::string, Fill> fills = {{"each", Fill::kEach}, {"never", Fill::kNever}};
  command
      .add_option("--fill", o.fill,
                  "each: every message is written anew and checked; never: what lies in the packet "
                  "goes out")
      ->transform(CLI::CheckedTransformer(fills))
      ->default_str("each");
  add_pace_option(command, o.pace, "messages");
  add_pair_options(command, o.pair, "messages a second, in intervals of 10 ms",
                   "messages and goodput over time");
}

std::string check(const ThroughputOptions& o) {
  if (o.seconds == 0 && o.count == 0) return "--seconds 0 needs --count";
  return check(o.pair);
}

tl::expected<config::Config, std::string> rack_of(const ThroughputOptions& o) {
  return rack_of(o.pair, o.payload_bytes);
}

}  // namespace lambdacast::app
