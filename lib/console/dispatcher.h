// SPDX-License-Identifier: BSD-3-Clause
// All commands of a program, for whoever types them: its own console and the clients of its control
// socket run the same. Control thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "console/client.h"
#include "console/grammar.h"

namespace lambdacast::console {

class Dispatcher {
 public:
  // `drain`, `events`, `help`, `load`, `quit` and `wait` are added to the commands.
  explicit Dispatcher(std::vector<Command> commands);

  // A command may let time pass in which other clients' lines are run.
  [[nodiscard]] Reply run(const std::string& line, Format format, Client& client);

  [[nodiscard]] Grammar& grammar() { return *grammar_; }
  // Whose line runs: for commands only.
  [[nodiscard]] Client& client() { return *client_; }

 private:
  [[nodiscard]] std::vector<Command> own_commands();
  [[nodiscard]] Command wait_command();
  [[nodiscard]] Command events_command();

  std::unique_ptr<Grammar> grammar_;
  Client* client_ = nullptr;  // whose line runs
};

}  // namespace lambdacast::console
