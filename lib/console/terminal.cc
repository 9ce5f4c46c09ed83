// SPDX-License-Identifier: BSD-3-Clause
#include "console/terminal.h"

namespace lambdacast::console {

RawTerminal::RawTerminal(int fd) : fd_(fd), is_terminal_(::tcgetattr(fd, &before_) == 0) {
  if (!is_terminal_) return;
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  ::tcsetattr(fd_, TCSANOW, &raw);
}

RawTerminal::~RawTerminal() {
  if (is_terminal_) ::tcsetattr(fd_, TCSANOW, &before_);
}

}  // namespace lambdacast::console
