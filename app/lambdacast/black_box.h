// SPDX-License-Identifier: BSD-3-Clause
// What a process leaves behind when it crashes, or when it is asked to (SIGUSR1): the last lines
// that it said, and its figures of a few seconds ago. All of it is in memory beforehand, so that a
// signal handler only has to write it. Control thread; crash() from a handler of any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lambdacast::appliance {

class BlackBox {
 public:
  static constexpr size_t kNotesBytes = 64 << 10;   // the newest are kept
  static constexpr size_t kFiguresBytes = 1 << 20;  // longer ones are cut off

  // `path`: of the file, which is made when there is something to write; empty: there is none.
  // `program`: its name and version, for the head.
  BlackBox(std::string path, std::string program);
  BlackBox(const BlackBox&) = delete;
  BlackBox& operator=(const BlackBox&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  // One or more lines.
  void note(std::string_view text);
  // In place of those before.
  void keep_figures(std::string_view text);
  [[nodiscard]] base::Result<void> write() const { return write("asked for by SIGUSR1"); }

  // --- from a signal handler --------------------------------------------------------------------
  // Writes the file as far as that succeeds. Async-signal-safe.
  void crash(int signal) const noexcept;

 private:
  [[nodiscard]] base::Result<void> write(const char* why) const;
  // False: errno says why.
  [[nodiscard]] bool write_all(const char* why) const noexcept;

  struct Figures {
    std::vector<char> text = std::vector<char>(kFiguresBytes);
    size_t bytes = 0;
  };

  const std::string path_;
  const std::string head_;
  std::vector<char> notes_ = std::vector<char>(kNotesBytes);  // a ring
  std::atomic<size_t> noted_{0};                              // bytes, of all time
  std::array<Figures, 2> figures_;
  std::atomic<size_t> newest_{0};  // of the two: the handler may come while the other is written
};

// While it lives, SIGABRT, SIGSEGV, SIGBUS, SIGFPE and SIGILL write the box and then do what they
// do, and SIGUSR1 asks for it. One at a time.
class BlackBoxSignals {
 public:
  explicit BlackBoxSignals(const BlackBox& box);
  ~BlackBoxSignals();
  BlackBoxSignals(const BlackBoxSignals&) = delete;
  BlackBoxSignals& operator=(const BlackBoxSignals&) = delete;

  // SIGUSR1 has come since this was last called.
  [[nodiscard]] bool asked();
};

}  // namespace lambdacast::appliance
