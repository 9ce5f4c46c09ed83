// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/link_watch.h"

#include "dpdk/kernel_interface.h"

namespace lambdacast::dpdk {
namespace {

LinkState state_of(const Port& port) {
  if (port.interface_index() != 0 && !kernel_interface(port.interface_index()))
    return LinkState::kGone;
  if (port.removed()) return LinkState::kGone;
  return port.link_up() ? LinkState::kUp : LinkState::kDown;
}

}  // namespace

LinkWatch::LinkWatch(const std::vector<Port*>& ports) {
  for (Port* port : ports) ports_.push_back({port, LinkState::kUp, port->link_events()});
}

void LinkWatch::change(size_t port, LinkState state, std::vector<LinkChange>& changes) {
  Watched& watched = ports_[port];
  if (watched.state == state || watched.state == LinkState::kGone) return;
  watched.state = state;
  watched.port->note_link_change();
  changes.push_back({port, state});
}

void LinkWatch::ask(size_t port, std::vector<LinkChange>& changes) {
  Watched& watched = ports_[port];
  const uint32_t events = watched.port->link_events();
  const LinkState now = state_of(*watched.port);
  const bool told = events != watched.events;
  watched.events = events;
  // It went and came back, or the other way round, since the last look.
  if (told && now == watched.state)
    change(port, now == LinkState::kUp ? LinkState::kDown : LinkState::kUp, changes);
  change(port, now, changes);
}

std::vector<LinkChange> LinkWatch::look() {
  std::vector<LinkChange> changes;
  bool lost = false;
  for (const InterfaceNews& news : monitor_.take(lost)) {
    for (size_t i = 0; i < ports_.size(); ++i) {
      if (ports_[i].port->interface_index() != news.index) continue;
      change(i,
             news.gone ? LinkState::kGone
             : news.up ? LinkState::kUp
                       : LinkState::kDown,
             changes);
    }
  }
  for (size_t i = 0; i < ports_.size(); ++i) {
    if (first_ || lost || ports_[i].port->interface_index() == 0) ask(i, changes);
  }
  first_ = false;
  return changes;
}

}  // namespace lambdacast::dpdk
