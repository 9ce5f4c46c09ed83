// `peers`: the senders that each endpoint hears, and what their sequences tell.
#include "telemetry/subject.h"
#include "wire/gid.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  const std::string* endpoint;
  const dataplane::EndpointSnapshot::PeerSnapshot* peer;
};

const reliability::SequenceCounters& total(const Row& row) { return row.peer->stream.total; }

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint that hears it."},
     [](const Row& row) { return Value(*row.endpoint); }},
    {{"peer", Kind::kLabel, Unit::kNone, "The sender's address."},
     [](const Row& row) { return Value(wire::format(row.peer->gid)); }},
    {{"qpn", Kind::kLabel, Unit::kNone, "The sender's queue pair."},
     [](const Row& row) { return Value(std::to_string(row.peer->qpn)); }},
    {{"received", Kind::kCounter, Unit::kPackets, "Packets accepted from it."},
     [](const Row& row) { return Value(total(row).received); }},
    {{"gaps", Kind::kCounter, Unit::kNone, "Runs of missing packets."},
     [](const Row& row) { return Value(total(row).gaps); }},
    {{"missing", Kind::kGauge, Unit::kPackets, "Packets missing in its sequence."},
     [](const Row& row) { return Value(total(row).missing); }},
    {{"late", Kind::kCounter, Unit::kPackets, "Packets accepted out of order."},
     [](const Row& row) { return Value(total(row).late); }},
    {{"duplicates", Kind::kCounter, Unit::kPackets, "Packets refused: they had come before."},
     [](const Row& row) { return Value(total(row).duplicates); }},
    {{"psn_wraps", Kind::kCounter, Unit::kNone, "Times its PSN has gone from 0xffffff to 0."},
     [](const Row& row) { return Value(row.peer->stream.psn_wraps); }},
    {{"psn_mismatches", Kind::kCounter, Unit::kPackets,
      "PSNs that were not those of the sequence."},
     [](const Row& row) { return Value(row.peer->stream.psn_mismatches); }},
    {{"restarts", Kind::kCounter, Unit::kNone, "Times it has begun a new incarnation."},
     [](const Row& row) { return Value(row.peer->stream.incarnation_changes); }},
    {{"last_sequence", Kind::kGauge, Unit::kNone, "The highest sequence it has sent."},
     [](const Row& row) { return Value(row.peer->stream.highest_frame_seq); }},
};

}  // namespace

Table peers_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    for (const auto& peer : each.stages.peers) {
      rows.push_back({&each.endpoint->config().name, &peer});
    }
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
