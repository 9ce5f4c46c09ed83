// SPDX-License-Identifier: BSD-3-Clause
// Who types commands: the console of the program itself, or a client of its control socket. Some
// commands are about it alone.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace lambdacast::console {

class Client {
 public:
  virtual ~Client() = default;

  // Runs the commands of a file.
  virtual base::Result<void> load(const std::string& path) = 0;
  // The text of a file that a command of its reads.
  virtual base::Result<std::string> read(const std::string& path) = 0;
  // Writes a file that a command of its makes: all of it or nothing.
  virtual base::Result<void> write(const std::string& path, const std::string& text) = 0;
  // It types no more.
  virtual void quit() = 0;
  // Its next command comes so much later.
  virtual void wait(double seconds) = 0;
  // It hears of events from now on; so many of them may wait for it.
  virtual base::Result<void> hear_events(size_t most) = 0;
  // The program ends in order, and the answer is how it ended.
  virtual void drain() = 0;
};

}  // namespace lambdacast::console
