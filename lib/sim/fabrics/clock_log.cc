// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_log.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/random.h"

namespace lambdacast::sim::fabrics {

using congest::ArcId;
using congest::kNone;
using congest::NodeId;

Greatest::Greatest(size_t nodes)
    : leaves_(std::bit_ceil(std::max<size_t>(nodes, 1))), two_(2 * leaves_) {}

void Greatest::put(NodeId node, double key) {
  size_t at = leaves_ + node;
  two_[at].first = key;
  for (at /= 2; at != 0; at /= 2) {
    const Two &a = two_[2 * at], &b = two_[2 * at + 1];
    two_[at] = a.first >= b.first ? Two{a.first, std::max(a.second, b.first)}
                                  : Two{b.first, std::max(b.second, a.first)};
  }
}

void Greatest::set(NodeId node, double epsilon_ns, double at_ns, double drift, bool root) {
  put(node, root ? kNothing : epsilon_ns - drift * at_ns);
}

void Greatest::remove(NodeId node) { put(node, kNothing); }

double Greatest::pair_ns(double at_ns, double drift) const {
  const auto of = [&](double key) { return key == kNothing ? 0 : key + drift * at_ns; };
  return of(two_[1].first) + of(two_[1].second);
}

Rates draw_rates(size_t nodes, double drift, uint64_t seed) {
  Rates rates;
  base::SplitMix64 random(base::mix64(seed ^ 0xc10c));
  for (size_t node = 0; node < nodes; ++node)
    rates.push_back(drift / 2 * (static_cast<double>(random()) / 0x1p63 - 1));
  return rates;
}

ClockLog::ClockLog(const congest::Graph& graph, Rates rates, const Config& config)
    : graph_(graph),
      rates_(std::move(rates)),
      config_(config),
      nodes_(graph.nodes()),
      greatest_(graph.nodes()) {}

void ClockLog::say(NodeId node, uint64_t now_ns, const char* what) {
  violations_.push_back("switch " + std::to_string(node) + " at " + std::to_string(now_ns) +
                        " ns: " + what);
}

void ClockLog::tree(NodeId node, const ClockPlace& place, const clock_sync::KeptTime& time,
                    bool set, uint64_t now_ns) {
  check_bound(node, now_ns);
  Node& at = nodes_[node];
  if (place.generation < at.place.generation) say(node, now_ns, "goes back to a generation");
  if (place.flood != at.place.flood) at.flooded_ns = now_ns;
  if (place.tree != at.place.tree) at.set = false;
  at.place = place;
  at.changed_ns = now_ns;
  check_loop(node, now_ns);
  if (place.father == kNone) leaders_[place.tree] = {rates_[node], time.offset()};
  if (set) return take_set(node, time, now_ns);
  // A root that follows somebody else is measured by itself until it is set anew.
  if (at.time.root() && !time.root()) at.leader = {rates_[node], time.offset()};
  take(node, time, now_ns);
}

void ClockLog::time(NodeId node, const clock_sync::KeptTime& time, uint64_t now_ns) {
  check_bound(node, now_ns);
  take_set(node, time, now_ns);
}

void ClockLog::take_set(NodeId node, const clock_sync::KeptTime& time, uint64_t now_ns) {
  Node& at = nodes_[node];
  const auto leader = leaders_.find(at.place.tree);
  if (leader == leaders_.end()) {
    say(node, now_ns, "is set by a tree without a root");
  } else {
    at.leader = leader->second;
  }
  if (!at.set) at.set_ns = now_ns;
  at.set = true;
  take(node, time, now_ns);
  check_bound(node, now_ns);
}

void ClockLog::take(NodeId node, const clock_sync::KeptTime& time, uint64_t now_ns) {
  const auto now = static_cast<double>(now_ns);
  if (failed_) peak_ns_ = std::max(peak_ns_, greatest_.pair_ns(now, config_.drift));
  Node& at = nodes_[node];
  at.time = time;
  greatest_.set(node, time.epsilon(local_ns(node, now_ns), config_.base_ns, config_.drift), now,
                config_.drift, time.root());
}

// Nobody is further off the root that it follows than it says, be the root dead by now.
void ClockLog::check_bound(NodeId node, uint64_t now_ns) {
  const Node& at = nodes_[node];
  if (!config_.checks_bound || at.time.root()) return;
  const double local = local_ns(node, now_ns);
  const double off = at.time.now(local) -
                     (static_cast<double>(now_ns) * (1 + at.leader.rate) + at.leader.offset_ns);
  const double bound = at.time.epsilon(local, config_.base_ns, config_.drift);
  if (std::abs(off) > bound * 1.001 + 0.01) say(node, now_ns, "is further off than it says");
}

// Fathers of one tree never go round.
void ClockLog::check_loop(NodeId node, uint64_t now_ns) {
  const uint64_t tree = nodes_[node].place.tree;
  NodeId at = node;
  for (size_t hops = 0; hops <= graph_.nodes(); ++hops) {
    const ArcId father = nodes_[at].place.father;
    if (father == kNone) return;
    at = graph_.to(father);
    if (nodes_[at].place.tree != tree) return;
    if (at == node) break;
  }
  say(node, now_ns, "is its own ancestor");
}

void ClockLog::died(NodeId node, uint64_t now_ns) {
  check_bound(node, now_ns);
  nodes_[node].alive = false;
  greatest_.remove(node);
}

void ClockLog::failure(uint64_t now_ns) {
  failed_ = true;
  peak_ns_ = std::max(peak_ns_, pair_ns(now_ns));
}

void ClockLog::end(uint64_t now_ns) {
  if (failed_) peak_ns_ = std::max(peak_ns_, pair_ns(now_ns));
  for (NodeId node = 0; node < nodes_.size(); ++node)
    if (nodes_[node].alive) check_bound(node, now_ns);
}

uint64_t ClockLog::last_flooded_ns() const {
  uint64_t last_ns = 0;
  for (const Node& node : nodes_)
    if (node.alive) last_ns = std::max(last_ns, node.flooded_ns);
  return last_ns;
}

uint64_t ClockLog::first_flooded_ns() const {
  uint64_t first_ns = ~uint64_t{0};
  for (const Node& node : nodes_)
    if (node.alive) first_ns = std::min(first_ns, node.flooded_ns);
  return first_ns;
}

uint64_t ClockLog::last_change_ns() const {
  uint64_t last_ns = 0;
  for (const Node& node : nodes_)
    if (node.alive) last_ns = std::max(last_ns, node.changed_ns);
  return last_ns;
}

uint64_t ClockLog::last_set_ns() const {
  uint64_t last_ns = 0;
  for (const Node& node : nodes_)
    if (node.alive) last_ns = std::max(last_ns, node.set_ns);
  return last_ns;
}

bool ClockLog::all_set() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.set || !node.alive; });
}

}  // namespace lambdacast::sim::fabrics
