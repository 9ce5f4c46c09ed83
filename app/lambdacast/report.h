// What lambdacast prints of its rack: the live table, and the verdict at the end.
#pragma once

#include <string>

#include "dataplane/rack_account.h"

namespace lambdacast::app {

// A row an endpoint: rates since `before`, totals since the start.
[[nodiscard]] std::string table(dataplane::Rack& rack, const dataplane::RackAccount& before,
                                const dataplane::RackAccount& now);

// Duty of each lcore: busy share, longest loop, packets a burst of each stage.
[[nodiscard]] std::string lcore_table(const dataplane::Rack& rack);

struct Verdict {
  bool accounted = false;  // the identity holds at every receiver
  std::string text;
};
[[nodiscard]] Verdict verdict(dataplane::Rack& rack, const dataplane::RackAccount& state);

}  // namespace lambdacast::app
