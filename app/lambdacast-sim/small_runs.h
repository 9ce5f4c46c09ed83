// SPDX-License-Identifier: BSD-3-Clause
// --small of commands that let fabrics fail: many small cases that seeds draw, all checked.
#pragma once

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <cstdint>
#include <mutex>
#include <string>

#include "../command_line.h"
#include "run_progress.h"

namespace lambdacast::sim_program {

struct SmallRun {
  std::string text;       // what was drawn, in a line
  std::string violation;  // the first; empty: none
  uint64_t events = 0;
  uint64_t floods = 0;
};

// How large a graph that seed may draw: most are small, and one of 32 is not.
[[nodiscard]] inline uint32_t most_nodes(uint64_t seed) { return seed % 32 == 0 ? 200 : 40; }

// `run(seed)` draws and runs one. Tells the first violations, and how to see each again by
// `lambdacast-sim COMMAND`. Returns an exit code.
template <typename Run>
[[nodiscard]] int run_small(const char* command, uint64_t runs, uint64_t first_seed, Run run) {
  constexpr uint64_t kMostTold = 20;
  RunProgress progress(runs, "events");
  std::mutex telling;
  uint64_t wrong = 0, floods = 0;
  tbb::parallel_for(uint64_t{0}, runs, [&](uint64_t i) {
    const uint64_t seed = first_seed + i;
    const SmallRun done = run(seed);
    progress.done(done.events);
    const std::scoped_lock lock(telling);
    floods += done.floods;
    if (done.violation.empty() || ++wrong > kMostTold) return;
    fmt::print(stderr, "seed {}, {}: {}\n  again: lambdacast-sim {} --small 1 --first-seed {}\n",
               seed, done.text, done.violation, command, seed);
  });
  progress.end();
  fmt::print("{} small runs, {} with violations, {} floods\n", runs, wrong, floods);
  return wrong == 0 ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
