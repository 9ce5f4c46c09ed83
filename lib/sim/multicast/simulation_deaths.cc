// SPDX-License-Identifier: BSD-3-Clause
// A fabric that knows for certain who transmits on each wavelength, and so whose lives have ended:
// each node looks in its own time (NodeScenario::looks_after_ns), through what the data path uses.
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

// A pause changes nothing: who is stopped keeps its wavelength.
void Simulation::occupy(size_t index, bool gone) {
  Node& node = nodes_[index];
  if (gone) {
    node.occupant.gone = true;
    node.watch.reset();
  } else {
    const node::EndpointIdentity identity = node_identity(scenario_, index);
    const uint32_t incarnation = recorder_.log().lives[node.life].incarnation;
    node.occupant = {node.lives, false, {identity.gid, identity.data_qpn, incarnation}};
    node.watch.emplace(nodes_.size());
    node.looks_late = false;
  }
  for (size_t other = 0; other < nodes_.size(); ++other) {
    const uint64_t after_ns = scenario_.nodes[other].looks_after_ns;
    if (after_ns == kNever || !scenario_.membership.on) continue;
    recorder_.log().tells_deaths = true;
    events_.push(now_ns_ + after_ns, {Event::What::kLook, static_cast<uint32_t>(other), 0, {}});
  }
}

void Simulation::look(size_t index) {
  Node& node = nodes_[index];
  if (!node.alive()) return;
  node.looks_late = node.paused;
  if (node.paused) return;
  for (size_t wavelength = 0; wavelength < nodes_.size(); ++wavelength) {
    node.watch->look(wavelength, nodes_[wavelength].occupant,
                     [&](const wire::StreamName& name) { node.endpoint->bury(name); });
  }
  wake_all(index);
}

}  // namespace lambdacast::sim
