// SPDX-License-Identifier: BSD-3-Clause
// Keeps DPDK's log of one set-up call, so that an error can be told in one sentence instead of the
// five lines that the layers above the cause add to it. Control thread only, one at a time.
#pragma once

#include <cstdio>
#include <string>

namespace lambdacast::dpdk {

class LogCapture {
 public:
  LogCapture();
  ~LogCapture();  // the log goes where it went before
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  // The first captured line that begins with `prefix`, without it; else the first line; else "".
  [[nodiscard]] std::string sentence(const std::string& prefix);
  // All of it so far.
  [[nodiscard]] std::string text();

 private:
  std::FILE* before_;
  std::FILE* stream_;
  char* text_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace lambdacast::dpdk
