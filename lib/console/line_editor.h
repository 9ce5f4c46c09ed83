// SPDX-License-Identifier: BSD-3-Clause
// A line as a person types it: rdline's editing, history and completion, fed character by character
// by a loop that waits for other things too.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "console/grammar.h"

struct rdline;

namespace lambdacast::console {

class LineEditor {
 public:
  using Print = std::function<void(std::string_view)>;

  using Run = std::function<std::string(const std::string&)>;

  // The grammar completes, and outlives the editor; `run` gives the answer to a line.
  LineEditor(Grammar& grammar, std::string prompt, Print print, Run run);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  void prompt();  // begins a line
  // False at the end of input (Ctrl-D on an empty line). A finished line is run, and the next
  // begun. A byte beyond ASCII is not taken, which is said once a line.
  bool feed(char c);
  // Shows something of our own accord: above the line that is being typed.
  void interject(std::string_view text);

 private:
  static int write_char(rdline* line, char c);
  static void validate(rdline* line, const char* text, unsigned bytes);
  static int complete(rdline* line, const char* text, char* out, unsigned out_bytes, int* state);

  void refuse_beyond_ascii();

  Grammar& grammar_;
  const std::string prompt_;
  const Print print_;
  const Run run_;
  rdline* line_;
  bool beyond_ascii_ = false;  // was typed in this line
};

}  // namespace lambdacast::console
