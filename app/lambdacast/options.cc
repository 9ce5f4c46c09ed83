// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "../command_line.h"
#include "../version_flag.h"

namespace lambdacast::appliance {

namespace {

void add_capture(CLI::App& app, Options& options) {
  auto* capture = app.add_option("--capture", options.capture_file,
                                 "write what the ports receive and transmit to a pcapng file")
                      ->type_name("FILE");
  app.add_option("--capture-endpoint", options.capture_endpoint, "capture only this endpoint")
      ->needs(capture)
      ->type_name("NAME");
  app.add_option("--capture-snap", options.capture_snap_bytes,
                 "capture at most that many bytes of each frame")
      ->needs(capture)
      ->check(CLI::Range(14, 65535))
      ->type_name("BYTES");
  app.add_flag("--rejoin", options.rejoin,
               "start over as another incarnation if an endpoint is excluded from its view")
      ->excludes(capture);
}

void add_control(CLI::App& app, Options& options) {
  app.add_option("--control-socket", options.control_socket,
                 "where lambdacastctl attaches; none: nowhere; by default NAME.sock in the "
                 "run-time directory, by the configuration's name")
      ->type_name("PATH");
  app.add_option("--control-owner", options.control_owner,
                 "the user whose the control socket is, and who may attach to it")
      ->type_name("USER");
  app.add_option("--control-group", options.control_group,
                 "the group that may attach to the control socket")
      ->type_name("GROUP");
  app.add_option("--black-box", options.black_box,
                 "the file that a crash or SIGUSR1 leaves, with figures and what was said last; "
                 "none: no file; by default NAME.blackbox beside the control socket")
      ->type_name("FILE");
}

}  // namespace

std::variant<Options, int> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  double run_for_s = 0;
  bool plain = false;
  CLI::App app(
      "A software endpoint of an ODBSS: RoCEv2 UD multicast over WDM ports.\n"
      "lambdacast [EAL OPTIONS --] OPTIONS",
      "lambdacast");
  app::add_version_flag(app);
  auto* config =
      app.add_option("--config", options.config_file, "TOML configuration (config/*.toml)")
          ->type_name("FILE");
  app.add_flag("--check-config", options.check_config,
               "say whether the configuration is right, and end before EAL starts");
  app.add_flag(
      "--check-host", options.check_host,
      "say what of this machine stands in the way of the configuration, and what mends it");
  app.add_flag("--list-fabrics", options.list_fabrics,
               "list the embedded fabrics of this machine, in use or left behind");
  app.add_flag("--remove-stale", options.remove_stale,
               "remove what fabrics that nobody uses have left behind, and list it");
  app.add_flag("--no-hugepages", plain, "keep packets in plain memory, slower");
  const auto* run_for = app.add_option("--run-for", run_for_s, "end after that many seconds")
                            ->check(CLI::Range(0.001, 1e9))
                            ->type_name("S");
  app.add_option("--stats-period", options.stats_period_s,
                 "print the table of endpoints every S seconds; 0: only at the end")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("S");
  app.add_option("--resolve", options.resolve,
                 "on a real network: ask where the peer of that address is, and print it")
      ->type_name("ADDRESS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_capture(app, options);
  app.add_flag("--interactive,-i", options.interactive, "take commands; help lists them");
  app.add_option("--cmdline-file", options.command_file, "run the commands of FILE first, in order")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  add_control(app, options);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    app.parse(std::move(reversed));
    if (config->count() == 0 && !options.list_fabrics && !options.remove_stale)
      throw CLI::RequiredError("--config");
  } catch (const CLI::ParseError& error) {
    return app::refused(app, error);
  }
  if (run_for->count() != 0) options.run_for_s = run_for_s;
  options.hugepages = !plain;
  return options;
}

}  // namespace lambdacast::appliance
