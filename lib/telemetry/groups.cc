// SPDX-License-Identifier: BSD-3-Clause
// `groups`: the groups that each endpoint subscribes to, by number, and those with names that it
// knows of.
#include "group/numbering.h"
#include "telemetry/subject.h"
#include "wire/roce/gid.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  const std::string* endpoint;
  node::GroupStatus group;
};

using Standing = group::GroupLayer::Standing;

bool named(const Row& row) { return row.group.report.group >= wire::kFirstNamedGroup; }

Value standing(const Row& row) {
  switch (row.group.standing) {
    case Standing::kKnown:
      return Value(std::string("known"));
    case Standing::kJoining:
      return Value(std::string("joining"));
    case Standing::kWaiting:
      return Value(std::string("waiting"));
    case Standing::kMember:
      return Value(std::string(named(row) ? "member" : "subscribed"));
    case Standing::kLeaving:
      return Value(std::string("leaving"));
  }
  return Value(std::string());
}

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."},
     [](const Row& row) { return Value(*row.endpoint); }},
    {{"group", Kind::kLabel, Unit::kNone, "The group, by number."},
     [](const Row& row) { return Value(std::to_string(row.group.report.group)); }},
    {{"name", Kind::kLabel, Unit::kNone, "Its name, if it has one."},
     [](const Row& row) { return Value(std::string(row.group.name.data())); }},
    {{"gid", Kind::kText, Unit::kNone, "The multicast GID of a group with a name."},
     [](const Row& row) {
       return Value(named(row) ? wire::format(group::multicast_gid(row.group.report.group))
                               : std::string("-"));
     }},
    {{"standing", Kind::kText, Unit::kNone,
      "subscribed; with a name member, joining, waiting (for its state), leaving or known only."},
     standing},
    {{"members", Kind::kGauge, Unit::kNone, "Endpoints in a group with a name."},
     [](const Row& row) { return Value(uint64_t{row.group.members}); }},
    {{"waiting", Kind::kGauge, Unit::kNone, "Of them, those that wait for its state."},
     [](const Row& row) { return Value(uint64_t{row.group.waiting}); }},
    {{"packets", Kind::kCounter, Unit::kPackets, "Packets delivered."},
     [](const Row& row) { return Value(row.group.report.delivered.packets); }},
    {{"messages", Kind::kCounter, Unit::kMessages, "Messages delivered."},
     [](const Row& row) { return Value(row.group.report.delivered.messages); }},
    {{"bytes", Kind::kCounter, Unit::kBytes, "Application bytes delivered."},
     [](const Row& row) { return Value(row.group.report.delivered.bytes); }},
};

}  // namespace

Table groups_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    for (const node::GroupStatus& group : each.groups) {
      rows.push_back({&each.endpoint->config().name, group});
    }
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
