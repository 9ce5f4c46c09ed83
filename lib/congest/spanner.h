// SPDX-License-Identifier: BSD-3-Clause
// A (2 k - 1)-spanner, by Baswana and Sen, for edges of equal weight: few edges, over which the
// ends of every other are at most 2 k - 1 hops apart. Each switch is a cluster at first. Then, k -
// 1 times, a cluster survives with probability nodes^(-1/k); who loses its cluster joins a
// neighbouring one that survives, by one edge, or keeps one edge to each neighbouring cluster and
// leaves. At the end who has a cluster keeps one edge to each neighbouring one.
//
// Whether a cluster survives is a function of seed, centre and iteration, which all members know
// without being told. An iteration so takes two rounds: clusters are told, and edges kept.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "congest/algorithm.h"

namespace lambdacast::congest {

// For each neighbouring cluster the least of the ports that lead there: one step a message, by a
// table of hashes that is emptied at once.
class ClusterPorts {
 public:
  explicit ClusterPorts(size_t ports)
      : places_(std::bit_ceil(2 * std::max<size_t>(ports, 1))), least_(ports) {}
  void clear() {
    ++epoch_;
    least_.clear();
  }
  void add(NodeId cluster, size_t port) {
    Place& place = find(cluster);
    if (place.epoch != epoch_) {
      place = {cluster, epoch_, port};
    } else if (port < place.port) {
      least_.reset(place.port);
      place.port = port;
    } else {
      return;
    }
    least_.set(port);
  }
  // One port a cluster.
  [[nodiscard]] const Filter& least() const { return least_; }

 private:
  struct Place {
    NodeId cluster = kNone;
    uint32_t epoch = 0;
    size_t port = 0;
  };
  Place& find(NodeId cluster) {
    size_t at = base::mix64(cluster);
    for (;; ++at) {
      Place& place = places_[at % places_.size()];
      if (place.epoch != epoch_ || place.cluster == cluster) return place;
    }
  }
  std::vector<Place> places_;
  uint32_t epoch_ = 1;
  Filter least_;
};

class Spanner {
 public:
  static constexpr const char* kName = "spanner";
  static constexpr unsigned kBytes = 4;
  struct Config {
    uint32_t k = 3;
    uint64_t seed = 0;  // of the draws of clusters
  };
  struct Result {
    Filter edges;  // the ports of edges in the spanner
    bool operator==(const Result&) const = default;
  };

  Spanner(const NodeView& self, const Config& config)
      : config_(config),
        survives_(std::pow(static_cast<double>(self.nodes()), -1.0 / config.k)),
        cluster_(self.id()),
        clusters_(self.ports()),
        kept_(self.ports()),
        edges_(self.ports()) {}

  void on_round(Round& round) {
    telling_ = round.number() % 2 == 0;
    iteration_ = round.number() / 2 + 1;
    last_ = round.number() + 1 >= 2 * config_.k;
    if (iteration_ > config_.k || cluster_ == kNone) return;
    if (telling_) {
      clusters_.clear();
      joins_ = kNoPort;
      round.broadcast({{cluster_}});
      return;
    }
    kept_.clear();
    if (iteration_ == config_.k) {
      kept_ = clusters_.least();
    } else if (!survives(cluster_)) {
      if (joins_ == kNoPort) {
        kept_ = clusters_.least();
        cluster_ = kNone;
      } else {
        kept_.set(joins_);
        cluster_ = joined_;
      }
    }
    edges_.add(kept_);
    round.multicast(kept_, {});
  }
  void on_message(size_t port, const Message& message) {
    if (!telling_) return edges_.set(port);
    const NodeId cluster = message.words[0];
    if (cluster == cluster_ || cluster_ == kNone) return;  // who has left keeps nothing more
    clusters_.add(cluster, port);
    if (port < joins_ && iteration_ < config_.k && survives(cluster)) {
      joins_ = port;
      joined_ = cluster;
    }
  }
  [[nodiscard]] bool active() const { return !last_; }
  [[nodiscard]] bool more() const { return false; }
  [[nodiscard]] Result result() const { return {edges_}; }

 private:
  [[nodiscard]] bool survives(NodeId cluster) const {
    const uint64_t which = static_cast<uint64_t>(iteration_) << 32 | cluster;
    return survives_.hit(base::mix64(base::mix64(config_.seed) ^ which));
  }

  const Config config_;
  const base::Chance survives_;
  NodeId cluster_;
  ClusterPorts clusters_;
  Filter kept_;
  Filter edges_;
  size_t joins_ = kNoPort;  // the least port to a cluster that survives
  NodeId joined_ = kNone;
  uint32_t iteration_ = 1;
  bool telling_ = true;
  bool last_ = false;
};

}  // namespace lambdacast::congest
