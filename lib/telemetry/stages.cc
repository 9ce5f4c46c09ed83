// SPDX-License-Identifier: BSD-3-Clause
// `stages`: the four stages of each endpoint and its application.
#include <algorithm>

#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  std::string endpoint;
  const PolledCounts* polled;
  node::StageCounters counts;  // what the stage itself counts; empty where it does not
};

uint64_t control(const Row& row) { return row.counts.drops[counters::DropReason::kControlTaken]; }

uint64_t burst(const PolledCounts& polled) {
  const uint64_t full = polled.polls - std::min(polled.polls, polled.empty_polls);
  return full == 0 ? 0 : 1000 * polled.packets / full;
}

uint64_t packet_ns(const PolledCounts& polled) {
  return polled.sampled_packets == 0 ? 0 : polled.sampled_ns / polled.sampled_packets;
}

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."},
     [](const Row& row) { return Value(row.endpoint); }},
    {{"stage", Kind::kLabel, Unit::kNone, "The stage, or the application."},
     [](const Row& row) { return Value(row.polled->stage); }},
    {{"lcore", Kind::kGauge, Unit::kNone, "The lcore that polls it."},
     [](const Row& row) { return Value(uint64_t{row.polled->lcore}); }},
    {{"received", Kind::kCounter, Unit::kPackets, "Packets it took in."},
     [](const Row& row) { return Value(row.counts.received); }},
    {{"forwarded", Kind::kCounter, Unit::kPackets, "Packets it passed on."},
     [](const Row& row) { return Value(row.counts.forwarded); }},
    {{"dropped", Kind::kCounter, Unit::kPackets, "Packets it refused; drops tells why."},
     [](const Row& row) { return Value(row.counts.drops.total() - control(row)); }},
    {{"control", Kind::kCounter, Unit::kPackets, "Control frames that end here, taken."},
     [](const Row& row) { return Value(control(row)); }},
    {{"polls", Kind::kCounter, Unit::kNone, "Times its lcore has polled it."},
     [](const Row& row) { return Value(row.polled->polls); }},
    {{"empty_polls", Kind::kCounter, Unit::kNone, "Polls that found nothing to do."},
     [](const Row& row) { return Value(row.polled->empty_polls); }},
    {{"burst", Kind::kGauge, Unit::kThousandths, "Packets a poll that found some."},
     [](const Row& row) { return Value(burst(*row.polled)); }},
    {{"packet_ns", Kind::kGauge, Unit::kNanoseconds,
      "Time a packet, of the polls that were timed."},
     [](const Row& row) { return Value(packet_ns(*row.polled)); }},
};

node::StageCounters counts_of(const EndpointCounts& endpoint, const PolledCounts& polled) {
  if (polled.stage == "receive") return endpoint.stages.receive.counters;
  if (polled.stage == "reliability") return endpoint.stages.reliability.counters;
  if (polled.stage == "ordering") return endpoint.stages.ordering.counters;
  // Refuses nothing: what it takes in goes out, or waits for the port.
  node::StageCounters counts;
  if (polled.stage == "rate_control") {
    const node::RateControlReport& sender = endpoint.stages.rate_control;
    counts.received = sender.packets;
    counts.forwarded = sender.packets - sender.pending;
  } else {
    counts.received = counts.forwarded = polled.packets;
  }
  return counts;
}

}  // namespace

Table stages_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (size_t i = 0; i < snapshot.endpoints.size(); ++i) {
    for (const PolledCounts& polled : snapshot.polled) {
      if (polled.endpoint != i) continue;
      rows.push_back({snapshot.name(i), &polled, counts_of(snapshot.endpoints[i], polled)});
    }
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
