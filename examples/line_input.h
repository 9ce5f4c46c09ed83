// SPDX-License-Identifier: BSD-3-Clause
// Lines from standard input for programs that have more to do than to wait for them.
#pragma once

#include <lambdacast/runtime.h>
#include <unistd.h>

#include <optional>
#include <string>

namespace lambdacast::examples {

class LineInput {
 public:
  explicit LineInput(Runtime& runtime) : runtime_(runtime) {}

  // The next line, or nothing if none has come for so long.
  std::optional<std::string> next(uint64_t wait_ms) {
    if (lines_.find('\n') == std::string::npos && !ended_ && runtime_.wait_input_ms(0, wait_ms))
      read();
    const size_t end = lines_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = lines_.substr(0, end);
    lines_.erase(0, end + 1);
    return line;
  }
  // Nothing will come any more: end of input, or a signal.
  [[nodiscard]] bool over() const { return runtime_.stop_came() || (ended_ && lines_.empty()); }

 private:
  void read() {
    char buffer[4096];
    const ssize_t got = ::read(0, buffer, sizeof buffer);
    if (got > 0) lines_.append(buffer, static_cast<size_t>(got));
    if (got > 0) return;
    ended_ = true;
    if (!lines_.empty() && lines_.back() != '\n') lines_ += '\n';
  }

  Runtime& runtime_;
  std::string lines_;
  bool ended_ = false;
};

}  // namespace lambdacast::examples
