// SPDX-License-Identifier: BSD-3-Clause
#include "console/grammar.h"

#include <cmdline.h>
#include <cmdline_parse_num.h>
#include <cmdline_parse_string.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "console/json.h"

namespace lambdacast::console {
namespace {

constexpr char kPrompt[] = "";  // the line editor has it
// The library writes each word of a line into a slot of a buffer of its own.
constexpr size_t kSlotBytes = STR_TOKEN_SIZE;
constexpr size_t kMaxWords = (CMDLINE_PARSE_RESULT_BUFSIZE - STR_MULTI_TOKEN_SIZE) / kSlotBytes;

}  // namespace

struct Grammar::Instruction {
  Instruction(Grammar& of, const Command& what, size_t word_count)
      : grammar(of), command(what), texts(word_count), tokens(word_count), numbers(word_count) {
    const size_t bytes =
        sizeof(cmdline_inst) + (word_count + 1) * sizeof(cmdline_parse_token_hdr_t*);
    raw.reset(static_cast<cmdline_inst*>(std::calloc(1, bytes)));
    if (raw == nullptr) throw std::bad_alloc();
    help = command.help;
    raw->f = &Instruction::call;
    raw->data = this;
    raw->help_str = help.c_str();
    for (size_t i = 0; i < word_count; ++i) {
      const auto offset = static_cast<unsigned>(i * kSlotBytes);
      if (command.words[i].form == Word::Form::kNumber) {
        numbers[i] = {{&cmdline_token_num_ops, offset}, {RTE_UINT32}};
        raw->tokens[i] = &numbers[i].hdr;
      } else {
        tokens[i] = {{&cmdline_token_string_ops, offset}, {pattern(command.words[i], texts[i])}};
        raw->tokens[i] = &tokens[i].hdr;
      }
    }
  }

  // Choices are joined by #, any word is a null, the rest of a line an empty text.
  static const char* pattern(const Word& word, std::string& text) {
    switch (word.form) {
      case Word::Form::kFixed:
        text = word.name;
        return text.c_str();
      case Word::Form::kChoice:
        for (const std::string& each : word.choices) text += (text.empty() ? "" : "#") + each;
        return text.c_str();
      case Word::Form::kAny:
      case Word::Form::kNumber:
        return nullptr;
      case Word::Form::kRest:
        return TOKEN_STRING_MULTI;
    }
    return nullptr;
  }

  static void call(void* parsed, cmdline*, void* data) {
    const auto& self = *static_cast<Instruction*>(data);
    self.grammar.matched_ = &self;
    self.grammar.arguments_.clear();
    for (size_t i = 0; i < self.tokens.size(); ++i) {
      const char* slot = static_cast<const char*>(parsed) + i * kSlotBytes;
      if (self.command.words[i].form == Word::Form::kNumber) {
        uint32_t number = 0;
        std::memcpy(&number, slot, sizeof number);
        self.grammar.arguments_.push_back(std::to_string(number));
      } else {
        self.grammar.arguments_.emplace_back(slot);
      }
    }
  }

  struct Free {
    void operator()(cmdline_inst* instruction) const { std::free(instruction); }
  };
  Grammar& grammar;
  const Command& command;
  std::string help;
  std::vector<std::string> texts;
  std::vector<cmdline_token_string> tokens;  // of words that are no number
  std::vector<cmdline_token_num> numbers;    // of those that are
  std::unique_ptr<cmdline_inst, Free> raw;
};

Grammar::Grammar(std::vector<Command> commands) : commands_(std::move(commands)) {
  for (const Command& command : commands_) {
    const size_t most = std::min(command.words.size(), kMaxWords);
    for (size_t words = most - command.optional; words <= most; ++words) add(command, words);
  }
  context_.push_back(nullptr);
  parser_ = cmdline_new(context_.data(), kPrompt, -1, -1);
  if (parser_ == nullptr) throw std::bad_alloc();
}

Grammar::~Grammar() { cmdline_free(parser_); }

void Grammar::add(const Command& command, size_t words) {
  // A choice of nothing would be any word to the library.
  for (size_t i = 0; i < words; ++i) {
    const Word& word = command.words[i];
    if (word.form == Word::Form::kChoice && word.choices.empty()) return;
  }
  instructions_.push_back(std::make_unique<Instruction>(*this, command, words));
  context_.push_back(instructions_.back()->raw.get());
}

Reply Grammar::run(const std::string& line, Format format) {
  if (words_of(line).empty()) return {};
  matched_ = nullptr;
  const int outcome = cmdline_parse(parser_, (line + "\n").c_str());
  if (matched_ == nullptr) {
    return {false,
            explain(outcome == CMDLINE_PARSE_AMBIGUOUS ? "This line may mean several commands."
                                                       : "No command is written like this.",
                    line)};
  }
  const Command& command = matched_->command;
  // Its own: a command that lets time pass lets other lines run meanwhile.
  const Arguments arguments = std::move(arguments_);
  const bool as_json = format == Format::kJson;
  Answer answer = as_json && command.json ? command.json(arguments) : command.run(arguments);
  if (!answer) return {false, answer.error().message + "\nusage: " + usage(command) + "\n"};
  return {true, as_json && !command.json ? json_of_text(*answer) : std::move(*answer)};
}

std::string Grammar::explain(const std::string& what, const std::string& line) const {
  std::string text = what;
  const auto meant = resembling(line, commands_);
  if (meant.empty()) return text + " help lists all commands.\n";
  for (const Command* command : meant) text += "\nusage: " + usage(*command);
  return text + "\n";
}

int Grammar::complete(const char* line, int* state, char* out, unsigned out_bytes) {
  return cmdline_complete(parser_, line, state, out, out_bytes);
}

}  // namespace lambdacast::console
