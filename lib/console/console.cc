// SPDX-License-Identifier: BSD-3-Clause
#include "console/console.h"

#include <fstream>

#include "base/plain_text.h"
#include "console/help.h"

namespace lambdacast::console {
namespace {

constexpr unsigned kMaxDepth = 8;

}  // namespace

Console::Console(std::vector<Command> commands, std::string prompt, Print print)
    : prompt_(std::move(prompt)), print_(std::move(print)) {
  for (Command& command : own_commands()) commands.push_back(std::move(command));
  grammar_ = std::make_unique<Grammar>(std::move(commands));
}

std::vector<Command> Console::own_commands() {
  const auto help = [this](const Arguments& arguments) -> Answer {
    return help_text(grammar_->commands(), arguments.size() > 1 ? arguments[1] : "");
  };
  const auto load = [this](const Arguments& arguments) -> Answer {
    if (auto ran = run_file(arguments[1]); !ran) return tl::unexpected(ran.error());
    return std::string();
  };
  const auto quit = [this](const Arguments&) -> Answer {
    quits_ = true;
    return std::string();
  };
  return {
      {{fixed("load"), any("FILE")}, 0, "Runs the commands of a file.", load},
      {{fixed("help"), rest("COMMAND")}, 1, "Lists the commands, or those that begin so.", help},
      {{fixed("quit")}, 0, "Ends the program.", quit}};
}

base::Result<void> Console::run_file(const std::string& path) {
  if (depth_ == kMaxDepth) {
    return base::fail(path + " is not loaded: files load files " + std::to_string(kMaxDepth) +
                      " deep at most");
  }
  std::ifstream file(path);
  if (!file) return base::fail(path + " cannot be read");
  ++depth_;
  for (std::string line; !quits_ && std::getline(file, line);) run_line(line);
  --depth_;
  return {};
}

void Console::run_line(const std::string& line) {
  print_(prompt_ + base::shown(line) + "\n");
  print_(base::shown_lines(grammar_->run(line)));
}

void Console::open(bool terminal) {
  if (!terminal) return;
  editor_.emplace(*grammar_, prompt_, print_);
  editor_->prompt();
}

void Console::feed(std::string_view input) {
  if (input.empty()) {
    if (!unfinished_.empty()) run_line(unfinished_);
    quits_ = true;
  }
  for (const char c : input) {
    if (quits_) return;
    if (editor_) {
      if (!editor_->feed(c)) quits_ = true;
    } else if (c != '\n') {
      unfinished_ += c;
    } else {
      run_line(std::exchange(unfinished_, {}));
    }
  }
}

void Console::interject(std::string_view text) {
  if (editor_) {
    editor_->interject(text);
  } else {
    print_(text);
  }
}

}  // namespace lambdacast::console
