// lambdacast-sim: the shipped cores against an adversary, in virtual time.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "../command_line.h"
#include "campaign.h"
#include "repair.h"

int main(int argc, char** argv) {
  namespace app = lambdacast::app;
  const app::CommandLine line = app::split(argc, argv);
  CLI::App cli("Runs Lambdacast's cores on a simulated fabric that loses, damages and delays.",
               "lambdacast-sim");
  cli.require_subcommand(1);

  app::CampaignOptions campaign;
  CLI::App* campaign_command = cli.add_subcommand("campaign", "many random scenarios, all checked");
  campaign_command->add_option("--seeds", campaign.seeds, "how many")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
      ->capture_default_str();
  campaign_command->add_option("--first-seed", campaign.first_seed, "the first of them")
      ->capture_default_str();
  campaign_command->add_option("--jobs", campaign.jobs, "threads; 0: one a core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  campaign_command->add_option("--resume", campaign.resume,
                               "a file that keeps what was done: goes on behind it");

  uint64_t seed = 0;
  bool trace = false;
  CLI::App* replay_command = cli.add_subcommand("replay", "one seed again");
  replay_command->add_option("--seed", seed, "which")->required();
  replay_command->add_flag("--trace", trace, "print a line for every event");

  app::RepairOptions repair;
  CLI::App* repair_command =
      cli.add_subcommand("repair", "how fast repair is and what it costs, against its bounds");
  repair_command->add_option("--nodes", repair.nodes, "one sender and its receivers")
      ->delimiter(',')
      ->check(CLI::Range(2, 64))
      ->capture_default_str();
  repair_command->add_option("--loss", repair.loss, "of each frame")
      ->delimiter(',')
      ->check(CLI::Range(0.0001, 0.2))
      ->capture_default_str();
  repair_command->add_option("--messages", repair.messages, "in each row")
      ->check(CLI::Range(1'000, 10'000'000))
      ->capture_default_str();
  repair_command->add_option("--seed", repair.seed, "of the losses")->capture_default_str();

  try {
    cli.parse(std::vector<std::string>(line.own.rbegin(), line.own.rend()));
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? app::kExitOk : app::kExitUsage;
  }
  if (repair_command->parsed()) return app::run_repair(repair);
  return campaign_command->parsed() ? app::run_campaign(campaign) : app::run_replay(seed, trace);
}
