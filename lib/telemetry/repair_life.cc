// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/repair_life.h"

#include <algorithm>
#include <set>

#include "wire/roce/gid.h"

namespace lambdacast::telemetry {
namespace {

using reliability::RepairStep;
using reliability::TraceEvent;

struct Step {
  uint64_t at_ns;
  const std::string* endpoint;
  RepairStep what;
  std::string by;  // the asker, of what a sender notes
};

struct Row {
  uint64_t since_ns;
  const Step* step;
};

constexpr FigureOf<Row> kFigures[] = {
    {{"time", Kind::kGauge, Unit::kNanoseconds, "Since it was sent."},
     [](const Row& row) {
       return Value(static_cast<int64_t>(row.step->at_ns) - static_cast<int64_t>(row.since_ns));
     }},
    {{"endpoint", Kind::kText, Unit::kNone, "Where."},
     [](const Row& row) { return Value(*row.step->endpoint); }},
    {{"step", Kind::kText, Unit::kNone, "What happened."},
     [](const Row& row) { return Value(std::string(name(row.step->what))); }},
    {{"by", Kind::kText, Unit::kNone, "Who had asked."},
     [](const Row& row) { return Value(row.step->by); }},
};

const std::string& peer_of(const RepairNotes& notes, const TraceEvent& event) {
  static const std::string unknown = "?";
  return event.peer < notes.peers.size() ? notes.peers[event.peer] : unknown;
}

bool names_asker(RepairStep step) {
  return step == RepairStep::kNackTaken || step == RepairStep::kHeldOff;
}

// visit(notes, event, is its sender's note) for everything noted of that sender's packets.
template <typename Visitor>
void for_each_note(const std::vector<RepairNotes>& all, const std::string& sender,
                   Visitor&& visit) {
  for (const RepairNotes& notes : all) {
    if (notes.endpoint == sender) {
      for (const TraceEvent& event : notes.sender) visit(notes, event, true);
      continue;
    }
    for (const TraceEvent& event : notes.receiver) {
      if (peer_of(notes, event) == sender) visit(notes, event, false);
    }
  }
}

}  // namespace

std::vector<RepairNotes> take_repair_notes(const Source& source) {
  const Snapshot snapshot = take_snapshot(source, {});
  auto traces = source.rack.repair_traces();
  std::vector<RepairNotes> out(traces.size());
  for (size_t i = 0; i < traces.size(); ++i) {
    out[i] = {snapshot.name(i), std::move(traces[i].sender), std::move(traces[i].receiver), {}};
    for (const auto& peer : snapshot.endpoints[i].stages.receive.peers) {
      std::string name = wire::format(peer.gid);
      for (size_t k = 0; k < traces.size(); ++k) {
        const node::EndpointIdentity& identity = snapshot.endpoints[k].endpoint->identity();
        if (identity.gid == peer.gid && identity.data_qpn == peer.qpn) name = snapshot.name(k);
      }
      out[i].peers.push_back(std::move(name));
    }
  }
  return out;
}

std::optional<uint64_t> newest_repair(const std::vector<RepairNotes>& notes,
                                      const std::string& sender) {
  std::set<uint64_t> noted, sent, ended;
  for_each_note(notes, sender, [&](const RepairNotes&, const TraceEvent& event, bool own) {
    noted.insert(event.position);
    if (event.step == RepairStep::kSent) sent.insert(event.position);
    if (!own && (event.step == RepairStep::kDelivered || event.step == RepairStep::kLost))
      ended.insert(event.position);
  });
  for (auto at = sent.rbegin(); at != sent.rend(); ++at) {
    if (ended.contains(*at)) return *at;
  }
  return noted.empty() ? std::nullopt : std::optional<uint64_t>(*noted.rbegin());
}

Table repair_life(const std::vector<RepairNotes>& notes, const std::string& sender,
                  uint64_t position) {
  std::vector<Step> steps;
  const Step* sent = nullptr;
  for_each_note(notes, sender, [&](const RepairNotes& of, const TraceEvent& event, bool) {
    if (event.position != position) return;
    const std::string by = names_asker(event.step) ? peer_of(of, event) : std::string();
    steps.push_back({event.at_ns, &of.endpoint, event.step, by});
  });
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.at_ns < b.at_ns; });
  for (const Step& step : steps) {
    if (step.what == RepairStep::kSent) sent = &step;
  }
  std::vector<Row> rows;
  for (const Step& step : steps) {
    const uint64_t since_ns = sent != nullptr ? sent->at_ns : steps.front().at_ns;
    if (step.at_ns >= since_ns)
      rows.push_back({since_ns, &step});  // else of an earlier incarnation
  }
  Table table = make_table(kFigures, rows);
  if (!rows.empty() && sent == nullptr)
    table.notes.push_back("Its sending is noted no more: times are since the first step.");
  return table;
}

}  // namespace lambdacast::telemetry
