// SPDX-License-Identifier: BSD-3-Clause
#include "console/help.h"

#include <fmt/format.h>

#include <algorithm>

namespace lambdacast::console {
namespace {

bool begins(const Command& command, const std::vector<std::string>& typed) {
  for (size_t i = 0; i < typed.size(); ++i) {
    if (i == command.words.size()) return false;
    const Word& word = command.words[i];
    const bool same = word.form == Word::Form::kFixed
                          ? word.name == typed[i]
                          : word.form != Word::Form::kChoice ||
                                std::find(word.choices.begin(), word.choices.end(), typed[i]) !=
                                    word.choices.end();
    if (!same) return false;
  }
  return true;
}

}  // namespace

Answer help_text(const std::vector<Command>& commands, const std::string& beginning) {
  const auto typed = words_of(beginning);
  size_t width = 0;
  for (const Command& command : commands) width = std::max(width, usage(command).size());
  std::string text;
  for (const Command& command : commands) {
    if (!begins(command, typed)) continue;
    text += fmt::format("{:<{}}  {}\n", usage(command), width, command.help);
  }
  if (text.empty()) return base::fail("No command begins with \"" + beginning + "\".");
  return text;
}

}  // namespace lambdacast::console
