// SPDX-License-Identifier: BSD-3-Clause
// Text for a file descriptor that may stand: a terminal that is stopped, a pipe that nobody reads,
// a disk that is full. Whoever prints never waits. A thread of its own writes; what finds no room
// is dropped and counted, and the next text that is written says so.
//
// SIGPIPE has to be ignored (dpdk/stop_signal.h does): a reader that is gone is an error of
// write().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace lambdacast::console {

class Output {
 public:
  // `most_bytes` may wait to be written.
  explicit Output(int fd, size_t most_bytes = size_t{1} << 20);
  // Writes what waits as long as the reader takes some of it every half second; then gives it up.
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Any thread.
  void print(std::string_view text);
  // Texts that found no room or could not be written.
  [[nodiscard]] uint64_t dropped() const;

 private:
  struct State;
  static void write_all(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;  // the writer's too, which may outlive a reader that stands
};

}  // namespace lambdacast::console
