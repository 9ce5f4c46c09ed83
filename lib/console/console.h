// SPDX-License-Identifier: BSD-3-Clause
// The console of a program: its commands from a file, from a terminal or from a pipe, in testpmd's
// manner. It never waits: the program's own loop does, and feeds it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "console/client.h"
#include "console/dispatcher.h"
#include "console/line_editor.h"

namespace lambdacast::console {

class Console final : public Client {
 public:
  using Print = std::function<void(std::string_view)>;
  using Wait = std::function<void(double)>;  // lets that many seconds pass; the program goes on

  // `dispatcher` outlives it.
  Console(Dispatcher& dispatcher, std::string prompt, Print print, Wait wait);

  // Runs the commands of a file in order, each shown before its answer, until one quits.
  [[nodiscard]] base::Result<void> run_file(const std::string& path);

  // Begins to take input; `terminal`: with editing and completion, else lines as they come.
  void open(bool terminal);
  // What was read; nothing is the end of input, and asks to quit.
  void feed(std::string_view input);
  // Shows something that no command asked for.
  void interject(std::string_view text);

  [[nodiscard]] bool quits() const { return quits_; }

  // What commands ask of their client.
  base::Result<void> load(const std::string& path) override { return run_file(path); }
  base::Result<std::string> read(const std::string& path) override;
  base::Result<void> write(const std::string& path, const std::string& text) override;
  void quit() override { quits_ = true; }
  void wait(double seconds) override { wait_(seconds); }
  base::Result<void> hear_events(size_t most) override;
  void drain() override { quits_ = true; }

 private:
  void run_line(const std::string& line);
  [[nodiscard]] std::string answer(const std::string& line);

  Dispatcher& dispatcher_;
  const std::string prompt_;
  const Print print_;
  const Wait wait_;
  std::optional<LineEditor> editor_;
  std::string unfinished_;  // of a line from a pipe
  unsigned depth_ = 0;      // of files that load files
  bool quits_ = false;
};

}  // namespace lambdacast::console
