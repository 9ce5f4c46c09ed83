// SPDX-License-Identifier: BSD-3-Clause
// A configuration as a list: every setting under its full name with its value, whatever file it
// came from.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace lambdacast::config {

struct Setting {
  std::string section;  // "fabric", "fabric.optical", "endpoint", "endpoint.faults", "lcore", "eal"
  std::string owner;    // whose: an endpoint's name, an lcore's id; "" where there is one
  std::string key;      // "loss"
  std::string value;    // as TOML
  std::string unit;     // "" if it has none
  bool at_default = false;

  // "fabric.slots", "endpoint.node0.faults.loss", "lcore.1.idle"
  [[nodiscard]] std::string name() const;
};

// In the order in which effective() writes them; what an endpoint may not have is left out, and so
// is what has no value.
[[nodiscard]] std::vector<Setting> settings(const Config& config);

}  // namespace lambdacast::config
