// SPDX-License-Identifier: BSD-3-Clause
#include "console/command.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "config/suggest.h"

namespace lambdacast::console {
namespace {

constexpr int kEqual = 4;  // more than any number of near words could make up for
constexpr int kNear = 1;

// How well a typed word fits.
int fit(const std::string& typed, const Word& word) {
  if (word.form == Word::Form::kAny || word.form == Word::Form::kRest) return kEqual;
  if (word.form == Word::Form::kNumber) {
    return typed.find_first_not_of("0123456789abcdefx") == std::string::npos ? kEqual : 0;
  }
  std::vector<std::string_view> known(word.choices.begin(), word.choices.end());
  if (word.form == Word::Form::kFixed) known = {word.name};
  if (std::find(known.begin(), known.end(), typed) != known.end()) return kEqual;
  const bool begun = std::any_of(known.begin(), known.end(),
                                 [&](std::string_view each) { return each.starts_with(typed); });
  return begun || !config::nearest(typed, known).empty() ? kNear : 0;
}

int fit(const std::vector<std::string>& typed, const Command& command) {
  int sum = 0;
  for (size_t i = 0; i < typed.size() && i < command.words.size(); ++i) {
    const int one = fit(typed[i], command.words[i]);
    if (one == 0) break;
    sum += one;
  }
  return sum;
}

}  // namespace

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string usage(const Command& command) {
  std::string text;
  const size_t needed = command.words.size() - command.optional;
  for (size_t i = 0; i < command.words.size(); ++i) {
    const std::string& name = command.words[i].name;
    text += text.empty() ? "" : " ";
    text += i < needed ? name : "[" + name + "]";
  }
  return text;
}

std::vector<const Command*> resembling(const std::string& line,
                                       const std::vector<Command>& commands) {
  const std::vector<std::string> typed = words_of(line);
  int best = 1;
  for (const Command& command : commands) best = std::max(best, fit(typed, command));
  std::vector<const Command*> found;
  for (const Command& command : commands) {
    if (fit(typed, command) == best) found.push_back(&command);
  }
  return found;
}

}  // namespace lambdacast::console
