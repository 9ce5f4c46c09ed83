// SPDX-License-Identifier: BSD-3-Clause
// lambdacast-sim: the shipped cores against an adversary, in virtual time.
#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "../choice.h"
#include "../command_line.h"
#include "../version_flag.h"
#include "calls.h"
#include "campaign.h"
#include "clock_command.h"
#include "congest_command.h"
#include "figures.h"
#include "graph.h"
#include "levels.h"
#include "order.h"
#include "ptp.h"
#include "rate.h"
#include "repair.h"
#include "sim/fabrics/graphs_spec.h"
#include "sim/fabrics/groups_headers.h"
#include "trees_command.h"

namespace lambdacast::sim_program {
namespace {

CLI::App* add_repair(CLI::App& cli, RepairOptions& repair) {
  CLI::App* command =
      cli.add_subcommand("repair", "how fast repair is and what it costs, against its bounds");
  command->add_option("--nodes", repair.nodes, "one sender and its receivers")
      ->delimiter(',')
      ->check(CLI::Range(2, 64))
      ->capture_default_str();
  command->add_option("--loss", repair.loss, "of each frame")
      ->delimiter(',')
      ->check(CLI::Range(0.0001, 0.2))
      ->capture_default_str();
  command->add_option("--messages", repair.messages, "in each row")
      ->check(CLI::Range(1'000, 10'000'000))
      ->capture_default_str();
  command->add_option("--seed", repair.seed, "of the losses")->capture_default_str();
  return command;
}

CLI::App* add_order(CLI::App& cli, OrderOptions& order) {
  CLI::App* command = cli.add_subcommand(
      "order", "how long the levels of service take, against their bounds; nothing is lost");
  command->add_option("--nodes", order.nodes, "members of the view")
      ->delimiter(',')
      ->check(CLI::Range(3, 80))
      ->capture_default_str();
  command->add_option("--path-mtu", order.path_mtu, "of all nodes, bytes")
      ->check(CLI::IsMember({256, 512, 1024, 2048, 4096}))
      ->capture_default_str();
  command->add_option("--messages", order.messages, "in each row, one every 47 us")
      ->check(CLI::Range(100, 1'000'000))
      ->capture_default_str();
  command->add_option("--latency-ns", order.latency_ns, "of each link, one way")
      ->check(CLI::Range(100, 1'000'000))
      ->capture_default_str();
  command->add_option("--ack-ns", order.ack_ns, "least time between two acknowledgements")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--seed", order.seed, "of the nodes' clocks")->capture_default_str();
  command->add_option("--order", order.order, "who says what comes next: sequencer, ring or mixed")
      ->check(CLI::IsMember({"sequencer", "ring", "mixed"}))
      ->capture_default_str();
  command
      ->add_option("--false-views", order.false_views_s,
                   "instead of latencies: does the first view last so many seconds, nobody being "
                   "suspected?")
      ->check(CLI::Range(1, 100'000));
  command->add_option("--suspect-us", order.suspect_us, "suspect_after, with --false-views")
      ->check(CLI::Range(200, 1'000'000))
      ->capture_default_str();
  return command;
}

CLI::App* add_rate(CLI::App& cli, RateOptions& rate) {
  CLI::App* command = cli.add_subcommand(
      "rate",
      "how long a higher need takes to be granted, and what members send while their needs "
      "change, against the bounds");
  command->add_option("--nodes", rate.nodes, "members of the view, where a need is raised")
      ->delimiter(',')
      ->check(CLI::Range(3, 80))
      ->capture_default_str();
  command->add_option("--latency-ns", rate.latency_ns, "of each link, one way")
      ->check(CLI::Range(100, 50'000))
      ->capture_default_str();
  command->add_option("--ack-ns", rate.ack_ns, "least time between two acknowledgements")
      ->check(CLI::Range(1, 20'000))
      ->capture_default_str();
  command->add_option("--raises", rate.raises, "in each row")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--plateau-ms", rate.plateau_ms, "of FastCast's Figure 5, between changes")
      ->check(CLI::Range(10, 10'000))
      ->capture_default_str();
  command
      ->add_option("--json", rate.json,
                   "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
  command->add_option("--seed", rate.seed, "of the nodes' clocks")->capture_default_str();
  return command;
}

CLI::App* add_figures(CLI::App& cli, FiguresOptions& figures) {
  CLI::App* command = cli.add_subcommand(
      "figures", "FastCast's figures: throughput and latency beside LCR and Ring Paxos");
  command
      ->add_option("--figure", figures.figure,
                   "6: throughput by nodes; 7: response time by load; 8: latency by nodes")
      ->check(CLI::IsMember({6, 7, 8}))
      ->required();
  command->add_option("--nodes", figures.nodes, "how many, for figures 6 and 8")
      ->delimiter(',')
      ->check(CLI::Range(2, 16))
      ->capture_default_str();
  command->add_option("--loads", figures.loads_mbps, "of all senders, Mbit/s, for figure 7")
      ->delimiter(',')
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command->add_option("--message-bytes", figures.message_bytes, "of each message")
      ->check(CLI::Range(5'000, 100'000))
      ->capture_default_str();
  command->add_option("--line-mbps", figures.line_mbps, "of each node, either way, Mbit/s")
      ->check(CLI::Range(100, 100'000))
      ->capture_default_str();
  command->add_option("--latency-us", figures.latency_us, "of each link, one way")
      ->check(CLI::Range(1, 1'000))
      ->capture_default_str();
  command->add_option("--measure-ms", figures.measure_ms, "of virtual time, for figures 6 and 7")
      ->check(CLI::Range(10, 10'000))
      ->capture_default_str();
  command->add_option("--plot", figures.plot, "draw the figure as SVG")->type_name("FILE");
  command
      ->add_option("--json", figures.json,
                   "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
  command->add_option("--seed", figures.seed, "of the nodes' clocks")->capture_default_str();
  return command;
}

CLI::App* add_graph(CLI::App& cli, GraphOptions& graph) {
  CLI::App* command =
      cli.add_subcommand("graph", "nodes, links, diameter and degree of a graph of switches");
  command->add_option("--graph", graph.graph, std::string("which: ") + sim::fabrics::kGraphForms)
      ->type_name("GRAPH")
      ->required();
  command->add_option("--seed", graph.seed, "of a graph that is drawn")->capture_default_str();
  command
      ->add_option("--json", graph.json,
                   "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
  return command;
}

CLI::App* add_ptp(CLI::App& cli, PtpOptions& ptp) {
  CLI::App* command = cli.add_subcommand(
      "ptp", "how IEEE 1588's best master clock algorithm decides on a graph of switches");
  command->add_option("--graph", ptp.graph, std::string("which: ") + sim::fabrics::kGraphForms)
      ->type_name("GRAPH")
      ->required();
  command->add_option("--best", ptp.best, "the switch with the best clock; others by their numbers")
      ->type_name("SWITCH")
      ->capture_default_str();
  command->add_option("--fail", ptp.failing, "switches that fail once there are trees")
      ->type_name("SWITCH")
      ->delimiter(',');
  command->add_option("--seed", ptp.seed, "of a graph that is drawn, and of the run")
      ->capture_default_str();
  command
      ->add_option("--json", ptp.json,
                   "write the report as JSON to a file, or - for standard output")
      ->type_name("FILE|-");
  return command;
}

CLI::App* add_campaign(CLI::App& cli, CampaignOptions& campaign) {
  CLI::App* command = cli.add_subcommand("campaign", "many random scenarios, all checked");
  command->add_option("--seeds", campaign.seeds, "how many")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--first-seed", campaign.first_seed, "the first of them")
      ->capture_default_str();
  using Kind = CampaignOptions::Kind;
  const std::map<std::string, Kind> kinds = {{"reliable", Kind::kReliable}, {"views", Kind::kViews},
                                             {"both", Kind::kBoth},         {"rates", Kind::kRates},
                                             {"ring", Kind::kRing},         {"locks", Kind::kLocks},
                                             {"deaths", Kind::kDeaths}};
  app::add_choice(
      *command, "--kind", campaign.kind, kinds,
      "reliable: without views, one of four with messages of several packets (from 2^34 on); "
      "views: with membership and total order (from 2^32 on), all that follow in turn, groups "
      "that have names (from 2^33 on), ordered messages of several packets (from 3 * 2^32 on) "
      "and of all levels (from 5 * 2^32 on); both: half of the seeds of reliable and of views; "
      "rates: with rates agreed on (from 6 * 2^32 on); ring: with a token ring for all domains "
      "or half of them (from 7 * 2^32 on); locks: with locks of groups, half with calls (from "
      "8 * 2^32 on), and one of four with locks of a group that is suspended at times (from "
      "17 * 2^31 on); deaths: with a fabric that tells of deaths (from 11 * 2^32 on)");
  command->add_option("--jobs", campaign.jobs, "threads; 0: one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_option("--resume", campaign.resume,
                      "a file that keeps what was done: goes on behind it");
  return command;
}

}  // namespace
}  // namespace lambdacast::sim_program

int main(int argc, char** argv) {
  namespace app = lambdacast::app;
  namespace sim_program = lambdacast::sim_program;
  const app::CommandLine line = app::split(argc, argv);
  CLI::App cli("Runs Lambdacast's cores on a simulated fabric that loses, damages and delays.",
               "lambdacast-sim");
  app::add_version_flag(cli);
  cli.require_subcommand(1);
  sim_program::CampaignOptions campaign;
  const CLI::App* campaign_command = sim_program::add_campaign(cli, campaign);

  uint64_t seed = 0;
  bool trace = false, calm = false;
  CLI::App* replay_command = cli.add_subcommand("replay", "one seed again");
  replay_command->add_option("--seed", seed, "which")->required();
  replay_command->add_flag("--trace", trace, "print a line for every event");
  replay_command->add_flag("--calm", calm, "in calm surroundings: one lcore, links never full");
  std::string capture;
  replay_command->add_option("--capture", capture,
                             "a pcap file for every frame that a node sends, in virtual time");

  sim_program::RepairOptions repair;
  const CLI::App* repair_command = sim_program::add_repair(cli, repair);
  sim_program::OrderOptions order;
  const CLI::App* order_command = sim_program::add_order(cli, order);
  sim_program::CallsOptions calls;
  const CLI::App* calls_command = sim_program::add_calls(cli, calls);
  sim_program::LevelsOptions levels;
  const CLI::App* levels_command = sim_program::add_levels(cli, levels);
  sim_program::RateOptions rate;
  const CLI::App* rate_command = sim_program::add_rate(cli, rate);
  sim_program::ClockOptions clock;
  const CLI::App* clock_command = sim_program::add_clock(cli, clock);
  sim_program::CongestOptions congest;
  const CLI::App* congest_command = sim_program::add_congest(cli, congest);
  sim_program::FiguresOptions figures;
  const CLI::App* figures_command = sim_program::add_figures(cli, figures);
  sim_program::GraphOptions graph;
  const CLI::App* graph_command = sim_program::add_graph(cli, graph);
  sim_program::PtpOptions ptp;
  const CLI::App* ptp_command = sim_program::add_ptp(cli, ptp);
  sim_program::TreesOptions trees;
  const CLI::App* trees_command = sim_program::add_trees(cli, trees);

  try {
    cli.parse(std::vector<std::string>(line.own.rbegin(), line.own.rend()));
  } catch (const CLI::ParseError& error) {
    return app::refused(cli, error);
  }
  if (repair_command->parsed()) return sim_program::run_repair(repair);
  if (order_command->parsed()) return sim_program::run_order(order);
  if (calls_command->parsed()) return sim_program::run_calls(calls);
  if (levels_command->parsed()) return sim_program::run_levels(levels);
  if (rate_command->parsed()) return sim_program::run_rate(rate);
  if (clock_command->parsed()) return sim_program::run_clock(clock);
  if (congest_command->parsed()) return sim_program::run_congest(congest);
  if (figures_command->parsed()) return sim_program::run_figures(figures);
  if (graph_command->parsed()) return sim_program::run_graph(graph);
  if (ptp_command->parsed()) return sim_program::run_ptp(ptp);
  if (trees_command->parsed()) return sim_program::run_trees(trees);
  return campaign_command->parsed() ? sim_program::run_campaign(campaign)
                                    : sim_program::run_replay(seed, trace, calm, capture);
}
