// SPDX-License-Identifier: BSD-3-Clause
// What it takes to get from one configuration to another: both are compared as they work, setting
// by setting, however their files are written.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace lambdacast::config {

enum class Effect : uint8_t {
  kLive,         // may be set while the endpoint runs
  kIncarnation,  // the endpoint has to begin anew: its peers see another incarnation of it
  kRestart,      // the process has to: memory, lcores, ports or the fabric are other ones
};
[[nodiscard]] const char* name(Effect effect);

struct Change {
  std::string setting;   // by Setting::name()
  std::string endpoint;  // whose; "" of the process
  std::string before;    // as TOML; "" where it was not set, or the endpoint is new
  std::string after;     // the same
  std::string unit;
  Effect effect = Effect::kRestart;
};

// In the order of the settings of `running`, and behind them what only `wanted` has.
[[nodiscard]] std::vector<Change> plan(const Config& running, const Config& wanted);

// `running` with what is live in `wanted`: what it is once that has been set.
[[nodiscard]] Config with_live(const Config& running, const Config& wanted);

}  // namespace lambdacast::config
