// SPDX-License-Identifier: BSD-3-Clause
// `lcores`: how each lcore spends its time.
#include <algorithm>

#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  LcoreCounts counts;
  uint64_t now_ns;
  std::string stages;
};

uint64_t permille(uint64_t part, uint64_t whole) {
  return static_cast<uint64_t>(static_cast<double>(part) * 1000 /
                               std::max(1.0, static_cast<double>(whole)));
}

constexpr FigureOf<Row> kFigures[] = {
    {{"lcore", Kind::kLabel, Unit::kNone, "The lcore."},
     [](const Row& row) { return Value(std::to_string(row.counts.id)); }},
    {{"idle", Kind::kText, Unit::kNone, "What it does when no stage has work."},
     [](const Row& row) { return Value(std::string(name(row.counts.idle))); }},
    {{"busy_share", Kind::kGauge, Unit::kPermille, "Time in loops that moved packets, of all."},
     [](const Row& row) { return Value(permille(row.counts.busy_ns, row.now_ns)); }},
    {{"busy_ns", Kind::kCounter, Unit::kNanoseconds, "Time in loops that moved packets."},
     [](const Row& row) { return Value(row.counts.busy_ns); }},
    {{"loops", Kind::kCounter, Unit::kNone, "Times it has polled all its stages."},
     [](const Row& row) { return Value(row.counts.loops); }},
    {{"empty_loops", Kind::kCounter, Unit::kNone, "Loops in which no stage had anything."},
     [](const Row& row) { return Value(row.counts.empty_loops); }},
    {{"longest_ns", Kind::kGauge, Unit::kNanoseconds, "Its longest loop since the start."},
     [](const Row& row) { return Value(row.counts.longest_ns); }},
    {{"stages", Kind::kText, Unit::kNone, "How many stages it polls."},
     [](const Row& row) { return Value(row.stages); }},
};

}  // namespace

Table lcores_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const LcoreCounts& lcore : snapshot.lcores) {
    const auto stages =
        std::count_if(snapshot.polled.begin(), snapshot.polled.end(),
                      [&](const PolledCounts& polled) { return polled.lcore == lcore.id; });
    rows.push_back({lcore, snapshot.now_ns, std::to_string(stages)});
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
