// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/packet_lives.h"

#include <string>

namespace lambdacast::telemetry {
namespace {

using dpdk::PacketTrace;
using node::Passage;
using node::StageId;

struct Row {
  uint64_t number;  // of the packet, from 1
  const rack::PacketTracer::Life* life;
  const PacketTrace::Step* step;
  uint64_t since_ns;
};

const char* name_of(StageId stage) {
  switch (stage) {
    case StageId::kReceive:
      return "receive";
    case StageId::kNeighbor:
      return "neighbor";
    case StageId::kReliability:
      return "reliability";
    case StageId::kOrdering:
      return "ordering";
    case StageId::kApplication:
      return "application";
    case StageId::kRateControl:
      return "rate_control";
  }
  return "";
}

// By the stage as well: the application's handing on is publishing.
const char* what_of(const PacketTrace::Step& step) {
  switch (step.what) {
    case Passage::kOn:
      if (step.stage == StageId::kApplication) return "published";
      return step.stage == StageId::kRateControl ? "sent" : "on";
    case Passage::kKept:
      return "kept";
    case Passage::kTaken:
      return step.stage == StageId::kApplication ? "delivered" : "taken";
    case Passage::kDropped:
      return "dropped";
  }
  return "";
}

std::string reason_of(const PacketTrace::Step& step) {
  return step.reason == counters::DropReason::kNone ? "" : counters::name(step.reason);
}

constexpr FigureOf<Row> kFigures[] = {
    {{"packet", Kind::kLabel, Unit::kNone, "Which of those that were followed."},
     [](const Row& row) { return Value(std::to_string(row.number)); }},
    {{"endpoint", Kind::kLabel, Unit::kNone, "Whose it was."},
     [](const Row& row) { return Value(row.life->endpoint); }},
    {{"time", Kind::kGauge, Unit::kNanoseconds, "Since it was first met."},
     [](const Row& row) { return Value(row.since_ns); }},
    {{"stage", Kind::kText, Unit::kNone, "Where."},
     [](const Row& row) { return Value(std::string(name_of(row.step->stage))); }},
    {{"step", Kind::kText, Unit::kNone, "What the stage did with it."},
     [](const Row& row) { return Value(std::string(what_of(*row.step))); }},
    {{"reason", Kind::kText, Unit::kNone, "Why it was dropped, or what it was."},
     [](const Row& row) { return Value(reason_of(*row.step)); }},
    {{"frame_seq", Kind::kGauge, Unit::kNone, "Its number in its sender's stream; 0: none yet."},
     [](const Row& row) { return Value(row.life->packet.frame_seq); }},
    {{"bytes", Kind::kGauge, Unit::kBytes, "Of its payload."},
     [](const Row& row) { return Value(uint64_t{row.life->packet.bytes}); }},
};

}  // namespace

Table packet_lives(const std::vector<rack::PacketTracer::Life>& lives,
                   const dpdk::TscClock& clock) {
  std::vector<Row> rows;
  uint64_t on_their_way = 0;
  for (size_t i = 0; i < lives.size(); ++i) {
    const auto& steps = lives[i].packet.steps;
    for (const PacketTrace::Step& step : steps)
      rows.push_back({i + 1, &lives[i], &step, clock.to_ns(step.tsc - steps.front().tsc)});
    on_their_way += lives[i].packet.ended ? 0 : 1;
  }
  Table table = make_table(kFigures, rows);
  if (on_their_way != 0)
    table.notes.push_back(std::to_string(on_their_way) + " packets are on their way.");
  return table;
}

}  // namespace lambdacast::telemetry
