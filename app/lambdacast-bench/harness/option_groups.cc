// SPDX-License-Identifier: BSD-3-Clause
#include "option_groups.h"

#include <charconv>

namespace lambdacast::bench {

std::string QosOptions::text() const { return std::string(config::name(qos)); }

std::string Pace::text() const {
  switch (kind) {
    case Kind::kWindow:
      return "window";
    case Kind::kNone:
      return "none";
    case Kind::kRate:
      return std::to_string(per_second);
  }
  return "?";
}

void number_or_word(CLI::App& command, const char* name, const std::string& standard,
                    const std::string& help, const std::string& allowed,
                    const std::function<bool(const std::string&)>& take) {
  const auto set = [name = std::string(name), allowed, take](const std::string& text) {
    if (take(text)) return;
    throw CLI::ValidationError(name, text + " is not allowed; allowed: " + allowed);
  };
  command.add_option_function<std::string>(name, set, help)->default_str(standard);
}

bool whole_number(const std::string& text, uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end && value != 0;
}

void add_payload(CLI::App& command, uint32_t& bytes, uint32_t least, uint32_t most,
                 const std::string& what) {
  number(command, "--payload", bytes, least, most, what);
}

void add_seconds(CLI::App& command, double& seconds, double least, const std::string& what,
                 double most) {
  number(command, "--seconds", seconds, least, most, what);
}

void add_warm_up(CLI::App& command, double& seconds, const std::string& what) {
  number(command, "--warm-up", seconds, 0.0, kMostSeconds, what);
}

void add_rate(CLI::App& command, uint64_t& rate, const std::string& whose) {
  command.add_option("--rate", rate, "messages a second of " + whose + "; 0: as fast as taken")
      ->capture_default_str();
}

void add_nodes(CLI::App& command, uint32_t& nodes, uint32_t least, const std::string& who) {
  number(command, "--nodes", nodes, least, config::kMaxEndpoints,
         "endpoints on an embedded fabric" + who);
}

void add_lcores(CLI::App& command, std::vector<uint32_t>& lcores, const std::string& whose) {
  command.add_option("--lcores", lcores, whose)
      ->delimiter(',')
      ->check(CLI::Range(0u, config::kMaxLcores - 1))
      ->capture_default_str();
}

void add_slots(CLI::App& command, uint32_t& slots) {
  command.add_option("--slots", slots, kSlotsHelp)->capture_default_str();
}

void add_in_flight(CLI::App& command, uint32_t& packets, const std::string& what) {
  number(command, "--in-flight", packets, 16u, 1u << 20, what);
}

void add_window(CLI::App& command, uint32_t& packets, const std::string& remark) {
  number(command, "--window", packets, 64u, 32768u,
         "packets retained, and received ahead of each sender" + remark);
}

void add_suspicion(CLI::App& command, uint32_t& us, uint32_t least) {
  number(command, "--suspect-us", us, least, 600'000'000u,
         "silence after which a node is excluded");
}

void add_config(CLI::App& command, std::string& file, const std::string& what) {
  command.add_option("--config", file, what)->check(CLI::ExistingFile);
}

void add_qos(CLI::App& command, QosOptions& o) {
  choice(command, "--qos", o.qos,
         {wire::Qos::kUnreliable, wire::Qos::kReliable, wire::Qos::kSourceOrdered},
         "unreliable; reliable: exactly once; source: and in the sender's order");
  number(command, "--drop", o.drop, 0.0, 1.0, "probability of an injected loss at a receiver");
  number(command, "--drop-seed", o.drop_seed, uint64_t{0}, uint64_t{1} << 62,
         "equal seeds lose equal packets");
  add_in_flight(command, o.in_flight,
                "packets a sender goes ahead of what its slowest receiver has heard of");
  number(command, "--status-us", o.status_us, 1u, 100000u,
         "least time between two statuses of a receiver");
  number(command, "--rate-pps", o.rate_pps, uint64_t{0}, uint64_t{1'000'000'000},
         "packets a second that an endpoint sends at most, repairs among them; 0: no limit");
  add_window(command, o.window, "; a power of two");
}

void add_pace(CLI::App& command, Pace& pace, const std::string& units) {
  number_or_word(
      command, "--pace", "window",
      "window (half a ring of credit), none (a flood), or " + units + " a second of all senders",
      "window, none, or a whole number of " + units + " a second",
      [&pace](const std::string& text) {
        pace.kind = text == "window" ? Pace::Kind::kWindow
                    : text == "none" ? Pace::Kind::kNone
                                     : Pace::Kind::kRate;
        return pace.kind != Pace::Kind::kRate || whole_number(text, pace.per_second);
      });
}

void add_json(CLI::App& command, Output& output) {
  command
      .add_option("--json", output.json,
                  "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
}

void add_output(CLI::App& command, Output& output, const std::string& histogram_of,
                const std::string& plot_of) {
  command
      .add_option("--histogram", output.histogram,
                  "write a file in HdrHistogram's format (.hgrm): " + histogram_of)
      ->type_name("FILE");
  command.add_option("--plot", output.plot, "draw an SVG: " + plot_of)->type_name("FILE");
  add_json(command, output);
}

std::string check_drop(const QosOptions& options, const std::string& config_file) {
  if (config_file.empty() || options.drop <= 0) return {};
  return "--drop is for the embedded fabric; with --config, use its faults";
}

}  // namespace lambdacast::bench
