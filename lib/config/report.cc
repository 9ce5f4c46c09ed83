// SPDX-License-Identifier: BSD-3-Clause
#include "config/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plain_text.h"

namespace lambdacast::config {
namespace {

std::vector<Problem> ordered(std::vector<Problem> problems) {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.line < b.line; });
  std::vector<Problem> once;
  for (Problem& problem : problems) {
    const auto same = [&](const Problem& other) { return other.text() == problem.text(); };
    if (std::none_of(once.begin(), once.end(), same)) once.push_back(std::move(problem));
  }
  return once;
}

}  // namespace

std::string Problem::text() const {
  std::string text = base::shown(file) + ":";
  if (line > 0) text += fmt::format("{}:", line);
  if (column > 0) text += fmt::format("{}:", column);
  if (!key.empty()) text += fmt::format(" {}:", key);
  if (!value.empty()) text += fmt::format(" {}", value);
  text += fmt::format(" {}", reason);
  if (!allowed.empty()) text += fmt::format("; allowed: {}", allowed);
  return text;
}

std::string text(const std::vector<Problem>& problems) {
  std::string lines;
  for (const Problem& problem : problems) lines += problem.text() + "\n";
  return lines;
}

const Origin* Origins::find(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() || !found->second.valid ? nullptr : &found->second;
}

void Origins::add_all(const Origins& other, std::string_view prefix) {
  for (const auto& [key, origin] : other.by_key_) {
    if (!key.empty()) set(fmt::format("{}{}", prefix, key), origin);
  }
}

Problem Report::make(const Origin& origin, const std::string& reason,
                     const std::string& allowed) const {
  Problem problem;
  problem.file = file_;
  problem.line = origin.line;
  problem.key = origin.key;
  problem.value = base::shown(origin.value);
  // A sentence may quote what the file says, and a TOML string may hold any character.
  problem.reason = base::shown(reason);
  problem.allowed = base::shown(allowed);
  return problem;
}

void Report::add(const Origin& origin, const std::string& reason, const std::string& allowed) {
  problems_.push_back(make(origin, reason, allowed));
}

void Report::warn(const Origin& origin, const std::string& reason, const std::string& allowed) {
  warnings_.push_back(make(origin, reason, allowed));
}

void Report::add_syntax(unsigned line, unsigned column, const std::string& description) {
  Problem problem = make({}, description, "");
  problem.line = line;
  problem.column = column;
  problems_.push_back(std::move(problem));
}

std::vector<Problem> Report::take_problems() { return ordered(std::move(problems_)); }
std::vector<Problem> Report::take_warnings() { return ordered(std::move(warnings_)); }

}  // namespace lambdacast::config
