// SPDX-License-Identifier: BSD-3-Clause
// What lambdacast prints of its rack: the live table, and the verdict at the end.
#pragma once

#include <string>
#include <vector>

#include "rack/rack_account.h"
#include "traffic.h"

namespace lambdacast::appliance {

// A row an endpoint: rates since `before`, totals since the start.
[[nodiscard]] std::string table(rack::Rack& rack, const rack::RackAccount& before,
                                const rack::RackAccount& now);

// Duty of each lcore: busy share, longest loop, packets a burst of each stage.
[[nodiscard]] std::string lcore_table(const rack::Rack& rack);

// What became of recoverable messages; empty if nobody published any.
[[nodiscard]] std::string reliability_report(const rack::RackAccount& state,
                                             const std::vector<Traffic*>& applications);

struct Verdict {
  bool accounted = false;  // the identity holds at every receiver
  std::string text;
};
[[nodiscard]] Verdict verdict(rack::Rack& rack, const rack::RackAccount& state);

}  // namespace lambdacast::appliance
