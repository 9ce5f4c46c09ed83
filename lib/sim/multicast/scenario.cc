// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/scenario.h"

#include <algorithm>

#include "base/random.h"

namespace lambdacast::sim {

namespace {

wire::Gid ipv6_gid(uint8_t first_byte, uint32_t last_word) {
  wire::Gid gid;
  gid.bytes[0] = first_byte;
  gid.bytes[1] = first_byte == 0xff ? 0x0e : 0x77;
  base::store_be32(&gid.bytes[12], last_word);
  return gid;
}

}  // namespace

node::EndpointIdentity node_identity(const Scenario& scenario, size_t node) {
  const auto number = static_cast<uint32_t>(node + 1);
  node::EndpointIdentity identity;
  identity.mac.bytes = {
      0x02, 0x4c, 0x43, 0, static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)};
  identity.gid = scenario.ipv6 ? ipv6_gid(0xfd, number) : wire::gid_from_ipv4(0x0a000000 + number);
  identity.multicast_gid = scenario.ipv6 ? ipv6_gid(0xff, 0x4c43) : wire::gid_from_ipv4(0xef004c43);
  identity.control_gid = node::control_gid_of(identity.multicast_gid);
  identity.data_qpn = 0x10;
  identity.control_qpn = 0x11;
  identity.qkey = 0x1ee7c0de;
  identity.path_mtu = scenario.path_mtu;
  identity.incarnation = scenario.nodes[node].incarnation;
  return identity;
}

namespace {

node::ViewConfig view_config(const Scenario& scenario) {
  const MembershipScenario& wanted = scenario.membership;
  node::ViewConfig view{wanted.views, wanted.order, wanted.rates};
  if (view.membership.initial_nodes == 0) view.membership.initial_nodes = scenario.nodes.size();
  view.membership.tie_breaker = node_identity(scenario, wanted.tie_breaker).gid;
  return view;
}

}  // namespace

node::NodeConfig node_config(const Scenario& scenario, size_t node, uint32_t life) {
  const NodeScenario& wanted = scenario.nodes[node];
  node::NodeConfig config;
  config.identity = node_identity(scenario, node);
  config.identity.incarnation += life * static_cast<uint32_t>(wanted.incarnation_step);
  config.max_peers = wanted.max_peers;
  // Who is polled seldom takes what has come meanwhile.
  if (wanted.poll_every_ns > 1000) config.burst = node::kMaxBurst;
  config.delivery.ordering.max_groups = wanted.subscribe.size() + 1;
  config.delivery.reassembly = wanted.reassembly;
  config.first_frame_seq = wanted.first_frame_seq;
  config.pacer = wanted.pacer;
  config.rate = wanted.rate;
  config.reliability = wanted.repair;
  config.publisher.coalesce_ns = wanted.coalesce_ns;
  config.links.publications = static_cast<uint32_t>(wanted.max_publications);
  config.groups.names = 16;  // the groups of a simulation are GroupHost's
  config.groups.handlers = 16;
  config.groups.state_bytes = config.groups.queue_bytes = 1 << 12;
  config.groups.completions = 16;
  if (scenario.membership.on) config.view = view_config(scenario);
  if (life != 0) {  // begins below what it has used before, above it, or far away
    const uint64_t moved = base::mix64(wanted.first_frame_seq ^ life);
    config.first_frame_seq = moved >> 20;
    config.reliability.first_rel_seq = moved % 3 == 0 ? moved >> 10 : wanted.repair.first_rel_seq;
    config.reliability.seed += life;
  }
  return config;
}

EndpointScenario endpoint_scenario(const Scenario& scenario, size_t node, uint64_t seed) {
  const NodeScenario& wanted = scenario.nodes[node];
  EndpointScenario endpoint;
  endpoint.wild = wanted.wild;
  endpoint.take_most = wanted.poll_most;
  endpoint.seed = seed;
  endpoint.subscribe = wanted.subscribe;
  endpoint.subscribe.push_back(kEpilogueGroup);
  return endpoint;
}

Scenario quiet_scenario(size_t nodes) {
  Scenario scenario;
  scenario.nodes.resize(nodes);
  scenario.fabric.receivers.resize(nodes);
  for (size_t node = 0; node < nodes; ++node) {
    NodeScenario& each = scenario.nodes[node];
    each.max_peers = std::max<size_t>(nodes, 2);
    reliability::ReliabilityConfig& repair = each.repair;
    repair.seed = node;
    repair.receive_window_pkts = repair.hold_pkts = repair.transmit_window_pkts = 256;
    repair.retain_ns = 100'000'000;
    repair.heartbeat_max_ns = 400'000;
    repair.evict_lag_ns = 2'000'000;
    repair.status_ns = 20'000;
    repair.status_max_ns = 1'000'000;
    repair.repair_deadline_ns = 40'000'000;
    repair.suspect_after_ns = 10'000'000;
    repair.initial_rtt_ns = 20'000;
    scenario.actions.push_back({0, node, Action::What::kStart});
  }
  scenario.fabric.latency_ns = 2'000;
  return scenario;
}

uint64_t consuming_ns(const Scenario& scenario) {
  uint64_t longest_ns = 0;
  for (const NodeScenario& node : scenario.nodes) {
    const uint64_t windows =
        node.repair.receive_window_pkts * scenario.nodes.size() / std::max(node.poll_most, 1u);
    longest_ns = std::max(longest_ns, windows * node.poll_every_ns);
  }
  return longest_ns;
}

uint64_t turns_ns(const NodeScenario& node) {
  return kPlaces * (kShortestLoopNs + node.wild.most_delay_ns + node.poll_every_ns);
}

uint64_t settling_ns(const Scenario& scenario) {
  uint64_t silence_ns = 0;
  uint64_t talking_ns = 0;
  for (const NodeScenario& node : scenario.nodes) {
    const reliability::ReliabilityConfig& repair = node.repair;
    silence_ns = std::max(silence_ns, repair.suspect_after_ns + 4 * repair.heartbeat_max_ns);
    talking_ns = std::max({talking_ns, repair.status_max_ns, repair.heartbeat_max_ns,
                           repair.initial_rtt_ns, repair.nack_delay_ns + repair.nack_backoff_ns});
  }
  if (scenario.membership.on) {
    const MembershipScenario& membership = scenario.membership;
    silence_ns += 4 * (membership.views.suspect_after_ns + 8 * membership.views.retry_ns);
  }
  return 3 * silence_ns / 2 + 8 * talking_ns + consuming_ns(scenario) + 1'000'000;
}

}  // namespace lambdacast::sim
