// SPDX-License-Identifier: BSD-3-Clause
// The mutants that random scenarios have to find, each with one mechanism broken.
#pragma once

#include <string>
#include <vector>

#include "man_in_the_middle.h"

namespace lambdacast::sim {

struct Mutant {
  std::string name;
  EndpointFactory factory;
};
inline void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

[[nodiscard]] inline EndpointFactory harmless_middle() {
  Hooks hooks;
  hooks.out = hooks.in = [](Middle&, Bytes&) { return true; };
  hooks.deliver = [](Middle&, node::PacketInfo&, Bytes&) { return true; };
  return middle(hooks);
}

[[nodiscard]] std::vector<Mutant> all_mutants();
[[nodiscard]] std::vector<Mutant> view_mutants();   // of membership and total order
[[nodiscard]] std::vector<Mutant> death_mutants();  // of what a fabric knows for certain

}  // namespace lambdacast::sim
