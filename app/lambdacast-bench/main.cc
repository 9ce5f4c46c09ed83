// lambdacast-bench: one subcommand a measurement.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "../command_line.h"
#include "loss.h"

int main(int argc, char** argv) {
  namespace app = lambdacast::app;
  const app::CommandLine line = app::split(argc, argv);
  CLI::App cli("Measures Lambdacast.\nlambdacast-bench [EAL OPTIONS --] BENCHMARK OPTIONS",
               "lambdacast-bench");
  cli.require_subcommand(1);
  app::LossOptions loss;
  auto* loss_command = cli.add_subcommand("loss",
                                          "account for every packet of a rack: sent x receivers = "
                                          "delivered + lost by reason");
  app::add_loss_options(*loss_command, loss);
  loss_command->final_callback([&] {
    if (const std::string wrong = app::check(loss); !wrong.empty()) {
      throw CLI::ValidationError(wrong);
    }
  });
  try {
    cli.parse(std::vector<std::string>(line.own.rbegin(), line.own.rend()));
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? app::kExitOk : app::kExitUsage;
  }
  return app::run_loss(line, loss);
}
