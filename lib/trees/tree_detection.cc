// SPDX-License-Identifier: BSD-3-Clause
// The part of a switch that finds failures and composes frames (tree_core.h).
#include <algorithm>

#include "trees/tree_core.h"

namespace lambdacast::trees {

// How long a neighbour may be silent. Published: until several probes are missed. Ours: until one
// is, and then it is asked.
uint64_t TreeCore::patience_ns() const {
  const uint64_t probes = with().asks ? 1 : settings_.probes;
  return probes * settings_.interval_ns + settings_.slack_ns;
}

void TreeCore::on_timer(uint64_t now_ns, RepairOutlet& out) {
  if (probe_ns_ <= now_ns) {
    probe_ns_ += settings_.interval_ns;
    for (Port& port : ports_) port.probe_due = true;
  }
  for (size_t port = 0; port < ports_.size(); ++port) {
    look_at(port, now_ns);
    touched_.set(port);
  }
  deadline_ns_ = probe_ns_;
  serve_touched(now_ns, out);
}

void TreeCore::look_at(size_t at, uint64_t now_ns) {
  Port& port = ports_[at];
  if (port.dead) return;
  if (port.acknowledge_ns <= now_ns) {
    port.acknowledge_ns = kNever;
    port.acknowledgement_due = true;
  }
  if (port.stream.left_ns() != kNever && port.stream.left_ns() + settings_.timeout_ns <= now_ns) {
    port.stream.send_again();
    if (with().asks) port.vigil.ask();
  }
  const bool silent = port.heard_ns + patience_ns() <= now_ns;
  if (silent && !with().asks) return declare_dead(at);
  if (silent) port.vigil.ask();
  if (port.vigil.verdict_ns() <= now_ns) declare_dead(at);
}

// Does the flood in force name the neighbour? Where a link has failed it names one of its ends, by
// the other one, and the end that is named has nothing to add.
bool TreeCore::known(NodeId neighbor) const {
  const auto named = [&](NodeId node) {
    return std::binary_search(failed_.begin(), failed_.end(), node);
  };
  return named(neighbor) || (named(self_) && name_.detector == neighbor);
}

void TreeCore::declare_dead(size_t at) {
  Port& port = ports_[at];
  port.dead = true;
  port.stream.clear();
  port.vigil.heard();
  port.probe_due = port.answer_due = port.acknowledgement_due = false;
  port.acknowledge_ns = kNever;
  const bool hangs_on_it = at == father_ || port.child || optimiser_.needs(at);
  if (hangs_on_it || !known(graph_.neighbors(self_)[at])) return begin_flood();
  advance();
}

void TreeCore::serve_touched(uint64_t now_ns, RepairOutlet& out) {
  congest::FilterPorts::each(touched_, [&](size_t port) { serve(port, now_ns, out); });
  touched_.clear();
}

void TreeCore::serve(size_t at, uint64_t now_ns, RepairOutlet& out) {
  Port& port = ports_[at];
  if (port.dead) return;
  const auto due = [&] {
    return port.probe_due || port.answer_due || port.acknowledgement_due ||
           port.vigil.ask_due(settings_.probes) || port.stream.may_send(settings_.window());
  };
  if (due() && port.free_ns <= now_ns) {
    out.send(at, compose(port, now_ns));
    port.free_ns = now_ns + settings_.frame_ns;
  }
  const uint64_t silent_ns = port.vigil.asking() ? kNever : port.heard_ns + patience_ns();
  const uint64_t again_ns =
      port.stream.left_ns() == kNever ? kNever : port.stream.left_ns() + settings_.timeout_ns;
  deadline_ns_ = std::min({deadline_ns_, silent_ns, again_ns, port.acknowledge_ns,
                           port.vigil.verdict_ns(), due() ? port.free_ns : kNever});
}

// With sharing all that is due goes in one frame; else one thing does. Any frame is a probe.
RepairFrame TreeCore::compose(Port& port, uint64_t now_ns) {
  RepairFrame frame{.name = name_};
  bool full = false;
  const auto takes = [&](bool due) {
    const bool taken = due && !full;
    full |= taken && !with().sharing;
    return taken;
  };
  port.probe_due = false;
  if (takes(port.answer_due)) {
    frame.answers = true;
    port.answer_due = false;
  }
  if (takes(port.vigil.ask_due(settings_.probes))) {
    frame.asks = true;
    port.vigil.asked(settings_.probes, now_ns + settings_.reply_ns);
  }
  const bool acknowledges = takes(port.acknowledgement_due);
  if (takes(port.stream.may_send(settings_.window()))) port.stream.send(frame, now_ns);
  if (acknowledges || with().piggyback) {
    frame.acknowledges = true;
    frame.next = port.stream.expected();
    port.acknowledgement_due = false;
    port.acknowledge_ns = kNever;
  }
  return frame;
}

}  // namespace lambdacast::trees
