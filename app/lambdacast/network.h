// SPDX-License-Identifier: BSD-3-Clause
// What lambdacast says and asks on real networks: who answers for an endpoint's address besides it,
// and where a peer is.
#pragma once

#include <string>
#include <vector>

#include "rack/rack_account.h"

namespace lambdacast::appliance {

// What each endpoint on a real network does in place of a kernel, a line each.
[[nodiscard]] std::string network_introduction(rack::Rack& rack);

// Neighbors and what was said of them, by endpoint; empty on the embedded fabric.
[[nodiscard]] std::string neighbor_table(rack::Rack& rack, const rack::RackAccount& state);

// Looked at by the control thread while the rack runs.
class NetworkWatch {
 public:
  // `addresses`: of peers to be found, by the endpoints of their family.
  NetworkWatch(rack::Rack& rack, const std::vector<std::string>& addresses);

  // Says what is new: a peer found or given up, to `out`; an address claimed twice, to
  // `complaints`.
  struct News {
    std::string out;
    std::string complaints;
  };
  [[nodiscard]] News look();
  // A peer is being asked for: look again soon.
  [[nodiscard]] bool busy() const { return !asked_.empty(); }

 private:
  struct Asked {
    size_t endpoint;
    wire::Gid gid;
  };
  rack::Rack& rack_;
  std::vector<Asked> asked_;
  std::vector<bool> complained_;  // by endpoint
};

}  // namespace lambdacast::appliance
