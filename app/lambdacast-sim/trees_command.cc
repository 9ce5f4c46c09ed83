// SPDX-License-Identifier: BSD-3-Clause
#include "trees_command.h"

#include <map>
#include <string>
#include <vector>

#include "../choice.h"
#include "sim/fabrics/graphs_spec.h"
#include "sim/fabrics/groups_headers.h"
#include "sim/fabrics/tree_schemes.h"
#include "trace_option.h"

namespace lambdacast::sim_program {

namespace {

// With --failures or --small repairs are measured, and no headers.
void add_mending(CLI::App& command, MendingOptions& mending) {
  using namespace sim::fabrics;  // of this function alone
  command
      .add_option("--failures", mending.failures,
                  "instead of headers: so many switches or links fail at a time, and the others "
                  "mend the trees of the groups")
      ->delimiter(',')
      ->check(CLI::Range(1, 11));
  command.add_option("--failing", mending.failing, "what fails")
      ->check(CLI::IsMember({"switch", "link"}))
      ->capture_default_str();
  command.add_option("--repair", mending.schemes, "which, beside each other")
      ->delimiter(',')
      ->check(CLI::IsMember(tree_scheme_names()))
      ->capture_default_str();
  command.add_option("--with", mending.with, "improvements beside those of the scheme")
      ->delimiter(',')
      ->check(CLI::IsMember(tree_improvement_names()));
  command.add_option("--without", mending.without, "improvements that the scheme is to lack")
      ->delimiter(',')
      ->check(CLI::IsMember(tree_improvement_names()));
  command.add_flag("--ablation", mending.ablation,
                   "instead of schemes: ours without each improvement, and published with each");
  command.add_option("--budget", mending.budgets_bps, "bits a second for control frames")
      ->delimiter(',')
      ->transform(CLI::AsNumberWithUnit(
          std::map<std::string, uint64_t>{{"k", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}},
          CLI::AsNumberWithUnit::CASE_SENSITIVE, "BITS"))
      ->check(CLI::Range(uint64_t{1'000'000}, uint64_t{100'000'000'000}));
  app::add_choice(command, "--medium", mending.model,
                  std::map<std::string, Model>{{"A", Model::kA}, {"B", Model::kB}},
                  "A: a frame occupies its link for bits / budget; B: it leaves at line rate, and "
                  "the next one bits / budget behind it");
  command.add_option("--loss", mending.loss, "of each frame")
      ->check(CLI::Range(0.0, 0.3))
      ->capture_default_str();
  command.add_option("--interval-us", mending.interval_us, "between two probes of a neighbour")
      ->check(CLI::Range(10, 100'000))
      ->capture_default_str();
  command.add_option("--probes", mending.probes, "lost in a row; 0: two false recoveries an hour")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command.add_option("--seeds", mending.seeds, "a row of --failures")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32))
      ->capture_default_str();
  command.add_option("--first-seed", mending.first_seed, "the first of them")
      ->capture_default_str();
  command
      .add_option("--small", mending.small,
                  "instead of rows: so many repairs on small graphs, all drawn, all checked")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  command
      .add_option("--bin-us", mending.bin_us,
                  "of the first seed's bits on the busiest link, in JSON; 0: none")
      ->check(CLI::Range(0.0, 10'000.0))
      ->capture_default_str();
  command
      .add_option("--resume", mending.resume,
                  "a file that keeps finished rows of --failures: goes on behind them")
      ->type_name("FILE");
  add_trace(command, mending.trace);
}

}  // namespace

CLI::App* add_trees(CLI::App& cli, TreesOptions& trees) {
  CLI::App* command = cli.add_subcommand(
      "trees",
      "headers of multicast groups in a data centre, whom a failure affects, and how fast switches "
      "mend their trees");
  command->add_option("--graph", trees.graph, std::string("which: ") + sim::fabrics::kGraphForms)
      ->type_name("GRAPH");
  command->add_option("--scheme", trees.schemes, "which to print, beside each other; all if none")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(sim::fabrics::kHeaderSchemeNames.begin(),
                                                     sim::fabrics::kHeaderSchemeNames.end())));
  command->add_option("--groups", trees.groups, "how many")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command->add_option("--mean-size", trees.mean_size, "VMs a group; 0: a hundredth of the switches")
      ->check(CLI::Range(0.0, 10'000.0))
      ->capture_default_str();
  command->add_option("--vms-per-rack", trees.vms_per_rack, "of one tenant")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  command->add_option("--spanner-k", trees.spanner_k, "a link's ends are 2k - 1 hops apart")
      ->check(CLI::Range(1, 10))
      ->capture_default_str();
  command->add_flag("--turn-on-spanner", trees.turn_on_spanner,
                    "groups break ties differently on the spanner too");
  command->add_option("--elmo-redundancy", trees.elmo_redundancy, "ports that a bitmap may add")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command->add_option("--orca-false-positives", trees.orca_false_positives, "of its filter")
      ->check(CLI::Range(1e-6, 0.5))
      ->capture_default_str();
  command->add_flag("--check", trees.check, "follow each header and compare with its tree");
  add_mending(*command, trees.mending);
  command->add_option("--seed", trees.seed, "of graph, spanner and groups")->capture_default_str();
  command->add_option("--jobs", trees.jobs, "threads; 0: one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command
      ->add_option("--json", trees.json,
                   "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
  command
      ->add_option("--svg", trees.svg,
                   "draw the headers, or the course of the first repair, into that folder")
      ->type_name("DIR");
  return command;
}

}  // namespace lambdacast::sim_program
