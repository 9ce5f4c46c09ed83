// SPDX-License-Identifier: BSD-3-Clause
#include "console/console.h"

#include <fstream>
#include <utility>

#include "base/plain_text.h"
#include "console/text_file.h"

namespace lambdacast::console {
namespace {

constexpr unsigned kMaxDepth = 8;

}  // namespace

Console::Console(Dispatcher& dispatcher, std::string prompt, Print print, Wait wait)
    : dispatcher_(dispatcher),
      prompt_(std::move(prompt)),
      print_(std::move(print)),
      wait_(std::move(wait)) {}

base::Result<void> Console::hear_events(size_t) {
  return base::fail("The console shows what happens as it is; lambdacastctl has it as JSON.");
}

base::Result<std::string> Console::read(const std::string& path) { return read_file(path); }

base::Result<void> Console::write(const std::string& path, const std::string& text) {
  return write_file(path, text);
}

std::string Console::answer(const std::string& line) {
  return dispatcher_.run(line, Format::kText, *this).text;
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
  print_(base::shown_lines(answer(line)));
}

void Console::open(bool terminal) {
  if (!terminal) return;
  editor_.emplace(dispatcher_.grammar(), prompt_, print_,
                  [this](const std::string& line) { return answer(line); });
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
