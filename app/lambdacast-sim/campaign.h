// Many seeds, several at a time; what has been done is kept in a file, so that a campaign of days
// survives the machine it runs on.
#pragma once

#include <cstdint>
#include <string>

#include "sim/run_seed.h"

namespace lambdacast::app {

struct CampaignOptions {
  uint64_t seeds = 300;
  uint64_t first_seed = 1;
  int jobs = 0;        // threads; 0: one a core
  std::string resume;  // file; empty: none
};

// Returns an exit code.
[[nodiscard]] int run_campaign(const CampaignOptions& options);

// Replays one seed, with a line for every event if `trace`.
[[nodiscard]] int run_replay(uint64_t seed, bool trace);

}  // namespace lambdacast::app
