// SPDX-License-Identifier: BSD-3-Clause
#include "clock_sync/clock_core.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lambdacast::clock_sync {

ClockCore::ClockCore(NodeId self, std::span<const NodeId> neighbors, const Settings& settings)
    : self_(self),
      neighbors_(neighbors),
      settings_(settings),
      links_(neighbors.size()),
      trees_(neighbors.size(), settings.improvements.direct, links_),
      leaf_(neighbors.size()),
      silent_father_(neighbors.size()) {}

void ClockCore::install(const TreeName& name, NodeId root, const congest::TreePlace& place,
                        Instant now) {
  take_name(name);
  for (PortLink& link : links_) link.forget();
  trees_.install(root, place.parent, place.children);
  in_force_ = kInstalled;
  optimised_ = true;
  tree_begins(now);
  deadline_ns_ = std::min(deadline_ns_, own_deadline_ns());
}

void ClockCore::take_name(const TreeName& name) {
  name_ = name;
  tag_ = name.tag();
}

// Published: the latest flood. Ours: that of the latest generation, and of it the earliest; clocks
// that differ so decide between floods of one generation alone, of which any will do.
bool ClockCore::beats(const TreeName& one, const TreeName& other) const {
  if (with().generations) {
    return std::tuple(other.generation, one.time_ns, one.address) <
           std::tuple(one.generation, other.time_ns, other.address);
  }
  return std::tuple(one.time_ns, one.address) > std::tuple(other.time_ns, other.address);
}

void ClockCore::on_frame(size_t port, const Frame& frame, Instant now, double delay_ns,
                         Outlet& out) {
  PortLink& link = links_[port];
  trees_.touch(port);
  if (trees_.dead(port)) trees_.revived(port);
  hear(port, now);
  if (frame.acknowledges) link.acknowledged(frame);
  if (frame.has_flood) on_flood(port, frame, now);
  if (frame.numbered() && frame.tag == tag_) on_items(port, frame, now);
  if (frame.has_time) on_time(port, frame, now, delay_ns);
  if (frame.asks) link.asked_by_other(now.ns, settings_.frame_ns, settings_.hop_ns);
  if (frame.reports) leaf_[port] = frame.leaf;
  serve_touched(now, out);
  deadline_ns_ = std::min(deadline_ns_, own_deadline_ns());
}

// Whatever comes shows that the other end is alive.
void ClockCore::hear(size_t port, Instant now) {
  PortLink& link = links_[port];
  link.heard();
  silent_father_[port] = false;
  if (port != father()) {
    link.expect_ns = kNever;
  } else if (link.expect_ns <= now.ns) {
    link.expect_ns = now.ns + wave_patience_ns();
  }
}

void ClockCore::on_flood(size_t port, const Frame& frame, Instant now) {
  if (frame.flood.same(name_)) {
    trees_.on_flood(port, frame.child);
    if (frame.child && has_time_ && !with().timed && in_force_ == kFloodTree) time_to(port);
    return;
  }
  if (!beats(frame.flood, name_)) return;
  take_name(frame.flood);
  trees_.begin(name_.address, port, static_cast<uint16_t>(frame.distance + 1));
  in_force_ = kFloodTree;
  optimised_ = false;
  draw_candidate();
  tree_begins(now);
  for (size_t other = 0; other < neighbors_.size(); ++other) {
    if (neighbors_[other] != name_.failed) continue;
    silent_father_[other] = silent_father_[other] && settings_.speaks == Speaks::kEverybody;
    if (!with().suspects || trees_.dead(other)) continue;
    links_[other].ask();
    trees_.touch(other);
  }
}

void ClockCore::on_items(size_t port, const Frame& frame, Instant now) {
  for (size_t i = 0; i < frame.items; ++i) {
    const Item& item = frame.item[i];
    switch (item.kind) {
      case ItemKind::kWave:
        trees_.on_wave(port, item);
        break;
      case ItemKind::kEcho:
        trees_.on_echo(port, item);
        break;
      case ItemKind::kMove:
      case ItemKind::kResult:
        trees_.on_result(port, item);
        break;
    }
  }
  PortLink& link = links_[port];
  link.accepted(frame.number);
  if (with().piggyback) {
    link.acknowledge_ns = std::min(link.acknowledge_ns, now.ns + settings_.timeout_ns / 2);
  } else {
    link.acknowledgement_due = true;
  }
  if (trees_.broken()) return flood(kNone, now);
  follow_best(now);
}

void ClockCore::follow_best(Instant now) {
  const size_t best = trees_.best();
  if (in_force_ == kInstalled || !trees_.at(best).resulted) return;
  if (optimised_ && best == in_force_) return;
  in_force_ = best;
  optimised_ = true;
  tree_begins(now);
}

uint64_t ClockCore::wave_patience_ns() const {
  const uint64_t by_hops_ns = with().defers ? time_.hops() * settings_.hop_slack_ns : 0;
  return settings_.interval_ns + settings_.slack_ns + by_hops_ns;
}

void ClockCore::on_time(size_t port, const Frame& frame, Instant now, double delay_ns) {
  if (port != father() || frame.tag != tag_ || frame.optimised != optimised_ ||
      frame.time_root != trees_.at(in_force_).root)
    return;
  // A copy of a frame is no wave of its own. If every switch passed copies on, each hop of a tree
  // would add some, and far from the root they would leave no frame for anything else.
  if (frame.time_ns <= wave_ns_) return;
  wave_ns_ = frame.time_ns;
  time_.set(frame.time_ns + delay_ns, frame.age_ns + delay_ns, frame.hops, now.local_ns);
  ++time_changes_;
  has_time_ = true;
  rank_ = frame.rank;
  links_[port].expect_ns = now.ns + wave_patience_ns();
  silence_ns_ = now.ns + settings_.silence_ns;
  if (with().reports) report_ns_ = now.ns + settings_.interval_ns / 2;
  trees_.each_child(in_force_, [&](size_t child) { time_to(child); });
}

void ClockCore::time_to(size_t port) {
  links_[port].time_due = true;
  trees_.touch(port);
}

// The tree in force is another one, or has another place for this switch.
void ClockCore::tree_begins(Instant now) {
  ++tree_changes_;
  for (PortLink& link : links_) {
    link.time_due = link.report_due = false;
    link.expect_ns = kNever;
  }
  std::fill(leaf_.begin(), leaf_.end(), false);
  if (with().generations || hold_failed_ == name_.failed) hold_ns_ = kNever;
  tick_ns_ = report_ns_ = silence_ns_ = kNever;
  wave_ns_ = kNoWave;
  if (in_force_ != kInstalled) patience_ns_ = now.ns + settings_.patience_ns;
  has_time_ = father() == kNoPort;
  if (!has_time_) {
    time_.follow(now.local_ns);
    links_[father()].expect_ns = now.ns + settings_.interval_ns + settings_.grace_ns;
    trees_.touch(father());
    silence_ns_ = now.ns + settings_.silence_ns;
    return;
  }
  time_.lead();
  ++time_changes_;
  // The flood, and results if they do, carry the first wave.
  const bool carried = in_force_ == kFloodTree && !optimised_;
  tick_ns_ = carried && !with().phases ? now.ns + settings_.interval_ns
                                       : now.ns + (carried ? 2 * settings_.hop_ns : 0);
}

void ClockCore::tick(Instant now) {
  const size_t children = std::max<size_t>(1, trees_.at(in_force_).children);
  if (!with().phases) {
    trees_.each_child(in_force_, [&](size_t child) { time_to(child); });
    tick_ns_ = now.ns + settings_.interval_ns;
    return;
  }
  const size_t child = trees_.next_child(in_force_, tick_port_);
  tick_ns_ = now.ns + settings_.interval_ns / children;
  if (child == kNoPort) return;
  time_to(child);
  tick_port_ = child + 1;
}

TreeInForce ClockCore::tree() const {
  const CandidateTrees::Place& place = trees_.at(in_force_);
  return {name_, place.root, optimised_, in_force_ == kInstalled, place.father, place.height};
}

bool ClockCore::settled() const {
  return optimised_ && hold_ns_ == kNever &&
         std::all_of(links_.begin(), links_.end(),
                     [](const PortLink& link) { return link.quiet(); });
}

}  // namespace lambdacast::clock_sync
