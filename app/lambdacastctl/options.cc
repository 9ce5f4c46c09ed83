// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "../command_line.h"
#include "../version_flag.h"

namespace lambdacast::ctl_tool {

std::variant<Options, int> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app(
      "Commands to a running lambdacast, and its answers.\n"
      "COMMAND is one of the console of lambdacast: lambdacastctl help lists them. Without one "
      "they "
      "come from the terminal, line by line, or from the standard input.\n"
      "Exit codes: 0 all is well, 1 a command failed, 2 a wrong option, 3 no lambdacast to attach "
      "to.\n"
      "lambdacastctl [OPTIONS] [COMMAND...]",
      "lambdacastctl");
  app::add_version_flag(app);
  app.add_option("--socket", options.socket,
                 "the control socket; by default the only one in the run-time directory")
      ->type_name("PATH");
  app.add_option("--file,-f", options.file, "run the commands of FILE; -: the standard input")
      ->type_name("FILE");
  app.add_flag("--stop-at-error,-e", options.stop_at_error,
               "run no command of a file behind one that fails");
  app.add_flag("--json,-j", options.json, "answers as JSON, one value a line");
  app.prefix_command();
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return app::refused(app, error);
  }
  std::vector<std::string> words = app.remaining();
  // Behind a command as well, where many put it: no command has a word like that.
  if (words.size() > 1 && (words.back() == "-j" || words.back() == "--json")) {
    options.json = true;
    words.pop_back();
  }
  for (const std::string& word : words)
    options.command += (options.command.empty() ? "" : " ") + word;
  if (options.command.starts_with("-")) {
    std::fputs(
        ("lambdacastctl: " + base::shown(options.command.substr(0, options.command.find(' '))) +
         " is no option; --help lists them\n")
            .c_str(),
        stderr);
    return app::kExitUsage;
  }
  if (!options.command.empty() && !options.file.empty()) {
    std::fputs("lambdacastctl: a command or --file, not both\n", stderr);
    return app::kExitUsage;
  }
  return options;
}

}  // namespace lambdacast::ctl_tool
