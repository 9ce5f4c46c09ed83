// SPDX-License-Identifier: BSD-3-Clause
// The part of a switch that composes frames from its state (clock_core.h).
#include <algorithm>

#include "clock_sync/clock_core.h"

namespace lambdacast::clock_sync {

void ClockCore::serve_touched(Instant now, Outlet& out) {
  trees_.each_touched([&](size_t port) { serve(port, now, out); });
}

// Children whose wave has not come ask, while their father asks his own. The last of their probes
// comes just before his verdict: an answer to it would keep his flood for the time of a frame, and
// the flood is as good an answer. They have waited a little longer than he has (hop_slack_ns), so
// that it comes before their own verdict.
bool ClockCore::defers(const PortLink& link, uint64_t now_ns) const {
  if (!with().defers || father() == kNoPort) return false;
  const uint64_t verdict_ns = links_[father()].verdict_ns();
  return verdict_ns > now_ns && verdict_ns - now_ns <= settings_.answer_wait_ns &&
         link.answer_alone_due(settings_.probes, window());
}

void ClockCore::serve(size_t port, Instant now, Outlet& out) {
  PortLink& link = links_[port];
  if (trees_.dead(port)) return;
  if (defers(link, now.ns)) {
    deadline_ns_ = std::min(deadline_ns_, links_[father()].verdict_ns());
    return;
  }
  if (link.free_ns <= now.ns && link.anything_due(settings_.probes, window())) {
    out.send(port, compose(port, now));
    link.free_ns = now.ns + settings_.frame_ns;
  }
  deadline_ns_ =
      std::min(deadline_ns_, link.wake_ns(settings_.probes, window(), settings_.timeout_ns));
}

// With sharing all that is due goes in one frame, as far as there is room; else one thing does.
Frame ClockCore::compose(size_t port, Instant now) {
  PortLink& link = links_[port];
  const bool shares = with().sharing;
  Frame frame;
  frame.tag = tag_;
  const auto more = [&] {
    return shares ||
           !(frame.has_time || frame.answers || frame.asks || frame.acknowledges || frame.reports);
  };
  if (link.time_due) put_time(port, now, frame);
  if (link.answer_due && more()) {
    frame.answers = true;
    link.answered(now.ns);
  }
  if (link.ask_due(settings_.probes) && more()) {
    frame.asks = true;
    link.asked(settings_.probes, now.ns + settings_.reply_ns);
  }
  if (link.acknowledgement_due && more()) link.put_acknowledgement(frame);
  if (link.report_due && more()) {
    frame.reports = true;
    frame.leaf = trees_.at(in_force_).children == 0;
    link.report_due = false;
  }
  if (link.may_send(window()) && more()) put_state(port, now, frame);
  if (with().piggyback) link.put_acknowledgement(frame);
  return frame;
}

void ClockCore::put_state(size_t port, Instant now, Frame& frame) {
  PortLink& link = links_[port];
  uint64_t sent = 0;
  // A switch that does not know of the flood takes nothing of it: the flood goes in all frames
  // until one of them has come.
  const uint64_t due = link.due();
  if (((due | link.unacknowledged()) & kFloodBit) != 0) {
    frame.has_flood = true;
    frame.flood = name_;
    frame.child = trees_.at(kFloodTree).father == port;
    frame.distance = trees_.at(kFloodTree).distance;
    sent |= kFloodBit;
    if (with().timed && has_time_ && port != father() && !frame.has_time)
      put_time(port, now, frame);
  }
  size_t room = kPayload - kHeaderBytes - (frame.has_flood ? kFloodBytes : 0) -
                (frame.has_time ? kTimeBytes : 0);
  // Results go first, for they take the longest way; each leaves room for the time.
  for (uint64_t left = due & ~kFloodBit; left != 0 && frame.items < kMostItems;) {
    if (!with().sharing && (frame.has_flood || frame.items == 1)) break;
    const auto at = static_cast<size_t>(63 - std::countl_zero(left));
    const uint64_t bit = uint64_t{1} << at;
    const size_t tree = (at - 1) / 3;
    left &= ~bit;
    const bool timed = with().timed && has_time_ && !frame.has_time && bit == result_bit(tree) &&
                       tree == in_force_ && port != father();
    if (room < kItemBytes + (timed ? kTimeBytes : 0)) break;
    if (timed) put_time(port, now, frame);
    room -= kItemBytes + (timed ? kTimeBytes : 0);
    frame.item[frame.items++] = trees_.item(tree, bit, port);
    sent |= bit;
  }
  frame.number = link.sent(sent, now.ns);
}

void ClockCore::put_time(size_t port, Instant now, Frame& frame) {
  PortLink& link = links_[port];
  frame.has_time = true;
  frame.time_root = trees_.at(in_force_).root;
  frame.optimised = optimised_;
  frame.time_ns = time_.now(now.local_ns);
  frame.age_ns = time_.age(now.local_ns);
  frame.hops = static_cast<uint16_t>(time_.hops() + 1);
  frame.rank = trees_.rank(in_force_, port);
  link.time_due = false;
  // Half an interval behind the wave the child speaks.
  if (!with().reports || link.asking() || !trees_.child(in_force_, port)) return;
  const uint64_t by_ns =
      now.ns + 2 * settings_.hop_ns + settings_.interval_ns / 2 + settings_.slack_ns;
  link.expect_ns = std::min(link.expect_ns, by_ns);
}

}  // namespace lambdacast::clock_sync
