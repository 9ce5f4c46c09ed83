// SPDX-License-Identifier: BSD-3-Clause
// The part of a switch that finds failures, and begins floods (clock_core.h).
#include <algorithm>
#include <cmath>

#include "clock_sync/clock_core.h"

namespace lambdacast::clock_sync {

void ClockCore::on_timer(Instant now, Outlet& out) {
  for (size_t port = 0; port < links_.size(); ++port) look_at(port, now);
  if (patience_ns_ <= now.ns) lose_patience(now);
  if (tick_ns_ <= now.ns) tick(now);
  if (report_ns_ <= now.ns) {
    report_ns_ = kNever;
    if (father() != kNoPort) links_[father()].report_due = true;
  }
  if (hold_ns_ <= now.ns) flood(hold_failed_, now);
  if (silence_ns_ <= now.ns) flood(kNone, now);
  deadline_ns_ = kNever;
  for (size_t port = 0; port < links_.size(); ++port) trees_.touch(port);
  serve_touched(now, out);
  deadline_ns_ = std::min(deadline_ns_, own_deadline_ns());
}

uint64_t ClockCore::own_deadline_ns() const {
  return std::min({tick_ns_, report_ns_, silence_ns_, hold_ns_, patience_ns_});
}

void ClockCore::look_at(size_t port, Instant now) {
  PortLink& link = links_[port];
  if (trees_.dead(port)) return;
  if (link.acknowledge_ns <= now.ns) {
    link.acknowledge_ns = kNever;
    link.acknowledgement_due = true;
  }
  if (link.time_out(now.ns, settings_.timeout_ns)) link.ask();
  if (link.expect_ns <= now.ns) {
    link.expect_ns = kNever;
    silent_father_[port] = port == father();
    link.ask();
  }
  if (link.verdict_ns() <= now.ns) declare_dead(port, now);
}

// A neighbour that has acknowledged everything, and dies then, owes an echo for ever: no wave would
// miss it. It is asked.
void ClockCore::lose_patience(Instant now) {
  bool any = false;
  for (size_t port = 0; port < links_.size(); ++port) {
    if (trees_.dead(port) || !trees_.awaited(port)) continue;
    any = true;
    links_[port].ask();
  }
  patience_ns_ = any ? now.ns + settings_.patience_ns : kNever;
}

void ClockCore::declare_dead(size_t port, Instant now) {
  links_[port].heard();
  links_[port].expect_ns = kNever;
  links_[port].time_due = links_[port].report_due = links_[port].answer_due = false;
  links_[port].acknowledgement_due = false;
  links_[port].acknowledge_ns = kNever;
  const bool needed = needs_flood(port);
  silent_father_[port] = false;
  trees_.died(port);
  if (!needed) {
    trees_.remove_child(in_force_, port);
    return follow_best(now);
  }
  const uint64_t wait_ns = waits_ns(port);
  if (wait_ns == 0) return flood(neighbors_[port], now);
  hold_ns_ = std::min(hold_ns_, now.ns + wait_ns);
  hold_failed_ = neighbors_[port];
}

// A tree that was built behind a failure does not cross it: only an edge of a tree that is in
// force, or may come into force, is missed. What hangs below a child detects it by itself if
// nothing does: then the failure is of no consequence, or the child floods.
bool ClockCore::needs_flood(size_t port) const {
  if (port == father() || trees_.undecided(port)) return true;
  if (!with().generations) return silent_father_[port];
  return trees_.child(in_force_, port) && !leaf_[port];
}

uint64_t ClockCore::waits_ns(size_t port) const {
  constexpr uint64_t kMostRank = 7;
  if (port != father()) return 0;
  if (with().ranks) return std::min<uint64_t>(rank_, kMostRank) * 2 * settings_.hop_ns;
  if (with().generations || settings_.speaks == Speaks::kEverybody || rank_ == 0) return 0;
  return 2 * settings_.hop_ns + settings_.slack_ns;
}

void ClockCore::flood(NodeId failed, Instant now) {
  TreeName name{.generation = name_.generation + 1,
                .time_ns = std::llround(time_.now(now.local_ns)),
                .address = self_,
                .failed = failed};
  // A clock that is behind must not make a tree that is older than the one it replaces.
  if (!with().generations) name.time_ns = std::max(name.time_ns, name_.time_ns + 1);
  take_name(name);
  ++floods_;
  hold_ns_ = kNever;
  trees_.begin(self_, kNoPort, 0);
  in_force_ = kFloodTree;
  optimised_ = false;
  tree_begins(now);
  follow_best(now);  // nobody else is there
}

// The detector is a candidate in any case, by the tree of its flood.
void ClockCore::draw_candidate() {
  const uint64_t random = base::mix64(base::mix64(settings_.seed ^ tag_) ^ self_);
  const double chance = settings_.candidates / static_cast<double>(settings_.nodes);
  if (base::Chance(std::min(1.0, chance)).hit(random)) trees_.add_own(self_);
}

}  // namespace lambdacast::clock_sync
