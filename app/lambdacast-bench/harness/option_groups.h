// SPDX-License-Identifier: BSD-3-Clause
// Options that several benchmarks have, each declared here once, and what checks them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "../../choice.h"
#include "config/config.h"
#include "options.h"

namespace lambdacast::bench {

// A number, or a list of such, with the bounds of each; the default is in the help.
template <typename T, typename Bound>
CLI::Option* number(CLI::App& command, const char* name, T& value, Bound least, Bound most,
                    const std::string& help) {
  return command.add_option(name, value, help)
      ->check(CLI::Range(least, most))
      ->capture_default_str();
}

// One of these, by what name() calls them.
template <typename Value>
void choice(CLI::App& command, const char* option, Value& value,
            std::initializer_list<Value> allowed, const std::string& help) {
  using config::name;
  std::map<std::string, Value> choices;
  for (const Value each : allowed) choices.emplace(name(each), each);
  app::add_choice(command, option, value, choices, help);
}

// A number, or one of a few words. `take` gets the text and says whether it is right.
void number_or_word(CLI::App& command, const char* name, const std::string& standard,
                    const std::string& help, const std::string& allowed,
                    const std::function<bool(const std::string&)>& take);
// Whether all of the text is a number above 0, which then is in `value`.
[[nodiscard]] bool whole_number(const std::string& text, uint64_t& value);

inline constexpr double kMostSeconds = 1e6;

void add_payload(CLI::App& command, uint32_t& bytes, uint32_t least, uint32_t most = 4048,
                 const std::string& what = "bytes of the application in each message");
void add_seconds(CLI::App& command, double& seconds, double least, const std::string& what,
                 double most = kMostSeconds);
void add_warm_up(CLI::App& command, double& seconds, const std::string& what);
void add_rate(CLI::App& command, uint64_t& rate, const std::string& whose);
void add_nodes(CLI::App& command, uint32_t& nodes, uint32_t least, const std::string& who);
void add_lcores(CLI::App& command, std::vector<uint32_t>& lcores,
                const std::string& whose = "lcores for the nodes, neighbours together");
inline constexpr const char* kSlotsHelp = "frames each ring of the fabric holds, a power of two";
void add_slots(CLI::App& command, uint32_t& slots);
void add_in_flight(CLI::App& command, uint32_t& packets, const std::string& what);
void add_window(CLI::App& command, uint32_t& packets, const std::string& remark = "");
void add_suspicion(CLI::App& command, uint32_t& us, uint32_t least);
void add_config(CLI::App& command, std::string& file, const std::string& what);
void add_qos(CLI::App& command, QosOptions& options);
// units: what a rate counts, "packets" or "messages".
void add_pace(CLI::App& command, Pace& pace, const std::string& units);
void add_json(CLI::App& command, Output& output);
// JSON too. what: of the histogram and the plot.
void add_output(CLI::App& command, Output& output, const std::string& histogram_of,
                const std::string& plot_of);

// One sentence, or nothing: faults are the embedded fabric's.
[[nodiscard]] std::string check_drop(const QosOptions& options, const std::string& config_file);

}  // namespace lambdacast::bench
