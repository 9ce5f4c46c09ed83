// SPDX-License-Identifier: BSD-3-Clause
// Commands as DPDK's cmdline library parses and completes them: each form of a command (with and
// without its optional words) becomes an instruction. They are built on the heap, for the library
// ends them with an array of open length, which C++ has no static initialiser for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "console/command.h"

struct cmdline;
struct cmdline_inst;

namespace lambdacast::console {

class Grammar {
 public:
  explicit Grammar(std::vector<Command> commands);
  ~Grammar();
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  // Runs a line and returns what there is to show: the command's answer, or what is wrong with the
  // line and the usage of the command that it resembles. Empty lines and comments (#) do nothing.
  [[nodiscard]] Reply run(const std::string& line, Format format);
  [[nodiscard]] std::string run(const std::string& line) { return run(line, Format::kText).text; }

  // Completes a line as rdline's completion callback wants it: see cmdline_complete().
  int complete(const char* line, int* state, char* out, unsigned out_bytes);

  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }

 private:
  struct Instruction;
  void add(const Command& command, size_t words);
  [[nodiscard]] std::string explain(const std::string& what, const std::string& line) const;

  std::vector<Command> commands_;
  std::vector<std::unique_ptr<Instruction>> instructions_;
  std::vector<cmdline_inst*> context_;  // what the library walks, a null at its end
  cmdline* parser_ = nullptr;
  const Instruction* matched_ = nullptr;
  Arguments arguments_;
};

}  // namespace lambdacast::console
