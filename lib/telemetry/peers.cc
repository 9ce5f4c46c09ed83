// SPDX-License-Identifier: BSD-3-Clause
// `peers`: whom each endpoint hears, as a sender and as a receiver of what it sends itself: what
// the sequences tell, and what repair does.
#include <numeric>

#include "telemetry/subject.h"
#include "wire/roce/gid.h"

namespace lambdacast::telemetry {
namespace {

struct Row {
  const EndpointCounts* endpoint;
  node::NodeReport::Peer peer;
};

const reliability::SequenceCounters& total(const Row& row) {
  return row.peer.reliability.stream.total;
}

// What it sends, and how its repair goes here.
const reliability::ReceiverReport& from(const Row& row) { return row.peer.reliability.receiver; }
// What it has of what this endpoint sends.
const reliability::ReceiverState& to(const Row& row) { return row.peer.rate_control.receiver; }

Value stream_state(const Row& row) {
  if (!from(row).known) return Value(std::string("unheard"));
  if (from(row).left) return Value(std::string("left"));
  if (from(row).open) return Value(std::string("open"));
  if (from(row).refused_path_mtu != 0) return Value(std::string("refused"));
  return Value(std::string(from(row).evictions != 0 ? "evicted" : "joining"));
}

Value receiver_state(const Row& row) {
  if (to(row).admitted) return Value(std::string("admitted"));
  if (to(row).left) return Value(std::string("left"));
  if (to(row).verdict == wire::Verdict::kRefused) return Value(std::string("refused"));
  if (to(row).trial.on()) return Value(std::string("on trial"));
  return Value(std::string(to(row).evictions != 0 ? "evicted" : "-"));
}

Value unconfirmed(const Row& row) {
  const uint64_t last = row.endpoint->stages.rate_control.retention.last;
  const bool lacks = to(row).admitted && to(row).contiguous < last;
  return Value(lacks ? last - to(row).contiguous : uint64_t{0});
}

Value declared_lost(const Row& row) {
  const auto& lost = from(row).lost;
  return Value(std::accumulate(lost.begin(), lost.end(), uint64_t{0}));
}

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint that hears it."},
     [](const Row& row) { return Value(row.endpoint->endpoint->config().name); }},
    {{"peer", Kind::kLabel, Unit::kNone, "The sender's address."},
     [](const Row& row) { return Value(wire::format(row.peer.name.gid)); }},
    {{"qpn", Kind::kLabel, Unit::kNone, "The sender's queue pair."},
     [](const Row& row) { return Value(std::to_string(row.peer.name.qpn)); }},
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
     [](const Row& row) { return Value(row.peer.reliability.stream.psn_wraps); }},
    {{"psn_mismatches", Kind::kCounter, Unit::kPackets,
      "PSNs that were not those of the sequence."},
     [](const Row& row) { return Value(row.peer.reliability.stream.psn_mismatches); }},
    {{"restarts", Kind::kCounter, Unit::kNone, "Times it has begun a new incarnation."},
     [](const Row& row) { return Value(row.peer.reliability.stream.incarnation_changes); }},
    {{"last_sequence", Kind::kGauge, Unit::kNone, "The highest sequence it has sent."},
     [](const Row& row) {
       const auto& stream = row.peer.reliability.stream;
       return Value(stream.started ? stream.highest_frame_seq : 0);
     }},
    {{"stream", Kind::kText, Unit::kNone,
      "Its recoverable stream here: unheard, joining, open, evicted, refused, left."},
     stream_state},
    {{"contiguous", Kind::kGauge, Unit::kNone, "All of its stream up to here came or is lost."},
     [](const Row& row) { return Value(from(row).contiguous); }},
    {{"kept", Kind::kGauge, Unit::kPackets, "Packets of it that wait for earlier ones."},
     [](const Row& row) { return Value(uint64_t{from(row).kept}); }},
    {{"room", Kind::kGauge, Unit::kPackets, "How far its stream may go beyond that."},
     [](const Row& row) { return Value(uint64_t{from(row).room}); }},
    {{"rtt", Kind::kGauge, Unit::kNanoseconds, "The smoothed round trip to it."},
     [](const Row& row) { return Value(from(row).rtt_ns); }},
    {{"nacks_sent", Kind::kCounter, Unit::kFrames, "NACKs sent to it."},
     [](const Row& row) { return Value(from(row).nacks_sent); }},
    {{"nacks_heard", Kind::kCounter, Unit::kFrames, "NACKs of others to it that were heard."},
     [](const Row& row) { return Value(from(row).nacks_heard); }},
    {{"nacks_suppressed", Kind::kCounter, Unit::kPackets,
      "Packets not asked for because another receiver's NACK did."},
     [](const Row& row) { return Value(from(row).nacks_suppressed); }},
    {{"repairs_useful", Kind::kCounter, Unit::kPackets, "Packets missing at first that came."},
     [](const Row& row) { return Value(from(row).repaired); }},
    {{"repairs_redundant", Kind::kCounter, Unit::kPackets,
      "Recoverable packets that had come before: repairs that others wanted."},
     [](const Row& row) { return Value(from(row).duplicates); }},
    {{"declared_lost", Kind::kCounter, Unit::kPackets, "Packets given up; losses tells why."},
     declared_lost},
    {{"receiver", Kind::kText, Unit::kNone, "What it is to this endpoint's stream."},
     receiver_state},
    {{"unconfirmed", Kind::kGauge, Unit::kPackets, "Sent, and not known to be with it."},
     unconfirmed},
    {{"retained_bytes", Kind::kGauge, Unit::kBytes, "Frames of these, retained."},
     [](const Row& row) { return Value(row.peer.rate_control.retained_bytes); }},
    {{"nacks_taken", Kind::kCounter, Unit::kFrames, "NACKs it has sent to this endpoint."},
     [](const Row& row) { return Value(to(row).nacks); }},
    {{"repairs_sent", Kind::kCounter, Unit::kPackets, "Repairs that it was the first to ask for."},
     [](const Row& row) { return Value(to(row).repairs); }},
    {{"evictions", Kind::kCounter, Unit::kNone, "Times it has been cut off."},
     [](const Row& row) { return Value(to(row).evictions); }},
};

}  // namespace

Table peers_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    for (size_t i = 0; i < each.stages.peers(); ++i) rows.push_back({&each, each.stages.peer(i)});
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
