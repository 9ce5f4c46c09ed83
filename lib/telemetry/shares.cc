// SPDX-License-Identifier: BSD-3-Clause
// `shares`: what the members of each endpoint's view need, take and may send.
#include "telemetry/member_name.h"
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  const std::string* endpoint;
  const node::ViewReport* view;
  const node::RateReport* rate;
  size_t rank;

  [[nodiscard]] const node::RateReport::Member& member() const { return rate->member[rank]; }
};

uint64_t or_none(uint64_t bps) { return bps == rate_control::kUnlimitedBps ? 0 : bps; }

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint whose view it is."},
     [](const Row& row) { return Value(*row.endpoint); }},
    {{"member", Kind::kLabel, Unit::kNone, "A member: address, queue pair and incarnation."},
     [](const Row& row) { return Value(member_name(row.view->members[row.rank].name)); }},
    {{"need", Kind::kGauge, Unit::kBitsPerSecond, "What it has announced that it has to send."},
     [](const Row& row) { return Value(row.member().rates.need_bps); }},
    {{"share", Kind::kGauge, Unit::kBitsPerSecond,
      "Its share by the newest event; 0: nothing limits it."},
     [](const Row& row) { return Value(or_none(row.member().share_bps)); }},
    {{"room", Kind::kGauge, Unit::kBitsPerSecond,
      "What it takes of all together, less its reserve; 0: no limit."},
     [](const Row& row) { return Value(row.member().rates.room_bps); }},
    {{"heard", Kind::kGauge, Unit::kBitsPerSecond,
      "What has been heard of it in the last 10 ms, on the wire."},
     [](const Row& row) { return Value(row.member().seen.bps); }},
    {{"over_share", Kind::kGauge, Unit::kNone, "1: it sends more than its share."},
     [](const Row& row) { return Value(uint64_t{row.member().seen.over}); }},
    {{"reserve", Kind::kGauge, Unit::kBitsPerSecond,
      "What it keeps for control and for nodes outside the view."},
     [](const Row& row) { return Value(row.member().reserve_bps); }},
};

}  // namespace

Table shares_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    const node::RateReport& rate = each.stages.rate;
    if (!each.stages.view) continue;
    // Stages of another lcore may have reported a view later.
    for (size_t rank = 0; rank < std::min(rate.members, each.stages.view->size); ++rank)
      rows.push_back({&each.endpoint->config().name, &*each.stages.view, &rate, rank});
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
