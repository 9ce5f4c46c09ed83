// SPDX-License-Identifier: BSD-3-Clause
#include "clock_command.h"

#include <map>

#include "../choice.h"
#include "sim/fabrics/clock_schemes.h"
#include "sim/fabrics/graphs_spec.h"
#include "trace_option.h"

namespace lambdacast::sim_program {

namespace {

void add_assumptions(CLI::App& command, ClockOptions& clock) {
  using sim::fabrics::Model;
  app::add_choice(command, "--medium", clock.model,
                  std::map<std::string, Model>{{"A", Model::kA}, {"B", Model::kB}},
                  "A: a frame occupies its link for bits / budget; B: it leaves at line rate, and "
                  "the next one bits / budget behind it");
  command.add_option("--loss", clock.loss, "of each frame")
      ->check(CLI::Range(0.0, 0.3))
      ->capture_default_str();
  command.add_option("--propagation-ns", clock.propagation_ns, "of each link")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command.add_option("--interval-us", clock.interval_us, "between two waves")
      ->check(CLI::Range(10, 100'000))
      ->capture_default_str();
  command.add_option("--drift-ppm", clock.drift_ppm, "of a clock against the root's, at most")
      ->check(CLI::Range(0.1, 10'000.0))
      ->capture_default_str();
  command.add_option("--base-ns", clock.base_ns, "uncertainty of a hop")
      ->check(CLI::Range(0.0, 10'000.0))
      ->capture_default_str();
  command
      .add_option("--candidates", clock.candidates,
                  "for the root, on average; 0: 4, and 2 at 10 Mb/s and below")
      ->check(CLI::Range(0.0, 14.0))
      ->capture_default_str();
  command.add_option("--probes", clock.probes, "lost in a row; 0: two false recoveries an hour")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command.add_option("--slack-us", clock.slack_us, "that a wave may be late")
      ->check(CLI::Range(0.1, 1'000.0))
      ->capture_default_str();
}

}  // namespace

CLI::App* add_clock(CLI::App& cli, ClockOptions& clock) {
  using namespace sim::fabrics;  // of this function alone
  CLI::App* command = cli.add_subcommand(
      "clock", "how fast a tree of clocks is mended, and how far apart clocks may be meanwhile");
  command->add_option("--graph", clock.graphs, std::string("which: ") + kGraphForms)
      ->type_name("GRAPH");
  command->add_option("--scheme", clock.schemes, "which, beside each other")
      ->delimiter(',')
      ->check(CLI::IsMember(clock_scheme_names()));
  command->add_option("--budget", clock.budgets_bps, "bits a second for control frames")
      ->delimiter(',')
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, uint64_t>{{"k", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}},
          CLI::AsNumberWithUnit::CASE_SENSITIVE, "BITS"))
      ->check(CLI::Range(uint64_t{1'000'000}, uint64_t{100'000'000'000}));
  command->add_option("--failures", clock.failures, "at a time, the first at the root")
      ->delimiter(',')
      ->check(CLI::Range(0, 16))
      ->capture_default_str();
  command->add_option("--failing", clock.failing, "what fails")
      ->check(CLI::IsMember({"switch", "link"}))
      ->capture_default_str();
  add_assumptions(*command, clock);
  command->add_option("--with", clock.with, "improvements beside those of the scheme")
      ->delimiter(',')
      ->check(CLI::IsMember(clock_improvement_names()));
  command->add_option("--without", clock.without, "improvements that the scheme is to lack")
      ->delimiter(',')
      ->check(CLI::IsMember(clock_improvement_names()));
  command->add_flag("--ablation", clock.ablation,
                    "instead of schemes: ours without each improvement, and published with each");
  command->add_option("--seeds", clock.seeds, "a row")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32))
      ->capture_default_str();
  command->add_option("--first-seed", clock.first_seed, "the first of them")->capture_default_str();
  command
      ->add_option("--small", clock.small,
                   "instead of rows: so many runs on small graphs, all drawn, all checked")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  command->add_option("--jobs", clock.jobs, "threads; 0: one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command
      ->add_option("--calm-ms", clock.calm_ms,
                   "of virtual time before the first failure; with --failures 0 the false "
                   "recoveries in it are counted; 0: ten intervals")
      ->check(CLI::Range(0, 36'000'000))
      ->capture_default_str();
  command->add_option("--bin-us", clock.bin_us, "of the first seed's course, in JSON; 0: none")
      ->check(CLI::Range(0.0, 10'000.0))
      ->capture_default_str();
  command
      ->add_option("--json", clock.json,
                   "write the rows as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
  command->add_option("--svg", clock.svg, "draw the rows into that folder")->type_name("DIR");
  command
      ->add_option("--resume", clock.resume, "a file that keeps finished rows: goes on behind them")
      ->type_name("FILE");
  add_trace(*command, clock.trace);
  return command;
}

}  // namespace lambdacast::sim_program
