// SPDX-License-Identifier: BSD-3-Clause
// Runs lines: each goes to the process, and its answer is shown. What has to do with files and with
// this program itself is done here.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "ctl/client.h"
#include "options.h"

namespace lambdacast::ctl_tool {

class Runner {
 public:
  struct Shown {
    bool ok = true;
    bool connected = true;  // false: the process has let us go; nothing more can be asked
    std::string text;
  };

  // Both outlive it.
  Runner(ctl::Client& client, const Options& options) : client_(client), options_(options) {}

  // The answer to a line.
  [[nodiscard]] Shown ask(const std::string& line);
  // Runs a line and prints its answer: to the standard output, or what is wrong to the other one.
  // True: all is well.
  bool run(const std::string& line);
  // Each line as it comes, until one quits or, with --stop-at-error, fails; true: none has failed.
  bool run_lines(std::istream& lines);

  // Of an answer that is shown elsewhere.
  void note(const Shown& shown) { connected_ = connected_ && shown.connected; }
  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] bool quits() const { return quits_; }

 private:
  [[nodiscard]] Shown load(const std::string& path);
  [[nodiscard]] Shown save(const std::string& path);
  // Prints events until the process lets us go.
  [[nodiscard]] bool stream();

  ctl::Client& client_;
  const Options& options_;
  bool connected_ = true;
  bool quits_ = false;
  unsigned depth_ = 0;  // of files that load files
};

// For a terminal or a pipe, at once.
void print(std::string_view text);

}  // namespace lambdacast::ctl_tool
