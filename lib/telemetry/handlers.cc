// SPDX-License-Identifier: BSD-3-Clause
// `handlers`: the locks of groups that somebody holds or waits for, as each endpoint knows them.
#include "telemetry/member_name.h"
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  const std::string* endpoint;
  const node::LockStatus* lock;
};

Value holder(const Row& row) {
  if (row.lock->holder == wire::StreamName{}) return Value(std::string("-"));
  return Value(row.lock->own ? std::string("this node") : member_name(row.lock->holder));
}

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint that knows the lock so."},
     [](const Row& row) { return Value(*row.endpoint); }},
    {{"name", Kind::kLabel, Unit::kNone, "The group, by name."},
     [](const Row& row) { return Value(std::string(row.lock->name.data())); }},
    {{"handler", Kind::kLabel, Unit::kNone, "The lock, by its number in the group."},
     [](const Row& row) { return Value(std::to_string(row.lock->handler)); }},
    {{"holder", Kind::kText, Unit::kNone,
      "The member that holds it; -: nobody, because the group is suspended."},
     holder},
    {{"token", Kind::kText, Unit::kNone, "Of the grant: lineage, epoch of the view, place in it."},
     [](const Row& row) {
       const group::FencingToken& token = row.lock->token;
       return Value(std::to_string(token.lineage) + "/" + std::to_string(token.epoch) + "." +
                    std::to_string(token.place));
     }},
    {{"queued", Kind::kGauge, Unit::kNone, "Members that wait for it."},
     [](const Row& row) { return Value(uint64_t{row.lock->waiting}); }},
};

}  // namespace

Table handlers_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    for (const node::LockStatus& lock : each.locks)
      rows.push_back({&each.endpoint->config().name, &lock});
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
