#include "sim/simulation.h"

#include <algorithm>
#include <utility>

namespace lambdacast::sim {

namespace {

Scenario completed(Scenario scenario) {
  scenario.fabric.receivers.resize(scenario.nodes.size());
  return scenario;
}

endpoint::EndpointConfig endpoint_config(const Scenario& scenario, size_t node) {
  const NodeScenario& wanted = scenario.nodes[node];
  endpoint::EndpointConfig config;
  config.identity = node_identity(scenario, node);
  config.max_peers = wanted.max_peers;
  config.delivery.ordering.max_groups = std::max<size_t>(wanted.subscribe.size(), 1);
  config.first_frame_seq = wanted.first_frame_seq;
  config.pacer = wanted.pacer;
  return config;
}

}  // namespace

Simulation::Simulation(Scenario scenario, uint64_t seed, EndpointFactory factory)
    : scenario_(completed(std::move(scenario))),
      random_(base::mix64(seed)),
      fabric_(scenario_.fabric, base::mix64(seed ^ 0xfab)),
      trace_hash_(seed) {
  for (size_t node = 0; node < scenario_.nodes.size(); ++node) {
    nodes_.push_back({factory(node, endpoint_config(scenario_, node)), 0});
    for (const uint32_t group : scenario_.nodes[node].subscribe) {
      nodes_[node].endpoint->core().ordering_core().subscribe(group);
    }
    if (scenario_.nodes[node].messages == 0) continue;
    events_.push(scenario_.nodes[node].start_ns, Event{node, true, 0, false, {}});
  }
}

Report Simulation::run() {
  while (!events_.empty()) {
    auto entry = events_.pop();
    clock_.advance_to(entry.at_ns);
    trace(entry.at_ns);
    if (entry.event.publish) {
      publish_batch(entry.event.node);
    } else {
      arrive(std::move(entry.event));
    }
  }
  Report report;
  finish(report);
  return report;
}

void Simulation::publish_batch(size_t node) {
  const NodeScenario& wanted = scenario_.nodes[node];
  Node& self = nodes_[node];
  const uint64_t packets =
      std::min({self.endpoint->allowance(clock_.now_ns()), uint64_t{wanted.batch_packets},
                wanted.messages - self.published});
  for (uint64_t i = 0; i < packets; ++i) publish_one(node);
  if (self.published == wanted.messages) return;
  const uint64_t next_ns =
      std::max(clock_.now_ns() + std::max<uint64_t>(wanted.publish_every_ns, 1),
               self.endpoint->core().next_deadline_ns());
  events_.push(next_ns, Event{node, true, 0, false, {}});
}

void Simulation::publish_one(size_t node) {
  const NodeScenario& wanted = scenario_.nodes[node];
  Node& self = nodes_[node];
  Sent sent;
  sent.sender = node;
  sent.number = self.published;
  sent.at_ns = clock_.now_ns();
  sent.group = wanted.publish_to[self.published % wanted.publish_to.size()];
  sent.content.resize(wanted.min_message_bytes +
                      random_.below(wanted.max_message_bytes - wanted.min_message_bytes + 1));
  for (uint8_t& byte : sent.content) byte = static_cast<uint8_t>(random_());

  const endpoint::TransmitCore& transmit = self.endpoint->core().transmit_core();
  std::vector<uint8_t> buffer(transmit.buffer_bytes(sent.content.size()));
  std::ranges::copy(sent.content, buffer.begin() + static_cast<long>(transmit.payload_offset()));
  const size_t bytes = self.endpoint->prepare(buffer.data(), sent.content.size(), sent.group,
                                              wire::Qos::kUnreliable, clock_.now_ns());
  ++self.published;
  const size_t frame = log_.sent.size();
  const BroadcastFabric::Sink sink{
      [&] { sent.lost_at_transmitter = true; },
      [&](size_t receiver) {
        log_.lost_at_receiver.push_back({frame, receiver});
      },
      [&](FrameCopy copy) {
        events_.push(copy.at_ns,
                     Event{copy.receiver, false, frame, copy.corrupted, std::move(copy.bytes)});
      }};
  fabric_.transmit(node, std::span(buffer).first(bytes), clock_.now_ns(), sink);
  log_.sent.push_back(std::move(sent));
}

void Simulation::arrive(Event event) {
  SimEndpoint& endpoint = *nodes_[event.node].endpoint;
  Arrival arrival;
  arrival.frame = event.frame;
  arrival.receiver = event.node;
  arrival.at_ns = clock_.now_ns();
  arrival.corrupted = event.corrupted;
  arrival.claimed_sender = kNobody;
  endpoint::PacketInfo info{};
  arrival.outcome = endpoint.receive(event.bytes.data(), event.bytes.size(), clock_.now_ns(), info);
  if (arrival.outcome == counters::DropReason::kNone) {
    deliver(endpoint, info, event.bytes, arrival);
  }
  trace(event.node << 8 | static_cast<uint64_t>(arrival.outcome));
  for (const uint8_t byte : arrival.content) trace(byte);
  log_.arrivals.push_back(std::move(arrival));
}

// Trusts nothing of `info`: a broken core must fail its checkers, not the simulator.
void Simulation::deliver(const SimEndpoint& endpoint, const endpoint::PacketInfo& info,
                         const std::vector<uint8_t>& frame, Arrival& arrival) const {
  const endpoint::PeerTable& peers = endpoint.core().receive_core().peers();
  if (info.peer < peers.size()) {
    arrival.claimed_sender = node_of(peers.at(info.peer).gid, peers.at(info.peer).qpn);
  }
  arrival.claimed_group = info.group;
  const size_t begin = std::min<size_t>(info.payload_offset, frame.size());
  const size_t bytes = std::min<size_t>(info.payload_bytes, frame.size() - begin);
  arrival.content.assign(frame.data() + begin, frame.data() + begin + bytes);
}

size_t Simulation::node_of(const wire::Gid& gid, uint32_t qpn) const {
  for (size_t node = 0; node < nodes_.size(); ++node) {
    const endpoint::EndpointIdentity identity = node_identity(scenario_, node);
    if (identity.gid == gid && identity.data_qpn == qpn) return node;
  }
  return kNobody;
}

void Simulation::finish(Report& report) {
  for (size_t node = 0; node < nodes_.size(); ++node) {
    SimEndpoint& endpoint = *nodes_[node].endpoint;
    NodeReport of_node;
    of_node.first_frame_seq = endpoint.core().transmit_core().sequencer().first_frame_seq();
    of_node.sent_packets = endpoint.core().transmit_core().sequencer().sent();
    of_node.psn_wraps = endpoint.core().transmit_core().sequencer().psn_wraps();
    for (size_t sender = 0; sender < nodes_.size(); ++sender) {
      if (sender == node) {
        of_node.streams.emplace_back();
        continue;
      }
      of_node.streams.push_back(endpoint.finish(node_identity(scenario_, sender),
                                                scenario_.nodes[sender].first_frame_seq,
                                                nodes_[sender].published));
    }
    of_node.counters = endpoint.core().counters();
    report.nodes.push_back(std::move(of_node));
  }
  report.log = std::move(log_);
  report.trace_hash = trace_hash_;
  report.end_ns = clock_.now_ns();
}

}  // namespace lambdacast::sim
