// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_scenario.h"

#include <algorithm>
#include <bit>

#include "base/random.h"
#include "wire/control/transport.h"

namespace lambdacast::sim {

namespace {

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(base::mix64(seed ^ 0x5ce7a210)) {}

  Scenario scenario();

 private:
  [[nodiscard]] bool one_in(uint64_t n) { return random_.below(n) == 0; }
  [[nodiscard]] uint64_t between(uint64_t least, uint64_t most) {
    return least + random_.below(most - least + 1);
  }
  // Half of the time 0, else uniform in (0, ceiling).
  [[nodiscard]] double probability(double ceiling) {
    if (one_in(2)) return 0;
    return ceiling * static_cast<double>(random_.below(1000)) / 1000;
  }
  [[nodiscard]] uint64_t first_sequence();
  [[nodiscard]] std::vector<uint32_t> groups(size_t at_least);
  void timers(reliability::ReliabilityConfig& repair);
  void windows(reliability::ReliabilityConfig& repair);
  [[nodiscard]] Traffic traffic(size_t nodes);
  void consumer(NodeScenario& node);
  [[nodiscard]] NodeScenario node(const reliability::ReliabilityConfig& common, size_t nodes);
  [[nodiscard]] ReceiverFaults faults(bool reorders);
  void agree();
  void lives(size_t node);
  void starts();
  void leaves();

  base::SplitMix64 random_;
  Scenario scenario_;
  uint64_t busy_ns_ = 0;  // publications and faults
};

uint64_t Draw::first_sequence() {
  const uint64_t before = random_.below(200);
  switch (random_.below(5)) {
    case 0:
      return 0;
    case 1:
      return (uint64_t{1} << 24) - before;
    case 2:
      return (uint64_t{1} << 32) - before;
    case 3:
      return (uint64_t{1} << 63) - before;
    default:
      return random_() >> 8;
  }
}

std::vector<uint32_t> Draw::groups(size_t at_least) {
  std::vector<uint32_t> groups;
  for (uint32_t group = 0; group < 4; ++group) {
    if (random_.below(3) != 0) groups.push_back(0x1000 + group * 0x01000193);
  }
  if (groups.size() < at_least) groups.push_back(0x1000);
  return groups;
}

void Draw::timers(reliability::ReliabilityConfig& repair) {
  repair.heartbeat_max_ns = between(100'000, 500'000);
  repair.suspect_after_ns = repair.heartbeat_max_ns * between(8, 20);
  repair.status_ns = between(5'000, 50'000);
  repair.status_max_ns = repair.suspect_after_ns / between(6, 12);
  repair.repair_deadline_ns = repair.suspect_after_ns * between(2, 4);
  repair.retain_ns = one_in(4) ? between(repair.suspect_after_ns / 4, repair.suspect_after_ns)
                               : 100 * repair.suspect_after_ns;
  repair.evict_lag_ns = between(repair.suspect_after_ns / 8, repair.suspect_after_ns);
  repair.slow_receiver =
      one_in(3) ? reliability::SlowReceiver::kEvict : reliability::SlowReceiver::kPace;
  repair.initial_rtt_ns = between(5'000, 100'000);
  repair.nack_backoff_ns = one_in(4) ? between(1'000, 30'000) : 0;
  repair.repair_share_percent = static_cast<uint32_t>(between(10, 90));
}

void Draw::windows(reliability::ReliabilityConfig& repair) {
  repair.receive_window_pkts = 64u << random_.below(3);
  repair.transmit_window_pkts = repair.receive_window_pkts << random_.below(2);
  repair.hold_pkts = static_cast<uint32_t>(between(4, 256));
  if (one_in(4)) repair.transmit_window_bytes = between(4'000, 100'000);
  repair.late_join = one_in(3) ? reliability::LateJoin::kRetained : reliability::LateJoin::kNow;
}

Traffic Draw::traffic(size_t nodes) {
  Traffic traffic;
  const uint64_t most = nodes > 8 ? 30 : 250;
  traffic.messages = one_in(5) ? 0 : between(1, most);
  traffic.publish_to = groups(1);
  traffic.unreliable_weight = static_cast<uint32_t>(random_.below(3));
  traffic.reliable_weight = static_cast<uint32_t>(random_.below(3));
  traffic.ordered_weight = static_cast<uint32_t>(between(1, 3));
  const uint64_t longest = scenario_.path_mtu - wire::kTransportHeaderBytes;
  traffic.max_message_bytes = static_cast<uint32_t>(between(16, one_in(3) ? longest : 64));
  traffic.min_message_bytes = static_cast<uint32_t>(between(8, traffic.max_message_bytes));
  traffic.start_ns = random_.below(busy_ns_ / 4);
  traffic.batch_packets = static_cast<uint32_t>(one_in(3) ? between(1, 64) : 1);
  const uint64_t batches = traffic.messages / traffic.batch_packets + 1;
  traffic.publish_every_ns =
      one_in(3) ? between(100, 3'000) : between(1, busy_ns_ / (2 * batches) + 1);
  return traffic;
}

void Draw::consumer(NodeScenario& node) {
  node.poll_every_ns = one_in(2) ? 0 : between(200, 3'000);
  if (scenario_.path_mtu != 4096 && one_in(8)) {
    node.poll_every_ns = between(2'000, 20'000);
    node.poll_most = static_cast<uint32_t>(between(1, 8));
  }
  node.ring_frames = static_cast<uint32_t>(one_in(4) ? between(16, 128) : 4096);
}

NodeScenario Draw::node(const reliability::ReliabilityConfig& common, size_t nodes) {
  NodeScenario node;
  node.first_frame_seq = first_sequence();
  node.incarnation = one_in(4) ? ~uint32_t{0} : static_cast<uint32_t>(random_());
  node.repair = common;
  node.repair.seed = random_();
  node.repair.first_rel_seq = first_sequence();
  if (nodes <= 8 && one_in(6)) windows(node.repair);
  if (nodes <= 8 && one_in(6)) timers(node.repair);
  if (one_in(3)) node.pacer = {between(100'000, 5'000'000), between(1, 32)};
  node.max_peers = std::max<size_t>(nodes, 2);
  node.max_publications = between(1, 64);
  node.subscribe = groups(0);
  node.traffic = traffic(nodes);
  node.clock_offset_ns = one_in(2) ? between(1, 1'000'000'000) : between(1, uint64_t{1} << 62);
  node.clock_ppm = static_cast<int32_t>(between(0, 400)) - 200;
  consumer(node);
  return node;
}

// Whoever speaks less often than another one's patience lasts is cut off again and again: timers of
// one fabric have to suit each other.
void Draw::agree() {
  uint64_t least_ns = kNever;
  for (const NodeScenario& each : scenario_.nodes)
    least_ns = std::min(least_ns, each.repair.suspect_after_ns);
  for (NodeScenario& each : scenario_.nodes) {
    each.repair.status_max_ns = std::min(each.repair.status_max_ns, least_ns / 6);
    each.repair.heartbeat_max_ns = std::min(each.repair.heartbeat_max_ns, least_ns / 8);
  }
}

ReceiverFaults Draw::faults(bool reorders) {
  ReceiverFaults faults;
  faults.loss = probability(one_in(4) ? 0.2 : 0.03);
  if (one_in(4)) {
    faults.burst_loss = 0.2 * static_cast<double>(random_.below(1000)) / 1000;
    faults.burst_packets = static_cast<double>(between(2, 30));
  }
  faults.duplication = probability(0.1);
  faults.corruption = probability(0.05);
  if (reorders) {
    faults.delay = probability(0.3);
    faults.max_delay_ns = random_.below(30'000);
  }
  return faults;
}

// Pauses, crashes and partitions of a node while faults last.
void Draw::lives(size_t node) {
  const uint64_t suspect_ns = scenario_.nodes[node].repair.suspect_after_ns;
  if (one_in(5)) {
    const uint64_t at_ns = random_.below(busy_ns_);
    const uint64_t length_ns =
        one_in(2) ? random_.below(suspect_ns * 3 / 4) : between(suspect_ns, 2 * suspect_ns);
    scenario_.actions.push_back({at_ns, node, Action::What::kPause});
    scenario_.actions.push_back({at_ns + length_ns, node, Action::What::kResume});
  }
  if (one_in(6)) {
    uint64_t at_ns = random_.below(busy_ns_);
    for (uint64_t times = between(1, 3); times != 0; --times) {
      scenario_.actions.push_back({at_ns, node, Action::What::kCrash});
      if (one_in(4)) return;
      at_ns += one_in(2) ? random_.below(suspect_ns * 2) : random_.below(20'000);
      scenario_.actions.push_back({at_ns, node, Action::What::kStart});
      at_ns += random_.below(busy_ns_ / 2);
    }
  }
  if (one_in(6)) {
    Partition partition;
    partition.from = node;
    partition.to = random_.below(scenario_.nodes.size());
    partition.begin_ns = random_.below(busy_ns_);
    partition.end_ns = partition.begin_ns + random_.below(2 * suspect_ns);
    scenario_.fabric.partitions.push_back(partition);
    if (one_in(3)) {
      std::swap(partition.from, partition.to);
      scenario_.fabric.partitions.push_back(partition);
    }
  }
}

// All at once, or one after the other, or some late.
void Draw::starts() {
  const uint64_t spread_ns = one_in(3) ? 0 : random_.below(busy_ns_ / 2);
  for (size_t node = 0; node < scenario_.nodes.size(); ++node) {
    const uint64_t at_ns = spread_ns == 0 || one_in(2) ? 0 : random_.below(spread_ns);
    scenario_.actions.push_back({at_ns, node, Action::What::kStart});
  }
}

// One goes in order, and may come back.
void Draw::leaves() {
  const size_t node = random_.below(scenario_.nodes.size());
  const uint64_t at_ns = random_.below(busy_ns_);
  scenario_.actions.push_back({at_ns, node, Action::What::kLeave});
  if (one_in(2)) return;
  const uint64_t away_ns = random_.below(2 * scenario_.nodes[node].repair.suspect_after_ns);
  scenario_.actions.push_back({at_ns + away_ns, node, Action::What::kStart});
}

Scenario Draw::scenario() {
  scenario_.ipv6 = one_in(2);
  size_t nodes = between(2, 8);
  if (one_in(100)) nodes = between(9, one_in(4) ? 64 : 20);
  scenario_.path_mtu = nodes > 8 ? 4096 : 256u << random_.below(3);
  reliability::ReliabilityConfig common;
  timers(common);
  windows(common);
  busy_ns_ = between(1'000'000, 3 * common.suspect_after_ns);
  if (nodes > 8) {  // a seed of seconds finds no more than one of milliseconds
    common.receive_window_pkts = common.transmit_window_pkts = 64;
    common.status_ns = std::max<uint64_t>(common.status_ns, 40'000);
    common.heartbeat_max_ns = 400'000;
    common.suspect_after_ns = 4'000'000;
    common.repair_deadline_ns = 10'000'000;
    common.status_max_ns = 700'000;
    busy_ns_ = between(1'000'000, 4'000'000);
  }
  const bool reorders = one_in(4);
  if (reorders && one_in(2)) common.nack_delay_ns = between(1'000, 30'000);
  const bool faultless = one_in(8);
  for (size_t i = 0; i < nodes; ++i) {
    scenario_.nodes.push_back(node(common, nodes));
    scenario_.fabric.receivers.push_back(faultless ? ReceiverFaults{} : faults(reorders));
  }
  agree();
  scenario_.fabric.latency_ns = between(500, 10'000);
  scenario_.fabric.jitter_ns = one_in(2) ? 0 : random_.below(5'000);
  scenario_.fabric.transmitter_loss = faultless ? 0 : probability(0.05);
  scenario_.fabric.echo = one_in(4);
  starts();
  for (size_t i = 0; !faultless && i < nodes; ++i) lives(i);
  if (one_in(5)) leaves();
  uint64_t quiet_ns = busy_ns_;
  for (const Action& action : scenario_.actions) quiet_ns = std::max(quiet_ns, action.at_ns);
  for (const Partition& each : scenario_.fabric.partitions)
    quiet_ns = std::max(quiet_ns, each.end_ns);
  scenario_.fabric.faults_end_ns = quiet_ns;
  scenario_.epilogue_ns = quiet_ns + settling_ns(scenario_);
  scenario_.end_ns = scenario_.epilogue_ns + settling_ns(scenario_) / 2;
  return std::move(scenario_);
}

}  // namespace

Scenario random_scenario(uint64_t seed) { return Draw(seed).scenario(); }

void add_long_messages(Scenario& scenario, base::SplitMix64& random) {
  constexpr size_t kMoreFragments = 7;  // of a message, than the one packet there is room for
  // Unordered, each packet that a window holds may be of another message.
  size_t messages = 0;
  for (const NodeScenario& sender : scenario.nodes) messages += sender.repair.receive_window_pkts;
  for (NodeScenario& node : scenario.nodes) {
    node.traffic.long_one_in = static_cast<uint32_t>(1 + random.below(8));
    node.traffic.long_from = wire::Qos::kUnreliable;
    node.max_publications += kMoreFragments;
    node.reassembly.max_messages = static_cast<uint16_t>(messages);
    node.reassembly.memory_bytes = 2 * std::bit_ceil(messages * 8 * scenario.path_mtu);
    node.reassembly.timeout_ns = uint64_t{1000} << random.below(11);
  }
}

Scenario random_parts_scenario(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x9a7f5));
  Scenario scenario = random_scenario(seed % kPartsSeeds);
  // What many nodes need for that has room for many seeds of few.
  if (scenario.nodes.size() <= 8) add_long_messages(scenario, random);
  return scenario;
}

}  // namespace lambdacast::sim
