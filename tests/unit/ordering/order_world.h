// SPDX-License-Identifier: BSD-3-Clause
// Several TotalOrders fed the same streams, interleaved at random, with acknowledgements late and
// applications that refuse, through views that end.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "order_node.h"
#include "wire/control/pass.h"

namespace lambdacast::ordering {

using wire::Qos;

inline constexpr size_t kMost = 5;  // nodes; their own stream's number, too
inline constexpr TotalOrderConfig config_with(ordering::Order order) {
  return {kMost, 24, 8, 1, 0, order};
}

struct Sent {
  uint32_t group = 0;
  Qos qos = Qos::kTotallyOrdered;
  uint32_t messages = 1;
  std::vector<uint8_t> marks;
  [[nodiscard]] bool ordered() const { return !wire::is_order_group(group); }
};

// What the order of a view has to be: by domain, who sent it, where, and the mark that placed it.
struct Place {
  size_t sender = 0;
  uint64_t rel_seq = 0;
  uint64_t index = 0;
  size_t marker = 0;  // the node that made it
  uint64_t mark = 0;  // 0: the view ended before one
  Qos qos = Qos::kTotallyOrdered;
};
using Places = std::map<uint32_t, std::vector<Place>>;

class World {
 public:
  World(size_t nodes, uint64_t seed, ordering::Order order)
      : config_(config_with(order)),
        ring_(ring_domains(order, config_.domains)),
        random_(seed),
        logs_(nodes),
        begins_(nodes) {
    std::vector<size_t> members(nodes);
    for (size_t i = 0; i < nodes; ++i) members[i] = i;
    for (size_t i = nodes; i > 1; --i) std::swap(members[i - 1], members[random_.below(i)]);
    ranks_ = members;
    for (size_t i = 0; i < nodes; ++i) {
      nodes_.push_back(std::make_unique<OrderNode>(config_));
      nodes_[i]->on_deliver = [this, i](const Ordered& what) { check_level(i, what); };
    }
    for (const size_t i : members) nodes_[i]->begin(streams(i), rank_of(i), epoch_);
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) act();
  }
  void end_view(std::set<size_t> departed);
  // Everything comes, is marked, acknowledged and taken.
  void settle();
  void expect_one_order(const std::vector<size_t>& at, const std::vector<uint64_t>* cuts);
  void expect_one_order() { expect_one_order(ranks_, nullptr); }
  // The passes by which the token came to rest are acknowledged by those of the next message.
  void expect_nothing_held() {
    const uint64_t passes = ring_.count == 0 ? 0 : ranks_.size() - 1;
    for (const size_t i : ranks_) EXPECT_LE(nodes_[i]->order().held(), passes) << "node " << i;
  }
  // Everybody publishes so many messages that sequencers order, one behind the other. Returns how
  // many of them had no room.
  [[nodiscard]] size_t go_on_without_the_ring(int messages);
  [[nodiscard]] size_t delivered() const { return delivered_; }

 private:
  OrderNode& node(size_t i) { return *nodes_[i]; }
  [[nodiscard]] size_t stream(size_t of, size_t at) const { return of == at ? kMost : of; }
  [[nodiscard]] size_t sender(size_t of, size_t at) const { return of == kMost ? at : of; }
  [[nodiscard]] size_t rank_of(size_t i) const {
    return static_cast<size_t>(std::find(ranks_.begin(), ranks_.end(), i) - ranks_.begin());
  }
  [[nodiscard]] std::vector<size_t> streams(size_t at) const {
    std::vector<size_t> out;
    for (const size_t i : ranks_) out.push_back(stream(i, at));
    return out;
  }
  // By the definition in total_order.h, for a view of ranks_.
  [[nodiscard]] size_t marker_of(uint32_t domain) const {
    return base::mix64(domain + 0x9e37u) % ranks_.size();
  }
  size_t any() { return ranks_[random_.below(ranks_.size())]; }

  void act();
  void send(size_t i, Sent packet);
  void publish(size_t i);
  void mark(size_t i);
  bool read(size_t at, size_t of);
  // No receiver was told to hold more of it.
  bool may_send(size_t i, uint32_t reserve);
  void acknowledge(size_t by, size_t to, size_t marker) {
    node(to).order().acknowledged(rank_of(by), marker, node(by).order().applied(marker));
  }
  void check_level(size_t at, const Ordered& what);
  Places order(const std::vector<uint64_t>* cuts);
  void place(Places& out, size_t of, uint64_t rel_seq, size_t marker, uint64_t mark);
  void place_through(Places& out, const wire::Mark& what, size_t marker, uint64_t mark, bool ring,
                     const std::vector<uint64_t>* cuts,
                     std::set<std::pair<size_t, uint64_t>>& placed);
  void place_passes(Places& out, const std::vector<uint64_t>* cuts,
                    std::set<std::pair<size_t, uint64_t>>& placed);

  const TotalOrderConfig config_;
  const RingDomains ring_;
  base::SplitMix64 random_;
  std::vector<std::vector<Sent>> logs_;  // position p is entry p - 1
  std::vector<uint64_t> begins_;         // of each log: this view's is behind that
  std::vector<size_t> ranks_;
  std::vector<std::unique_ptr<OrderNode>> nodes_;
  uint64_t epoch_ = 1;
  bool ended_ = false;  // what is delivered now is so whatever its level
  size_t delivered_ = 0;
};

}  // namespace lambdacast::ordering
