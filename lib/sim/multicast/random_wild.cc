// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_wild.h"

#include <algorithm>

#include "base/random.h"
#include "reliability/reliability_config.h"
#include "wire/control/control.h"

namespace lambdacast::sim {

namespace {

class DrawWild {
 public:
  DrawWild(const Scenario& scenario, uint64_t seed)
      : scenario_(scenario), random_(base::mix64(seed ^ 0x171d5)) {}

  NodeWild node(const NodeScenario& of) {
    NodeWild wild;
    if (one_in(8)) return wild;
    wild.on = true;
    placement(wild);
    wild.shuffles = one_in(2);
    wild.most_delay_ns = one_in(3) ? 0 : between(1, one_in(4) ? 3'000 : 500);
    // A node that is polled seldom has to move what comes meanwhile.
    const bool seldom = of.poll_every_ns != 0 || wild.most_delay_ns > 500;
    wild.link_slots = one_in(3) ? 0 : 1u << between(seldom ? 6 : 2, 8);
    wild.control_slots = one_in(2) ? 0 : static_cast<uint32_t>(between(seldom ? 8 : 1, 16));
    pool(wild.pool, of);
    port(wild.port, of);
    if (one_in(3)) {
      wild.application_refusal = probability(0.02);
      wild.application_refusal_ns = between(1'000, 100'000);
    }
    return wild;
  }

 private:
  [[nodiscard]] bool one_in(uint64_t n) { return random_.below(n) == 0; }
  [[nodiscard]] uint64_t between(uint64_t least, uint64_t most) {
    return least + random_.below(most - least + 1);
  }
  [[nodiscard]] double probability(double ceiling) {
    return ceiling * static_cast<double>(1 + random_.below(1000)) / 1000;
  }

  // With membership reliability, ordering and rate_control share an lcore.
  void placement(NodeWild& wild) {
    if (one_in(3)) return;
    for (uint8_t& lcore : wild.lcores) lcore = static_cast<uint8_t>(random_.below(kPlaces));
    if (scenario_.membership.on) wild.lcores[2] = wild.lcores[3] = wild.lcores[1];
  }

  // What windows and total order may hold, and two bursts. (Descriptors are the port's own.)
  [[nodiscard]] size_t least_pool(const NodeScenario& node) const {
    constexpr size_t kBurst = 32;
    const size_t ordered = scenario_.membership.on ? (scenario_.nodes.size() + 1) *
                                                         scenario_.membership.order.stream_pkts
                                                   : 0;
    return node.repair.transmit_window_pkts + node.repair.hold_pkts + ordered + 2 * kBurst;
  }

  void pool(PoolWild& pool, const NodeScenario& of) {
    if (one_in(2)) pool.packets = least_pool(of) + random_.below(64);
    if (!one_in(3)) return;
    pool.refusal = probability(0.02);
    pool.refusal_ns = between(100, 10'000);
    pool.until_ns = scenario_.fabric.faults_end_ns;
  }

  void port(PortWild& port, const NodeScenario& of) {
    port.keeps = !one_in(3);
    port.until_ns = scenario_.fabric.faults_end_ns;
    if (of.poll_every_ns == 0 && one_in(3)) port.short_burst = probability(0.5);
    if (one_in(2)) port.partial_burst = probability(0.5);
    if (one_in(3)) {
      port.refusal = probability(0.1);
      port.refusal_ns = between(500, 20'000);
    }
    if (!port.keeps && !one_in(3)) port.late_free_ns = between(100, 20'000);
    if (port.keeps && one_in(4)) port.late_free_ns = between(100, 20'000);
  }

  const Scenario& scenario_;
  base::SplitMix64 random_;
};

// The frames with statuses that a node may hear between two of its turns: each other node speaks of
// all streams in a round, and small frames hold few entries.
uint64_t statuses_in_a_turn(const Scenario& scenario, const NodeScenario& node) {
  const size_t others = scenario.nodes.size() - 1;
  const size_t entries = std::max<size_t>(
      1, (scenario.path_mtu - wire::kControlHeaderBytes) / wire::kMaxStatusEntryBytes);
  const size_t frames = others * ((others + entries - 1) / entries);
  const uint64_t turn_ns = node.poll_every_ns + node.wild.most_delay_ns;
  return frames * turn_ns / reliability::status_interval_ns(node.repair.status_ns, others);
}

}  // namespace

void make_wild(Scenario& scenario, uint64_t seed) {
  DrawWild draw(scenario, seed);
  for (NodeScenario& node : scenario.nodes) node.wild = draw.node(node);
  constexpr uint32_t kBoundSlots = 256;
  // A node that hears more than its links move never catches up. Half of a link is for content.
  for (NodeScenario& node : scenario.nodes) {
    const uint64_t least = std::min<uint64_t>(2 * statuses_in_a_turn(scenario, node), kBoundSlots);
    while (node.wild.link_slots != 0 && node.wild.link_slots < least) node.wild.link_slots *= 2;
  }
  // A link without a bound gives a slow consumer all packets of a pool that has one: its node has
  // none left to speak with. An appliance's link to its application holds two bursts.
  for (NodeScenario& node : scenario.nodes) {
    const bool all = scenario.groups.locks && node.wild.pool.packets != 0;
    if (all && node.wild.link_slots == 0) node.wild.link_slots = kBoundSlots;
  }
  // From a generator of its own: what is drawn above stays what it was.
  base::SplitMix64 clocks(base::mix64(seed ^ 0xc10c));
  if (clocks.below(8) == 0)
    scenario.nodes[clocks.below(scenario.nodes.size())].incarnation_step = -1;
}

}  // namespace lambdacast::sim
