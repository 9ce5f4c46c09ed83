// SPDX-License-Identifier: BSD-3-Clause
// The console of a program: its commands from a file, from a terminal or from a pipe, in testpmd's
// manner. It never waits: the program's own loop does, and feeds it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/grammar.h"
#include "console/line_editor.h"

namespace lambdacast::console {

class Console {
 public:
  using Print = std::function<void(std::string_view)>;

  // `help`, `load` and `quit` are added to the commands.
  Console(std::vector<Command> commands, std::string prompt, Print print);

  // Runs the commands of a file in order, each shown before its answer, until one quits.
  [[nodiscard]] base::Result<void> run_file(const std::string& path);

  // Begins to take input; `terminal`: with editing and completion, else lines as they come.
  void open(bool terminal);
  // What was read; nothing is the end of input, and asks to quit.
  void feed(std::string_view input);
  // Shows something that no command asked for.
  void interject(std::string_view text);

  [[nodiscard]] bool quits() const { return quits_; }
  [[nodiscard]] Grammar& grammar() { return *grammar_; }

 private:
  void run_line(const std::string& line);
  [[nodiscard]] std::vector<Command> own_commands();

  const std::string prompt_;
  const Print print_;
  std::unique_ptr<Grammar> grammar_;
  std::optional<LineEditor> editor_;
  std::string unfinished_;  // of a line from a pipe
  unsigned depth_ = 0;      // of files that load files
  bool quits_ = false;
};

}  // namespace lambdacast::console
