// SPDX-License-Identifier: BSD-3-Clause
// `drops`: why packets were refused, where that has happened.
#include "counters/drop_reason.h"
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

using counters::DropReason;

struct Row {
  std::string endpoint;
  const char* stage;
  DropReason reason;
  uint64_t packets;
};

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."},
     [](const Row& row) { return Value(row.endpoint); }},
    {{"stage", Kind::kLabel, Unit::kNone, "The stage that refused them."},
     [](const Row& row) { return Value(std::string(row.stage)); }},
    {{"reason", Kind::kLabel, Unit::kNone, "Why."},
     [](const Row& row) { return Value(std::string(name(row.reason))); }},
    {{"packets", Kind::kCounter, Unit::kPackets, "Packets refused."},
     [](const Row& row) { return Value(row.packets); }},
    {{"meaning", Kind::kText, Unit::kNone, "The reason as a sentence."},
     [](const Row& row) { return Value(std::string(help(row.reason))); }},
};

}  // namespace

Table drops_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (size_t i = 0; i < snapshot.endpoints.size(); ++i) {
    const node::NodeReport& stages = snapshot.endpoints[i].stages;
    const std::pair<const char*, const node::StageCounters&> of[] = {
        {"receive", stages.receive.counters},
        {"reliability", stages.reliability.counters},
        {"ordering", stages.ordering.counters}};
    for (const auto& [stage, counts] : of) {
      for (size_t r = 1; r < counters::kDropReasons; ++r) {
        const auto reason = static_cast<DropReason>(r);
        if (counts.drops[reason] == 0 || reason == DropReason::kControlTaken) continue;
        rows.push_back({snapshot.name(i), stage, reason, counts.drops[reason]});
      }
    }
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
