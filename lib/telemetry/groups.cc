// `groups`: what each endpoint has delivered of each group it subscribes to.
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  const std::string* endpoint;
  ordering::GroupReport group;
};

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."},
     [](const Row& row) { return Value(*row.endpoint); }},
    {{"group", Kind::kLabel, Unit::kNone, "The group, by number."},
     [](const Row& row) { return Value(std::to_string(row.group.group)); }},
    {{"packets", Kind::kCounter, Unit::kPackets, "Packets delivered."},
     [](const Row& row) { return Value(row.group.delivered.packets); }},
    {{"messages", Kind::kCounter, Unit::kMessages, "Messages delivered."},
     [](const Row& row) { return Value(row.group.delivered.messages); }},
    {{"bytes", Kind::kCounter, Unit::kBytes, "Application bytes delivered."},
     [](const Row& row) { return Value(row.group.delivered.bytes); }},
};

}  // namespace

Table groups_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    for (const ordering::GroupReport& group : each.groups) {
      rows.push_back({&each.endpoint->config().name, group});
    }
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
