// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/order_run.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "ordering/total_order.h"
#include "sim/multicast/run_figures.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

namespace {

constexpr uint32_t kGroup = 1;
constexpr uint64_t kStartNs = 5'000'000;  // the view has begun
constexpr uint64_t kSettlingNs = 2'000'000;
constexpr uint32_t kWindowPkts = 4096;

struct Roles {
  size_t sender = 0;
  size_t sequencer = 0;
};

// The first view has its members in the order of their addresses, which is that of the nodes.
Roles roles_of(const Scenario& scenario) {
  const size_t nodes = scenario.nodes.size();
  const uint32_t domain = ordering::domain_of(kGroup, scenario.membership.order.domains);
  const size_t sequencer = ordering::sequencer_of(domain, nodes);
  return {(sequencer + 1) % nodes, sequencer};
}

void set_level(Traffic& traffic, wire::Qos level) {
  traffic.ordered_weight = 0;
  if (level < wire::Qos::kTotallyOrdered) {
    traffic.ordered_weight = 1;
  } else {
    traffic.total_weights[static_cast<size_t>(level) -
                          static_cast<size_t>(wire::Qos::kTotallyOrdered)] = 1;
  }
}

Scenario scenario_of(const OrderRun& run) {
  Scenario scenario = quiet_scenario(run.nodes);
  scenario.path_mtu = run.path_mtu;
  scenario.membership.on = true;
  scenario.membership.order.k = run.k;
  scenario.membership.order.order = run.order;
  scenario.membership.views.suspect_after_ns = run.suspect_after_ns;
  scenario.membership.views.ack_ns = run.ack_ns;
  scenario.membership.order.stream_pkts = kWindowPkts;
  for (NodeScenario& each : scenario.nodes) {
    each.repair.receive_window_pkts = each.repair.transmit_window_pkts = kWindowPkts;
    each.repair.hold_pkts = each.repair.in_flight_pkts = kWindowPkts;
    each.poll_every_ns = run.poll_ns;
    each.subscribe = {kGroup};
  }
  const size_t sender = roles_of(scenario).sender;
  for (size_t node = 0; node < run.nodes; ++node) {
    if (node != sender && !run.all_send) continue;
    Traffic& traffic = scenario.nodes[node].traffic;
    set_level(traffic, run.level);
    traffic.messages = run.messages;
    traffic.publish_to = {kGroup};
    traffic.min_message_bytes = traffic.max_message_bytes = 64;
    traffic.start_ns = kStartNs;
    traffic.publish_every_ns = run.every_ns;
  }
  scenario.fabric.latency_ns = run.latency_ns;
  // Nothing is lost, in front of a port either: 80 nodes that speak in step at a small path MTU
  // have more on the way at a time than a ring holds.
  scenario.fabric.faults_end_ns = 0;
  scenario.epilogue_ns = kStartNs + run.messages * run.every_ns + run.rest_ns;
  scenario.end_ns = scenario.epilogue_ns + kSettlingNs;
  return scenario;
}

// The node that orders the sender's messages: its sequencer, or the maker of a pass.
class Makers {
 public:
  Makers(const OrderRun& run, const Log& log, const Roles& roles)
      : ring_(run.order != ordering::Order::kSequencer && run.level > wire::Qos::kSourceOrdered),
        sequencer_(roles.sequencer) {
    for (const PassSent& pass : log.passes) {
      for (const PassSent::Item& item : pass.items) {
        if (item.rank == roles.sender)
          through_.push_back({item.through, log.lives[pass.life].node});
      }
    }
  }
  [[nodiscard]] size_t of(uint64_t rel_seq) const {
    if (!ring_) return sequencer_;
    const auto pass =
        std::lower_bound(through_.begin(), through_.end(), rel_seq,
                         [](const auto& each, uint64_t wanted) { return each.first < wanted; });
    return pass == through_.end() ? sequencer_ : pass->second;
  }

 private:
  const bool ring_;
  const size_t sequencer_;
  std::vector<std::pair<uint64_t, size_t>> through_;  // with the node that named it
};

// Latencies at who has neither sent a message nor said what its place is.
std::vector<uint64_t> latencies(const Log& log, const Roles& roles, const Makers& makers,
                                OrderFigures& figures) {
  std::vector<uint64_t> latency_ns;
  for (const Told& told : log.told) {
    const size_t node = log.lives[told.receiver].node;
    if (!told.is_message() || told.publication == kNobody) continue;
    const Publication& publication = log.publications[told.publication];
    if (publication.epilogue || node == roles.sender || node == makers.of(publication.rel_seq))
      continue;
    latency_ns.push_back(told.at_ns - publication.accepted_ns);
  }
  for (const Publication& publication : log.publications) {
    if (publication.epilogue) continue;
    const bool apart = makers.of(publication.rel_seq) != roles.sender;
    figures.expected += log.lives.size() - 1 - (apart ? 1 : 0);
  }
  figures.delivered = latency_ns.size();
  std::sort(latency_ns.begin(), latency_ns.end());
  return latency_ns;
}

void count_marks(const Scenario& scenario, const OrderRun& run, const Log& log, uint64_t acks,
                 OrderFigures& figures) {
  std::vector<uint64_t> marks(run.nodes);
  for (const SentFrame& frame : log.frames) {
    if (frame.marks && !frame.repair && frame.at_ns < scenario.epilogue_ns)
      ++marks[log.lives[frame.life].node];
  }
  for (const PassSent& pass : log.passes) {
    if (pass.at_ns < scenario.epilogue_ns)
      figures.last_passes = pass.items.empty() ? figures.last_passes + 1 : 0;
  }
  const double messages = static_cast<double>(run.messages);
  const double ms = messages * static_cast<double>(run.every_ns) / 1e6;
  const auto nodes = static_cast<double>(run.nodes);
  const auto all = static_cast<double>(std::accumulate(marks.begin(), marks.end(), uint64_t{0}));
  figures.acks_per_ms = static_cast<double>(acks) / nodes / ms;
  figures.control_per_ms = figures.acks_per_ms + all / nodes / ms;
  figures.marks_per_message = all / messages;
  const auto most = static_cast<double>(*std::max_element(marks.begin(), marks.end()));
  figures.most_marks = all == 0 ? 0 : most * nodes / all;
}

}  // namespace

OrderFigures measure_order(const OrderRun& run, const EndpointFactory& factory) {
  const Scenario scenario = scenario_of(run);
  const Roles roles = roles_of(scenario);
  Simulation simulation(scenario, run.seed, factory);
  uint64_t acks = 0;
  simulation.at_end = [&](size_t, const SimEndpoint& endpoint) {
    acks += endpoint.node().view()->membership().counters().members;
  };
  const Log log = simulation.run().log;

  OrderFigures figures;
  figures.one_view = is_one_view(log, run.nodes);
  count_marks(scenario, run, log, acks, figures);
  if (run.all_send) return figures;
  const auto latency_ns = latencies(log, roles, Makers(run, log, roles), figures);
  figures.p50_ns = value_at(latency_ns, 0.5);
  figures.p99_ns = value_at(latency_ns, 0.99);
  return figures;
}

}  // namespace lambdacast::sim
