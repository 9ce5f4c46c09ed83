// SPDX-License-Identifier: BSD-3-Clause
#include "runner.h"

#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <utility>
#include <vector>

#include "base/plain_text.h"
#include "console/command.h"
#include "console/text_file.h"

namespace lambdacast::ctl_tool {
namespace {

constexpr unsigned kMaxDepth = 8;

void complain(std::string_view text) {
  std::fflush(stdout);
  std::fputs(base::shown_lines(text).c_str(), stderr);
}

}  // namespace

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

Runner::Shown Runner::load(const std::string& path) {
  if (depth_ == kMaxDepth) {
    return {
        false, true,
        path + " is not loaded: files load files " + std::to_string(kMaxDepth) + " deep at most\n"};
  }
  const auto text = console::read_file(path);
  if (!text) return {false, true, text.error().message + "\n"};
  ++depth_;
  std::istringstream lines(*text);
  const bool ok = run_lines(lines);
  --depth_;
  return {ok, connected_, ""};
}

Runner::Shown Runner::save(const std::string& path) {
  const auto answer = client_.ask({ctl::Format::kText, "show config"});
  if (!answer) return {false, false, answer.error().message + "\n"};
  if (!answer->ok) return {false, true, answer->text};
  const auto written = console::write_file(path, answer->text);
  if (!written) return {false, true, written.error().message + "\n"};
  return {};
}

Runner::Shown Runner::ask(const std::string& line) {
  const std::vector<std::string> words = console::words_of(line);
  if (words.empty()) return {};
  if (words.size() == 2 && words[0] == "load") return load(words[1]);
  if (words.size() == 2 && words[0] == "save") return save(words[1]);
  if (words[0] == "quit") quits_ = true;
  ctl::Request request{options_.json ? ctl::Format::kJson : ctl::Format::kText, line};
  if (words.size() == 2 && (words[0] == "plan" || words[0] == "apply")) {
    auto text = console::read_file(words[1]);
    if (!text) return {false, true, text.error().message + "\n"};
    request.file = std::move(*text);
  }
  const auto answer = client_.ask(request, [](const std::string& event) { print(event + "\n"); });
  if (!answer) return {false, false, answer.error().message + "\n"};
  std::string text = base::shown_lines(answer->text);
  if (!text.empty() && text.back() != '\n') text += '\n';
  return {answer->ok, true, std::move(text)};
}

bool Runner::stream() {
  for (;;) {
    const auto event = client_.next_event();
    if (!event) return complain("lambdacastctl: " + event.error().message + "\n"), false;
    if (!*event) return true;
    print(base::shown(**event) + "\n");
  }
}

bool Runner::run(const std::string& line) {
  const Shown shown = ask(line);
  note(shown);
  if (!shown.ok) {
    if (!shown.text.empty()) complain("lambdacastctl: " + shown.text);
    return false;
  }
  print(shown.text);
  const std::vector<std::string> words = console::words_of(line);
  if (words.empty() || words[0] != "events") return true;
  connected_ = false;
  return stream();
}

bool Runner::run_lines(std::istream& lines) {
  bool all = true;
  for (std::string line; connected_ && !quits_ && std::getline(lines, line);) {
    if (run(line)) continue;
    all = false;
    if (options_.stop_at_error) break;
  }
  return all;
}

}  // namespace lambdacast::ctl_tool
