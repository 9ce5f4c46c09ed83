// SPDX-License-Identifier: BSD-3-Clause
// `members`: the view of each endpoint with membership, member by member: who is heard, and who has
// acknowledged what is ordered here.
#include "telemetry/member_name.h"
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

using View = node::ViewReport;

struct Row {
  const std::string* endpoint;
  const View* view;
  size_t rank;

  [[nodiscard]] const View::Member& member() const { return view->members[rank]; }
  [[nodiscard]] bool self() const { return rank == view->own_rank; }
};

Value state(const Row& row) {
  if (row.self()) return Value(std::string("this node"));
  return Value(std::string(row.member().suspected ? "suspected" : "alive"));
}

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint whose view it is."},
     [](const Row& row) { return Value(*row.endpoint); }},
    {{"member", Kind::kLabel, Unit::kNone, "A member: address, queue pair and incarnation."},
     [](const Row& row) { return Value(member_name(row.member().name)); }},
    {{"rank", Kind::kGauge, Unit::kNone, "Its rank: the lowest that lives leads the next view."},
     [](const Row& row) { return Value(uint64_t{row.rank}); }},
    {{"member_state", Kind::kText, Unit::kNone, "this node, alive or suspected."}, state},
    {{"silent", Kind::kGauge, Unit::kNanoseconds,
      "Since it was heard last, in time that this node was run."},
     [](const Row& row) { return Value(row.member().silent_ns); }},
    {{"ack_lag", Kind::kGauge, Unit::kPackets,
      "How far its acknowledgements are behind the marks applied here, with the worst sequencer."},
     [](const Row& row) { return Value(row.member().ack_lag); }},
};

}  // namespace

Table members_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    if (!each.stages.view || each.stages.view->state == wire::MemberState::kExcluded) continue;
    for (size_t rank = 0; rank < each.stages.view->size; ++rank)
      rows.push_back({&each.endpoint->config().name, &*each.stages.view, rank});
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
