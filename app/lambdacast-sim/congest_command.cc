// SPDX-License-Identifier: BSD-3-Clause
#include "congest_command.h"

#include <iterator>
#include <map>

#include "../choice.h"
#include "sim/fabrics/graphs_spec.h"
#include "trace_option.h"

namespace lambdacast::sim_program {

namespace {

std::vector<std::string> algorithms() {
  std::vector<std::string> names = sim::fabrics::congest_algorithm_names();
  names.emplace_back("all");
  return names;
}

void add_links(CLI::App& command, CongestOptions& congest) {
  using sim::fabrics::Model;
  command.add_option("--loss", congest.losses, "of each frame")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 0.3))
      ->capture_default_str();
  app::add_choice(command, "--medium", congest.model,
                  std::map<std::string, Model>{{"A", Model::kA}, {"B", Model::kB}},
                  "A: a frame occupies its link for bits / budget; B: it leaves at line rate, and "
                  "the next one bits / budget behind it");
  command.add_option("--budget", congest.budget_bps, "bits a second for control frames")
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, uint64_t>{{"k", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}},
          CLI::AsNumberWithUnit::CASE_SENSITIVE, "BITS"))
      ->check(CLI::Range(uint64_t{1'000'000}, uint64_t{100'000'000'000}));
  command.add_option("--propagation-ns", congest.propagation_ns, "of each link")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command
      .add_option("--transport", congest.transport,
                  "stored: a stored frame a port, as published; window: several, ours")
      ->check(CLI::IsMember({"stored", "window"}))
      ->capture_default_str();
  command.add_option("--window", congest.window, "frames of a window that may be on their way")
      ->check(CLI::Range(1, 128))
      ->capture_default_str();
  command.add_option("--check-ns", congest.check_ns, "from a look at a stored frame to the next")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command
      .add_option("--timeout-ns", congest.timeout_ns,
                  "of a stored frame; 0: three round trips of a link")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1'000'000'000}))
      ->capture_default_str();
}

void add_inputs(CLI::App& command, sim::fabrics::CongestInputs& inputs) {
  command.add_option("--weight-bits", inputs.weight_bits, "weights are 1 to 2^bits")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  command
      .add_option("--epsilon-permille", inputs.epsilon_permille,
                  "a cover weighs at most 2 + epsilon times the least")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  command.add_option("--alpha-log2", inputs.alpha_log2, "a bid of a cover grows 2^this times")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  command.add_option("--spanner-k", inputs.spanner_k, "a link's ends are 2k - 1 hops apart")
      ->check(CLI::Range(1, 10))
      ->capture_default_str();
  command.add_option("--roots", inputs.roots, "of bfs, and candidates of election")
      ->check(CLI::Range(1, 6))
      ->capture_default_str();
  command.add_option("--receivers", inputs.receivers, "racks that set-cover is to reach")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command.add_option("--groups", inputs.groups, "of bitmaps")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
}

}  // namespace

CLI::App* add_congest(CLI::App& cli, CongestOptions& congest) {
  using namespace sim::fabrics;  // of this function alone
  CLI::App* command = cli.add_subcommand(
      "congest", "how long algorithms of message passing take on a fabric, and what they send");
  command->add_option("--graph", congest.graphs, std::string("which: ") + kGraphForms)
      ->type_name("GRAPH");
  // A list of so many in braces has no place to be broken, in help and manual page.
  command
      ->add_option(
          "--algorithm", congest.algorithms,
          "each that a row can have (all), or some of " + CLI::detail::join(algorithms(), ", "))
      ->type_name("ALGORITHM")
      ->delimiter(',')
      ->check(CLI::IsMember(algorithms()).description(""));
  command
      ->add_option("--sync", congest.syncs,
                   "who says when a round begins; by-iteration: beta, once for many steps; free: "
                   "nobody")
      ->delimiter(',')
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kCongestSyncNames), std::end(kCongestSyncNames))));
  add_links(*command, congest);
  add_inputs(*command, congest.inputs);
  command->add_option("--seeds", congest.seeds, "a row")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32))
      ->capture_default_str();
  command->add_option("--first-seed", congest.first_seed, "the first of them")
      ->capture_default_str();
  command
      ->add_option("--small", congest.small,
                   "instead of rows: so many runs on small graphs, all drawn, all checked")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  command->add_flag("--each", congest.each, "in JSON: RTTs, messages, cost, rounds of each seed");
  command->add_option("--jobs", congest.jobs, "threads; 0: one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command
      ->add_option("--json", congest.json,
                   "write the rows as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
  command->add_option("--svg", congest.svg, "draw the rows into that folder")->type_name("DIR");
  command
      ->add_option("--resume", congest.resume,
                   "a file that keeps finished rows: goes on behind them")
      ->type_name("FILE");
  add_trace(*command, congest.trace);
  return command;
}

}  // namespace lambdacast::sim_program
