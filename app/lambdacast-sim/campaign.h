// SPDX-License-Identifier: BSD-3-Clause
// Many seeds, several at a time; what has been done is kept in a file, so that a campaign of days
// survives the machine it runs on.
#pragma once

#include <cstdint>
#include <string>

#include "sim/multicast/run_seed.h"

namespace lambdacast::sim_program {

struct CampaignOptions {
  uint64_t seeds = 300;
  uint64_t first_seed = 1;
  // Scenarios of reliable multicast alone, those with views and total order, of each kind half, or
  // of one kind of views alone.
  enum class Kind : uint8_t { kReliable, kViews, kBoth, kRates, kRing, kLocks, kDeaths };
  Kind kind = Kind::kBoth;
  int jobs = 0;        // threads; 0: one a core
  std::string resume;  // file; empty: none
};

// Returns an exit code.
[[nodiscard]] int run_campaign(const CampaignOptions& options);

// Replays one seed, in calm surroundings or in its own, with a line for every event if `trace`, and
// every frame sent in the file `capture` if that is not empty.
[[nodiscard]] int run_replay(uint64_t seed, bool trace, bool calm, const std::string& capture);

}  // namespace lambdacast::sim_program
