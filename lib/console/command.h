// SPDX-License-Identifier: BSD-3-Clause
// A command of the console, as its own small table beside what it does: the words of its line, one
// sentence of help, and the function that answers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace lambdacast::console {

struct Word {
  enum class Form : uint8_t {
    kFixed,   // `name` itself
    kChoice,  // one of `choices`
    kAny,     // any one word
    kNumber,  // a whole number of 32 bits: where any word would make a line ambiguous
    kRest,    // all that is left of the line; the last word of a command
  };
  Form form = Form::kFixed;
  std::string name;  // what usage calls it: show, ENDPOINT, stats|xstats
  std::vector<std::string> choices;
};

[[nodiscard]] inline Word fixed(std::string name) {
  return {Word::Form::kFixed, std::move(name), {}};
}
[[nodiscard]] inline Word choice(std::string name, std::vector<std::string> choices) {
  return {Word::Form::kChoice, std::move(name), std::move(choices)};
}
[[nodiscard]] inline Word any(std::string name) { return {Word::Form::kAny, std::move(name), {}}; }
[[nodiscard]] inline Word number(std::string name) {
  return {Word::Form::kNumber, std::move(name), {}};
}
[[nodiscard]] inline Word rest(std::string name) {
  return {Word::Form::kRest, std::move(name), {}};
}

// What was typed, word by word; a kRest is one. What is optional and was left out is not there.
using Arguments = std::vector<std::string>;
// The text to show, or one sentence that says what is wrong, which the usage then follows.
using Answer = base::Result<std::string>;

// How an answer is written.
enum class Format : uint8_t { kText, kJson };

struct Command {
  std::vector<Word> words;
  size_t optional = 0;  // so many of the last words may be left out
  std::string help;     // one sentence with its full stop
  std::function<Answer(const Arguments&)> run;
  std::function<Answer(const Arguments&)> json = {};  // the answer as one JSON value; none: as text
};

// What becomes of a line.
struct Reply {
  bool ok = true;    // it was a command (or nothing), which did what it says
  std::string text;  // to show
};

// "set traffic PPS [ENDPOINT]"
[[nodiscard]] std::string usage(const Command& command);

// The usages that a line with a mistake in it asks for: of the commands that it resembles most; of
// none if it resembles none.
[[nodiscard]] std::vector<const Command*> resembling(const std::string& line,
                                                     const std::vector<Command>& commands);

[[nodiscard]] std::vector<std::string> words_of(const std::string& line);

}  // namespace lambdacast::console
