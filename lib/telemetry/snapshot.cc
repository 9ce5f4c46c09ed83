// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/snapshot.h"

#include <utility>

namespace lambdacast::telemetry {
namespace {

size_t index_of(const Snapshot& snapshot, const std::string& endpoint) {
  for (size_t i = 0; i < snapshot.endpoints.size(); ++i) {
    if (snapshot.name(i) == endpoint) return i;
  }
  return snapshot.endpoints.size();
}

}  // namespace

Snapshot take_snapshot(const Source& source, const Needs& needs) {
  rack::Rack& rack = source.rack;
  Snapshot snapshot;
  snapshot.config = &source.config;
  snapshot.endpoints.resize(rack.size());
  auto stages = needs.stages ? rack.snapshot() : std::vector<node::NodeReport>(rack.size());
  for (size_t i = 0; i < rack.size(); ++i) {
    EndpointCounts& each = snapshot.endpoints[i];
    each.endpoint = &rack.endpoint(i);
    each.stages = std::move(stages[i]);
    if (needs.ports) {
      each.port = rack.endpoint(i).attachment().statistics();
      each.link_up = rack.endpoint(i).port().link_up();
    }
  }
  if (needs.groups) {
    auto groups = rack.groups();
    for (size_t i = 0; i < rack.size(); ++i) snapshot.endpoints[i].groups = std::move(groups[i]);
  }
  if (needs.locks) {
    auto locks = rack.locks();
    for (size_t i = 0; i < rack.size(); ++i) snapshot.endpoints[i].locks = std::move(locks[i]);
  }
  if (needs.requests) {
    auto requests = rack.requests();
    for (size_t i = 0; i < rack.size(); ++i) snapshot.endpoints[i].requests = requests[i];
  }
  for (const auto& loop : rack.loops()) {
    const dpdk::DutyCounters& duty = loop->duty();
    snapshot.lcores.push_back({loop->id(), loop->idle_policy(), duty.loops.get(),
                               duty.empty_loops.get(), duty.busy_ns.get(),
                               duty.longest_ns.load(std::memory_order_relaxed)});
    for (const auto& polled : loop->stages()) {
      snapshot.polled.push_back({index_of(snapshot, polled->endpoint), polled->stage->name(),
                                 loop->id(), polled->polls.get(), polled->empty_polls.get(),
                                 polled->packets.get(), polled->sampled_ns.get(),
                                 polled->sampled_packets.get()});
    }
  }
  snapshot.now_ns = rack.clock().now_ns();
  return snapshot;
}

}  // namespace lambdacast::telemetry
