// SPDX-License-Identifier: BSD-3-Clause
// `rate`: what each endpoint may send, and what limits that.
#include "config/config.h"
#include "telemetry/subject.h"
#include "wire/roce/gid.h"

namespace lambdacast::telemetry {
namespace {

using rate_control::LimitedBy;

struct Row {
  const config::Endpoint* config;
  const node::NodeReport* stages;

  [[nodiscard]] const node::RateReport& rate() const { return stages->rate; }
  [[nodiscard]] const node::ClassReport& classes() const { return stages->rate_control.classes; }
  [[nodiscard]] const rate_control::Limits& limits() const { return stages->rate_control.limits; }
};

uint64_t or_none(uint64_t bps) { return bps == rate_control::kUnlimitedBps ? 0 : bps; }

using WindowReport = rate_control::Window::Report;

uint64_t of_window(const Row& row, uint64_t WindowReport::*figure) {
  const auto& window = row.stages->rate_control.window;
  return window ? *window.*figure : 0;
}
uint64_t count_of_window(const Row& row, uint64_t rate_control::WindowCounters::*figure) {
  const auto& window = row.stages->rate_control.window;
  return window ? window->counters.*figure : 0;
}

// "receiver 10.77.0.3"
Value limited_by(const Row& row) {
  const rate_control::Limits& limits = row.limits();
  switch (limits.limited_by) {
    case LimitedBy::kNothing:
      break;
    case LimitedBy::kLine:
      return Value(std::string("line"));
    case LimitedBy::kLimit:
      return Value(std::string("limit"));
    case LimitedBy::kNeed:
      return Value(std::string("need"));
    case LimitedBy::kReceiver:
      if (row.stages->view && limits.whom < row.stages->view->size) {
        return Value("receiver " + wire::format(row.stages->view->members[limits.whom].name.gid));
      }
      return Value(std::string("receiver"));
    case LimitedBy::kSettling:
      return Value(std::string("acknowledgements"));
    case LimitedBy::kNewcomer:
      return Value(std::string("newcomer"));
    case LimitedBy::kOutside:
      return Value(std::string("no view"));
    case LimitedBy::kLease:
      return Value(std::string("lease over"));
    case LimitedBy::kPause:
      return Value(std::string("pause"));
    case LimitedBy::kWindow: {
      const node::RateControlReport& stage = row.stages->rate_control;
      const size_t slowest = stage.window ? stage.window->slowest : stage.peers.size();
      if (slowest >= stage.peers.size()) return Value(std::string("window"));
      return Value("window of " + wire::format(stage.peers[slowest].receiver.name.gid));
    }
  }
  return Value(std::string("-"));
}

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."},
     [](const Row& row) { return Value(row.config->name); }},
    {{"policy", Kind::kText, Unit::kNone, "none, fixed, fair or window."},
     [](const Row& row) { return Value(std::string(config::name(row.rate().policy))); }},
    {{"allowed", Kind::kGauge, Unit::kBitsPerSecond,
      "What it may send, on the wire; 0: all that its port takes."},
     [](const Row& row) { return Value(or_none(row.limits().bits_per_second)); }},
    {{"limited_by", Kind::kText, Unit::kNone,
      "need, receiver (which), limit, line, acknowledgements, newcomer, lease over, pause, no "
      "view, window (of which receiver)."},
     limited_by},
    {{"need", Kind::kGauge, Unit::kBitsPerSecond, "What it needs, as configured or measured."},
     [](const Row& row) { return Value(row.rate().need_bps); }},
    {{"burst", Kind::kGauge, Unit::kBytes, "What it may send at once."},
     [](const Row& row) { return Value(row.limits().burst_bytes); }},
    {{"control", Kind::kGauge, Unit::kBitsPerSecond,
      "Control beside that; what exceeds it is paid from the share."},
     [](const Row& row) { return Value(or_none(row.limits().control_bps)); }},
    {{"capacity", Kind::kGauge, Unit::kBitsPerSecond, "What it can receive; 0: no limit."},
     [](const Row& row) { return Value(row.rate().capacity_bps); }},
    {{"departed", Kind::kGauge, Unit::kBitsPerSecond,
      "Kept for members that have departed and may not know it yet."},
     [](const Row& row) { return Value(row.rate().departed_bps); }},
    {{"events", Kind::kCounter, Unit::kNone, "Marks with announcements."},
     [](const Row& row) { return Value(row.rate().counters.events); }},
    {{"unsettled", Kind::kGauge, Unit::kNone,
      "Events of this view that not all members are known to have acknowledged."},
     [](const Row& row) {
       const auto& rate = row.rate();
       const bool same = rate.newest.epoch == rate.settled.epoch;
       return Value(rate.newest.event - (same ? rate.settled.event : 0));
     }},
    {{"announced", Kind::kCounter, Unit::kNone, "Announcements of its own."},
     [](const Row& row) { return Value(row.rate().counters.announced); }},
    {{"falls", Kind::kCounter, Unit::kNone, "Times that what it may send fell."},
     [](const Row& row) { return Value(row.rate().counters.falls); }},
    {{"raises", Kind::kCounter, Unit::kNone, "Times that it rose."},
     [](const Row& row) { return Value(row.rate().counters.raises); }},
    {{"data_bytes", Kind::kCounter, Unit::kBytes,
      "Sent for the first time while it was held to a rate, on the wire."},
     [](const Row& row) { return Value(row.classes().data.bytes); }},
    {{"repair_bytes", Kind::kCounter, Unit::kBytes, "Sent again then."},
     [](const Row& row) { return Value(row.classes().repairs.bytes); }},
    {{"urgent_bytes", Kind::kCounter, Unit::kBytes, "Control then that does not wait."},
     [](const Row& row) { return Value(row.classes().urgent.bytes); }},
    {{"lazy_bytes", Kind::kCounter, Unit::kBytes,
      "Control then that can wait: acknowledgements, statuses, marks."},
     [](const Row& row) { return Value(row.classes().lazy.bytes); }},
    {{"held_ns", Kind::kCounter, Unit::kNanoseconds, "For which data waited for its rate."},
     [](const Row& row) { return Value(row.classes().held_ns); }},
    {{"lazy_frames", Kind::kCounter, Unit::kFrames, "Control then that can wait."},
     [](const Row& row) { return Value(row.classes().lazy.frames); }},
    {{"lazy_late", Kind::kCounter, Unit::kFrames,
      "Those that went behind more than two bursts of data though their part of the rate let "
      "them go."},
     [](const Row& row) { return Value(row.classes().waits.back()); }},
    {{"lazy_wait", Kind::kCounter, Unit::kNanoseconds, "For which they all waited."},
     [](const Row& row) { return Value(row.classes().wait_ns); }},
    {{"longest_lazy_wait", Kind::kGauge, Unit::kNanoseconds, "For which one waited at most."},
     [](const Row& row) { return Value(row.classes().longest_wait_ns); }},
    {{"leases_lost", Kind::kCounter, Unit::kNone,
      "Times that no quorum had renewed its share in time."},
     [](const Row& row) { return Value(row.rate().counters.leases_lost); }},
    {{"others_over_share", Kind::kCounter, Unit::kNone,
      "Times that another member was seen to send more than its share."},
     [](const Row& row) { return Value(row.rate().times_over); }},
    {{"window", Kind::kGauge, Unit::kBytes,
      "With that policy: bytes that may be under way to the slowest receiver."},
     [](const Row& row) { return Value(of_window(row, &WindowReport::bytes)); }},
    {{"under_way", Kind::kGauge, Unit::kBytes,
      "With that policy: bytes that not all receivers have heard of."},
     [](const Row& row) { return Value(of_window(row, &WindowReport::under_way)); }},
    {{"reductions", Kind::kCounter, Unit::kNone, "Halvings of the window for a loss."},
     [](const Row& row) {
       return Value(count_of_window(row, &rate_control::WindowCounters::reductions));
     }},
    {{"timeouts", Kind::kCounter, Unit::kNone,
      "Falls of the window to one frame because nothing was heard."},
     [](const Row& row) {
       return Value(count_of_window(row, &rate_control::WindowCounters::timeouts));
     }},
    {{"rate_malformed", Kind::kCounter, Unit::kNone,
      "Announcements that nobody counts: of no known form, or not their sender's to make."},
     [](const Row& row) { return Value(row.rate().counters.malformed); }},
};

}  // namespace

Table rate_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints)
    rows.push_back({&each.endpoint->config(), &each.stages});
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
