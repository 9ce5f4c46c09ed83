// SPDX-License-Identifier: BSD-3-Clause
// What our programs' command lines have in common: EAL's options, `--`, our own. Without a `--` all
// are ours. And the exit codes.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "base/plain_text.h"

namespace lambdacast::app {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,       // it ran, and its verdict is no
  kExitUsage = 2,        // a wrong option or configuration
  kExitEnvironment = 3,  // memory, ports or lcores are not to be had
  kExitTrouble = 4,      // its verdict is yes, and packets were declared lost or somebody cut off
};

struct CommandLine {
  std::string program;
  std::vector<std::string> eal;
  std::vector<std::string> own;
};

[[nodiscard]] inline CommandLine split(int argc, char** argv) {
  CommandLine line{argc > 0 ? argv[0] : "", {}, {}};
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--" && line.eal.empty()) {
      line.eal.swap(line.own);
    } else {
      line.own.emplace_back(argv[i]);
    }
  }
  return line;
}

// Prints CLI11's refusal, or the help that was asked for, and returns the exit code. A refusal
// quotes the command line, so it is escaped.
template <typename Refused, typename Error>
[[nodiscard]] ExitCode refused(const Refused& parser, const Error& error) {
  std::ostringstream out, complaint;
  const int code = parser.exit(error, out, complaint);
  std::fputs(out.str().c_str(), stdout);
  std::fputs(base::shown_lines(complaint.str()).c_str(), stderr);
  return code == 0 ? kExitOk : kExitUsage;
}

}  // namespace lambdacast::app
