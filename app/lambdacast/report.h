// What lambdacast prints of its rack: the live table, and the verdict at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/loss_account.h"
#include "dataplane/rack.h"

namespace lambdacast::app {

// All endpoints at one time.
struct RackState {
  uint64_t now_ns = 0;
  std::vector<dataplane::EndpointSnapshot> stages;
  std::vector<dataplane::PortStatistics> ports;
  std::vector<dataplane::ReceiverAccount> receivers;  // `expected` from the senders in this process
};
[[nodiscard]] RackState look_at(dataplane::Rack& rack);

// A row an endpoint: rates since `before`, totals since the start.
[[nodiscard]] std::string table(dataplane::Rack& rack, const RackState& before,
                                const RackState& now);

// Duty of each lcore: busy share, longest loop, packets a burst of each stage.
[[nodiscard]] std::string lcore_table(const dataplane::Rack& rack);

struct Verdict {
  bool accounted = false;  // the identity holds at every receiver
  std::string text;
};
[[nodiscard]] Verdict verdict(dataplane::Rack& rack, const RackState& state);

}  // namespace lambdacast::app
