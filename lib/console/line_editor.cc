// SPDX-License-Identifier: BSD-3-Clause
#include "console/line_editor.h"

#include <cmdline_rdline.h>

#include <cstdint>
#include <new>
#include <utility>

#include "base/plain_text.h"

namespace lambdacast::console {
namespace {

LineEditor& self(rdline* line) { return *static_cast<LineEditor*>(rdline_get_opaque(line)); }

}  // namespace

LineEditor::LineEditor(Grammar& grammar, std::string prompt, Print print, Run run)
    : grammar_(grammar),
      prompt_(std::move(prompt)),
      print_(std::move(print)),
      run_(std::move(run)),
      line_(
          rdline_new(&LineEditor::write_char, &LineEditor::validate, &LineEditor::complete, this)) {
  if (line_ == nullptr) throw std::bad_alloc();
}

LineEditor::~LineEditor() { rdline_free(line_); }

void LineEditor::prompt() { rdline_newline(line_, prompt_.c_str()); }

bool LineEditor::feed(char c) {
  if (static_cast<uint8_t>(c) >= 0x80) return refuse_beyond_ascii(), true;
  const int outcome = rdline_char_in(line_, c);
  if (outcome == RDLINE_RES_EOF || outcome == RDLINE_RES_EXITED) return false;
  if (outcome != RDLINE_RES_VALIDATED) return true;
  const std::string typed = rdline_get_buffer(line_);
  const char* last = rdline_get_history_item(line_, 0);
  if (typed.size() > 1 && (last == nullptr || typed != last)) {
    rdline_add_history(line_, typed.c_str());
  }
  prompt();
  beyond_ascii_ = false;
  return true;
}

// The library would leave such bytes out without a word.
void LineEditor::refuse_beyond_ascii() {
  if (std::exchange(beyond_ascii_, true)) return;
  interject("Only ASCII can be typed here; load FILE runs commands that have other characters.\n");
}

void LineEditor::interject(std::string_view text) {
  print_("\r\x1b[K");
  print_(text);
  rdline_redisplay(line_);
}

int LineEditor::write_char(rdline* line, char c) {
  self(line).print_({&c, 1});
  return 0;
}

void LineEditor::validate(rdline* line, const char* text, unsigned bytes) {
  LineEditor& editor = self(line);
  std::string typed(text, bytes);
  // The library counts its line feed and its terminating null.
  while (!typed.empty() &&
         std::string_view("\n\r\0", 3).find(typed.back()) != std::string_view::npos)
    typed.pop_back();
  editor.print_(base::shown_lines(editor.run_(typed)));
}

int LineEditor::complete(rdline* line, const char* text, char* out, unsigned out_bytes,
                         int* state) {
  return self(line).grammar_.complete(text, state, out, out_bytes);
}

}  // namespace lambdacast::console
