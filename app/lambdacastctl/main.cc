// SPDX-License-Identifier: BSD-3-Clause
// lambdacastctl: attaches to a running lambdacast by its control socket, runs commands of its
// console there and shows their answers and events.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "../command_line.h"
#include "attach.h"
#include "base/plain_text.h"
#include "console/text_file.h"
#include "interactive.h"
#include "options.h"
#include "runner.h"

namespace lambdacast::ctl_tool {
namespace {

int complain(const std::string& sentence, app::ExitCode code) {
  std::fputs(("lambdacastctl: " + base::shown_lines(sentence) + "\n").c_str(), stderr);
  return code;
}

int run(const Options& options) {
  auto client = attach(options.socket);
  if (!client) return complain(client.error().message, app::kExitEnvironment);
  Runner runner(*client, options);
  if (options.command.empty() && options.file.empty() && ::isatty(STDIN_FILENO) != 0) {
    const auto ran = run_interactive(*client, runner);
    return ran ? app::kExitOk : complain(ran.error().message, app::kExitEnvironment);
  }
  if (!options.command.empty())
    return runner.run(options.command) ? app::kExitOk : app::kExitFailed;
  if (options.file.empty() || options.file == "-")
    return runner.run_lines(std::cin) ? app::kExitOk : app::kExitFailed;
  const auto text = console::read_file(options.file);
  if (!text) return complain(text.error().message, app::kExitUsage);
  std::istringstream lines(*text);
  return runner.run_lines(lines) ? app::kExitOk : app::kExitFailed;
}

}  // namespace
}  // namespace lambdacast::ctl_tool

int main(int argc, char** argv) {
  (void)std::signal(SIGPIPE, SIG_DFL);  // a reader that is gone ends it
  const auto parsed =
      lambdacast::ctl_tool::parse_options(std::vector<std::string>(argv + 1, argv + argc));
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  return lambdacast::ctl_tool::run(std::get<lambdacast::ctl_tool::Options>(parsed));
}
