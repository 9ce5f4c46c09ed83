#include "sim/scenario.h"

#include <algorithm>

#include "base/random.h"
#include "wire/transport.h"

namespace lambdacast::sim {

namespace {

wire::Gid ipv6_gid(uint8_t first_byte, uint32_t last_word) {
  wire::Gid gid;
  gid.bytes[0] = first_byte;
  gid.bytes[1] = first_byte == 0xff ? 0x0e : 0x77;
  base::store_be32(&gid.bytes[12], last_word);
  return gid;
}

// Half of the time 0, else uniform in (0, ceiling).
double draw_probability(base::SplitMix64& random, double ceiling) {
  if (random.below(2) == 0) return 0;
  return ceiling * static_cast<double>(random.below(1000)) / 1000;
}

uint64_t draw_first_sequence(base::SplitMix64& random) {
  const uint64_t before = random.below(200);
  switch (random.below(5)) {
    case 0:
      return 0;
    case 1:
      return (uint64_t{1} << 24) - before;
    case 2:
      return (uint64_t{1} << 32) - before;
    case 3:
      return (uint64_t{1} << 63) - before;
    default:
      return random() >> 8;
  }
}

std::vector<uint32_t> draw_groups(base::SplitMix64& random, size_t at_least) {
  std::vector<uint32_t> groups;
  for (uint32_t group = 0; group < 5; ++group) {
    if (random.below(2) == 0) groups.push_back(0x1000 + group * 0x01000193);
  }
  if (groups.size() < at_least) groups.push_back(0x1000);
  return groups;
}

NodeScenario draw_node(base::SplitMix64& random, uint32_t longest_bytes) {
  NodeScenario node;
  node.first_frame_seq = draw_first_sequence(random);
  node.incarnation = static_cast<uint32_t>(random());
  node.messages = random.below(8) == 0 ? 0 : 1 + random.below(300);
  node.publish_to = draw_groups(random, 1);
  node.subscribe = draw_groups(random, 0);
  node.max_message_bytes = static_cast<uint32_t>(random.below(longest_bytes + 1));
  node.min_message_bytes = static_cast<uint32_t>(random.below(node.max_message_bytes + 1));
  node.start_ns = random.below(20'000);
  node.publish_every_ns = 1 + random.below(2'000);
  node.batch_packets = static_cast<uint32_t>(1 + random.below(16));
  if (random.below(2) == 0) {
    node.pacer = {100'000 + random.below(10'000'000), 1 + random.below(32)};
  }
  return node;
}

ReceiverFaults draw_faults(base::SplitMix64& random) {
  ReceiverFaults faults;
  faults.loss = draw_probability(random, 0.2);
  faults.duplication = draw_probability(random, 0.2);
  faults.corruption = draw_probability(random, 0.1);
  faults.delay = draw_probability(random, 0.3);
  faults.max_delay_ns = random.below(50'000);
  return faults;
}

}  // namespace

endpoint::EndpointIdentity node_identity(const Scenario& scenario, size_t node) {
  const auto number = static_cast<uint32_t>(node + 1);
  endpoint::EndpointIdentity identity;
  identity.mac.bytes = {
      0x02, 0x4c, 0x43, 0, static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)};
  identity.gid = scenario.ipv6 ? ipv6_gid(0xfd, number) : wire::gid_from_ipv4(0x0a000000 + number);
  identity.multicast_gid = scenario.ipv6 ? ipv6_gid(0xff, 0x4c43) : wire::gid_from_ipv4(0xef004c43);
  identity.control_gid = endpoint::control_gid_of(identity.multicast_gid);
  identity.data_qpn = 0x10;
  identity.control_qpn = 0x11;
  identity.qkey = 0x1ee7c0de;
  identity.path_mtu = scenario.path_mtu;
  identity.incarnation = scenario.nodes[node].incarnation;
  return identity;
}

Scenario random_scenario(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x5ce7a210));
  Scenario scenario;
  scenario.ipv6 = random.below(2) == 0;
  scenario.path_mtu = 256u << random.below(3);
  const size_t nodes = 2 + random.below(5);
  const uint32_t longest_bytes = scenario.path_mtu - wire::kTransportHeaderBytes;
  for (size_t node = 0; node < nodes; ++node) {
    scenario.nodes.push_back(draw_node(random, longest_bytes));
    scenario.fabric.receivers.push_back(draw_faults(random));
  }
  scenario.fabric.latency_ns = 1 + random.below(5'000);
  scenario.fabric.transmitter_loss = draw_probability(random, 0.05);
  scenario.fabric.echo = random.below(2) == 0;
  if (random.below(10) == 0) scenario.nodes[0].max_peers = 1;
  if (random.below(10) == 0) {  // long and much delayed: frames fall behind the window
    NodeScenario& sender = scenario.nodes[0];
    sender.messages = 3'000;
    sender.pacer = {};
    scenario.fabric.receivers[1].delay = 0.05;
    scenario.fabric.receivers[1].max_delay_ns = 2'000 * sender.publish_every_ns;
  }
  return scenario;
}

}  // namespace lambdacast::sim
