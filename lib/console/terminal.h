// SPDX-License-Identifier: BSD-3-Clause
// A terminal that hands over every key as it is pressed, while this lives: the line editor echoes
// and edits. Signals of keys are off: Ctrl-C gives up a line.
#pragma once

#include <termios.h>

namespace lambdacast::console {

class RawTerminal {
 public:
  explicit RawTerminal(int fd);  // does nothing to what is no terminal
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  [[nodiscard]] bool is_terminal() const { return is_terminal_; }

 private:
  int fd_;
  termios before_{};  // in front of is_terminal_, whose initialiser fills it
  bool is_terminal_;
};

}  // namespace lambdacast::console
