// SPDX-License-Identifier: BSD-3-Clause
// The report of a node is the list of its parts' reports. Each part has a plain one beside it, and
// fills it on its lcore.
#pragma once

#include <cstddef>
#include <optional>

#include "node/neighbor_stage.h"
#include "node/ordered_delivery.h"
#include "node/ordering_stage.h"
#include "node/rate_control_stage.h"
#include "node/rate_shares.h"
#include "node/receive_stage.h"
#include "node/reliability_stage.h"

namespace lambdacast::node {

struct NodeReport {
  ReceiveReport receive;
  std::optional<NeighborReport> neighbor;  // on a real network
  ReliabilityReport reliability;
  OrderingReport ordering;
  std::optional<ViewReport> view;  // with membership
  RateControlReport rate_control;
  RateReport rate;

  // One peer, by the index that the receive stage gave it.
  struct Peer {
    const ReceiveReport::Peer& name;
    const ReliabilityReport::Peer& reliability;
    const RateControlReport::Peer& rate_control;
  };
  [[nodiscard]] size_t peers() const { return receive.peers.size(); }
  [[nodiscard]] Peer peer(size_t i) const {
    return {receive.peers[i], reliability.peers[i], rate_control.peers[i]};
  }

  // Memory for so many peers: then Node::report() allocates nothing.
  void reserve(size_t max_peers) {
    receive.peers.reserve(max_peers);
    reliability.peers.reserve(max_peers);
    rate_control.peers.reserve(max_peers);
  }
  // When all parts have reported: only the peers that the receive stage knows.
  void trim() {
    reliability.peers.resize(peers());
    rate_control.peers.resize(peers());
  }
};

}  // namespace lambdacast::node
