// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_views.h"

#include <algorithm>
#include <bit>

#include "base/random.h"
#include "sim/multicast/group_host.h"
#include "sim/multicast/random_scenario.h"
#include "wire/control/request.h"

namespace lambdacast::sim {

namespace {

class DrawViews {
 public:
  explicit DrawViews(uint64_t seed)
      : random_(base::mix64(seed ^ 0x71e35)), scenario_(random_scenario(seed % kViewSeeds)) {}

  Scenario scenario() {
    membership();
    for (NodeScenario& node : scenario_.nodes) traffic(node);
    if (scenario_.fabric.faults_end_ns != 0 && !one_in(8)) faults();
    times();
    return std::move(scenario_);
  }

 private:
  [[nodiscard]] bool one_in(uint64_t n) { return random_.below(n) == 0; }
  [[nodiscard]] uint64_t between(uint64_t least, uint64_t most) {
    return least + random_.below(most - least + 1);
  }

  void membership() {
    MembershipScenario& membership = scenario_.membership;
    const size_t nodes = scenario_.nodes.size();
    uint64_t slowest_ns = 0;
    for (NodeScenario& node : scenario_.nodes) {
      reliability::ReliabilityConfig& repair = node.repair;
      suspect_ns_ = std::min(suspect_ns_, repair.suspect_after_ns);
      repair.retain_ns = 1000 * repair.suspect_after_ns;  // a view ends before
      node.max_peers = std::max(node.max_peers, nodes);
      slowest_ns = std::max(slowest_ns, node.poll_every_ns);
    }
    membership.on = true;
    membership.views.suspect_after_ns = suspect_ns_;
    membership.order.k = static_cast<uint32_t>(between(1, 2));
    if (one_in(4))
      membership.views.minimum_partition = static_cast<uint32_t>(between(1, nodes / 2 + 1));
    membership.tie_breaker = random_.below(nodes);
    membership.views.heartbeat_ns = suspect_ns_ / between(8, 20);
    membership.views.retry_ns = between(20'000, 100'000) + slowest_ns;
    membership.views.ack_ns = between(1'000, 20'000);
    membership.order.domains = 1u << random_.below(5);
    membership.return_after_ns = one_in(4) ? kNever : random_.below(2 * suspect_ns_);
    for (NodeScenario& node : scenario_.nodes) {
      membership.order.stream_pkts =
          std::max(membership.order.stream_pkts, node.repair.transmit_window_pkts);
    }
  }

  void traffic(NodeScenario& node) {
    Traffic& traffic = node.traffic;
    traffic.unreliable_weight /= 2;
    for (uint32_t& weight : traffic.total_weights) weight = static_cast<uint32_t>(between(0, 3));
    traffic.total_weights[random_.below(4)] += 2;
    if (one_in(2)) traffic.publish_every_ns = std::max<uint64_t>(traffic.publish_every_ns, 10'000);
  }

  void crash(size_t node, uint64_t at_ns) {
    scenario_.actions.push_back({at_ns, node, Action::What::kCrash});
    if (one_in(3)) return;
    const uint64_t away_ns = one_in(2) ? random_.below(20'000) : random_.below(2 * suspect_ns_);
    scenario_.actions.push_back({at_ns + away_ns, node, Action::What::kStart});
  }

  // After the first view, as a rule.
  void faults() {
    const size_t nodes = scenario_.nodes.size();
    const uint64_t at_ns = between(suspect_ns_ / 4, 3 * suspect_ns_);
    if (one_in(3)) crash(random_.below(nodes), at_ns);
    if (one_in(4)) crash(random_.below(nodes), at_ns + random_.below(suspect_ns_ * 3 / 2));
    if (one_in(4)) split(at_ns + random_.below(suspect_ns_));
    if (one_in(6)) {
      const size_t node = random_.below(nodes);
      const uint64_t from_ns = at_ns + random_.below(suspect_ns_);
      scenario_.actions.push_back({from_ns, node, Action::What::kPause});
      scenario_.actions.push_back(
          {from_ns + random_.below(3 * suspect_ns_), node, Action::What::kResume});
    }
    if (one_in(6)) scenario_.actions.push_back({at_ns, random_.below(nodes), Action::What::kLeave});
  }

  // Two parts that do not hear each other, or one that does not hear the other one.
  void split(uint64_t begin_ns) {
    const size_t nodes = scenario_.nodes.size();
    const uint64_t end_ns = begin_ns + random_.below(4 * suspect_ns_);
    const bool both_ways = one_in(2);
    const size_t first = between(1, nodes - 1);
    for (size_t from = 0; from < nodes; ++from) {
      for (size_t to = 0; to < nodes; ++to) {
        if ((from < first) == (to < first) || (from > to && !both_ways)) continue;
        scenario_.fabric.partitions.push_back({from, to, begin_ns, end_ns});
      }
    }
  }

  void times() {
    uint64_t quiet_ns = scenario_.fabric.faults_end_ns;
    for (const Action& action : scenario_.actions) quiet_ns = std::max(quiet_ns, action.at_ns);
    for (const Partition& each : scenario_.fabric.partitions)
      quiet_ns = std::max(quiet_ns, each.end_ns);
    if (scenario_.membership.return_after_ns != kNever)
      quiet_ns += 2 * suspect_ns_ + scenario_.membership.return_after_ns;
    scenario_.fabric.faults_end_ns = quiet_ns;
    scenario_.epilogue_ns = quiet_ns + settling_ns(scenario_);
    scenario_.end_ns = scenario_.epilogue_ns + settling_ns(scenario_);
  }

  base::SplitMix64 random_;
  Scenario scenario_;
  uint64_t suspect_ns_ = kNever;  // the least of all nodes
};

}  // namespace

Scenario random_view_scenario(uint64_t seed) { return DrawViews(seed).scenario(); }

Scenario random_group_scenario(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x9709));
  Scenario scenario = random_view_scenario(kViewSeeds + seed % kViewSeeds);
  scenario.groups.on = true;
  scenario.groups.act_every_ns = 50'000 + random.below(400'000);
  // As long as the others publish; then, when the faults are over, the last is said.
  scenario.groups.busy_ns = scenario.fabric.faults_end_ns + random.below(2'000'000);
  for (NodeScenario& node : scenario.nodes) {
    for (const uint32_t number : group_numbers()) node.subscribe.push_back(number);
  }
  return scenario;
}

namespace {

void settle_later(Scenario& scenario, uint64_t by_ns) {
  scenario.epilogue_ns += by_ns;
  scenario.end_ns += by_ns;
}

// Endpoints subscribe to the personal numbers of all, so that the checkers know who is owed what:
// the caller's name in an answer tells whose it is. A slow consumer thus has more to take, and
// hears each step of a call, and of a view, behind all that was sent before it.
void add_calls(Scenario& scenario) {
  scenario.groups.calls = true;
  settle_later(scenario, 16 * consuming_ns(scenario));
  std::vector<uint32_t> personal;
  for (size_t i = 0; i < scenario.nodes.size(); ++i) {
    const node::EndpointIdentity identity = node_identity(scenario, i);
    personal.push_back(wire::personal_group(identity.gid, identity.data_qpn));
  }
  for (NodeScenario& node : scenario.nodes)
    node.subscribe.insert(node.subscribe.end(), personal.begin(), personal.end());
}

// Two sessions are too few for all who call, so that callers push one another out. Where members
// are slow, forty calls by way of entries with room for two each take their time to the last one.
void add_outside_calls(Scenario& scenario, base::SplitMix64 random) {
  scenario.groups.sessions = random.below(3) == 0 ? 2 : 16;
  for (NodeScenario& node : scenario.nodes) node.subscribe.push_back(wire::kFindGroup);
  scenario.end_ns += scenario.end_ns - scenario.epilogue_ns;
}

// Short messages of most nodes wait for others that may share their packets, in one run of four.
void share_packets(Scenario& scenario, uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x5a4e));
  if (random.below(4) != 0) return;
  for (NodeScenario& node : scenario.nodes) {
    if (random.below(4) != 0) node.coalesce_ns = random.below(3) == 0 ? 0 : random.below(20'000);
  }
}

}  // namespace

// Names join early and stay, act often, and stand still longer than they are suspected: a lock is
// of use only while somebody has it.
Scenario random_handler_scenario(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x10c5));
  Scenario scenario = random_group_scenario(kGroupSeeds + seed % kViewSeeds);
  scenario.groups.locks = true;
  scenario.groups.suspended_locks = seed >= kSuspendedSeeds;
  scenario.groups.act_every_ns = 20'000 + random.below(100'000);
  share_packets(scenario, seed);
  if (base::SplitMix64(base::mix64(seed ^ 0xca11)).below(2) == 0) {
    add_calls(scenario);
    base::SplitMix64 outside(base::mix64(seed ^ 0x0075));
    const bool few = scenario.nodes.size() <= 8;  // answers of many fill the fabric
    if (few && outside.below(2) == 0) add_outside_calls(scenario, outside);
  } else {
    // A slow consumer hears behind its backlog that it is out, and has its next life's to take
    // then.
    settle_later(scenario, 2 * consuming_ns(scenario));
  }
  if (random.below(2) == 0) return scenario;
  const uint64_t suspect_ns = scenario.membership.views.suspect_after_ns;
  const size_t node = random.below(scenario.nodes.size());
  const uint64_t from_ns = 2 * suspect_ns + random.below(2 * suspect_ns);
  const uint64_t to_ns = from_ns + suspect_ns + random.below(3 * suspect_ns);
  scenario.actions.push_back({from_ns, node, Action::What::kPause});
  scenario.actions.push_back({to_ns, node, Action::What::kResume});
  const uint64_t quiet_ns = to_ns + 4 * suspect_ns;
  if (scenario.fabric.faults_end_ns >= quiet_ns) return scenario;
  const uint64_t later_ns = quiet_ns - scenario.fabric.faults_end_ns;
  scenario.fabric.faults_end_ns += later_ns;
  scenario.groups.busy_ns += later_ns;
  scenario.epilogue_ns += later_ns;
  scenario.end_ns += later_ns;
  return scenario;
}

Scenario random_long_scenario(uint64_t seed) {
  constexpr size_t kMoreFragments = 7;  // of a message, than the one packet there is room for
  base::SplitMix64 random(base::mix64(seed ^ 0x10a6));
  Scenario scenario = random_view_scenario(kViewSeeds + seed % kViewSeeds);
  for (NodeScenario& node : scenario.nodes) {
    node.traffic.long_one_in = static_cast<uint32_t>(1 + random.below(8));
    node.max_publications += kMoreFragments;
    // One of each sender: blocks are powers of two, and as much again beside them.
    node.reassembly.memory_bytes = 4 * std::bit_ceil(node.max_peers * 8 * scenario.path_mtu);
  }
  return scenario;
}

Scenario random_view_parts_scenario(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x5a7f5));
  Scenario scenario = random_view_scenario(kViewSeeds + seed % kViewSeeds);
  if (scenario.nodes.size() <= 8) add_long_messages(scenario, random);
  return scenario;
}

Scenario random_death_scenario(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0xdea7));
  Scenario scenario = random.below(2) == 0 ? random_group_scenario(kGroupSeeds + seed % kViewSeeds)
                                           : random_view_scenario(kViewSeeds + seed % kViewSeeds);
  const uint64_t suspect_ns = scenario.membership.views.suspect_after_ns;
  for (NodeScenario& node : scenario.nodes) {
    if (random.below(5) == 0) continue;
    node.looks_after_ns = random.below(random.below(2) == 0 ? 20'000 : suspect_ns);
  }
  // Before the faults end, of which these are some.
  const uint64_t busy_ns = scenario.fabric.faults_end_ns / 2;
  for (uint64_t ends = busy_ns == 0 ? 0 : random.below(4); ends != 0; --ends) {
    const size_t node = random.below(scenario.nodes.size());
    const uint64_t at_ns = random.below(busy_ns);
    const bool stops = random.below(3) == 0;
    const uint64_t away_ns = random.below(random.below(2) == 0 ? 20'000 : busy_ns);
    scenario.actions.push_back({at_ns, node, stops ? Action::What::kPause : Action::What::kCrash});
    scenario.actions.push_back(
        {at_ns + away_ns, node, stops ? Action::What::kResume : Action::What::kStart});
  }
  return scenario;
}

}  // namespace lambdacast::sim
