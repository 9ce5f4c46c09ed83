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

// The trouble of a run, over all endpoints here. Every packet may be accounted for all the same.
struct Trouble {
  uint64_t declared_lost = 0;  // recoverable packets that will not come
  uint64_t evicted = 0;        // receivers cut off by endpoints here that are in no views
  uint64_t evictions = 0;      // times that an endpoint here was cut off
  uint64_t refusals = 0;       // receivers or senders whose packets do not fit a path MTU
  uint64_t silences = 0;       // times that a peer was not heard for suspect_after
  uint64_t exclusions = 0;     // times that an endpoint here was excluded from its view
  uint64_t out_of_order = 0;   // messages that came behind a later one of their order

  [[nodiscard]] bool any() const {
    return declared_lost + evicted + evictions + refusals + silences + exclusions + out_of_order !=
           0;
  }
};
[[nodiscard]] Trouble trouble_of(const rack::RackAccount& state,
                                 const std::vector<Traffic*>& applications, uint64_t exclusions);

struct Verdict {
  bool accounted = false;  // the identity holds at every receiver
  std::string text;
};
[[nodiscard]] Verdict verdict(rack::Rack& rack, const rack::RackAccount& state,
                              const Trouble& trouble);

}  // namespace lambdacast::appliance
