// SPDX-License-Identifier: BSD-3-Clause
// `reliability`: what each endpoint does so that nothing is lost: as a sender, then as a receiver
// of all its peers together.
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

using reliability::LossReason;

struct Row {
  const EndpointCounts* endpoint;
  reliability::ReceiverReport received;  // sums over all peers

  [[nodiscard]] const reliability::SenderCounters& sender() const {
    return endpoint->stages.rate_control.sender;
  }
  [[nodiscard]] const node::RateControlReport::Retention& retention() const {
    return endpoint->stages.rate_control.retention;
  }
  [[nodiscard]] Value lost(LossReason reason) const {
    return Value(received.lost[static_cast<size_t>(reason)]);
  }
};

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."},
     [](const Row& row) { return Value(row.endpoint->endpoint->config().name); }},
    {{"receivers", Kind::kGauge, Unit::kNone, "Receivers that hold a place in its stream."},
     [](const Row& row) { return Value(uint64_t{row.retention().receivers}); }},
    {{"last_rel_seq", Kind::kGauge, Unit::kNone, "The last recoverable packet it has sent."},
     [](const Row& row) { return Value(row.retention().last); }},
    {{"unstable", Kind::kGauge, Unit::kPackets, "Sent, and not known to be with every receiver."},
     [](const Row& row) { return Value(row.retention().last - row.retention().stable); }},
    {{"retained_packets", Kind::kGauge, Unit::kPackets, "Kept for repair."},
     [](const Row& row) { return Value(row.retention().packets); }},
    {{"retained_bytes", Kind::kGauge, Unit::kBytes, "The frames of these."},
     [](const Row& row) { return Value(row.retention().bytes); }},
    {{"in_flight", Kind::kGauge, Unit::kPackets,
      "How far it may go ahead of what every receiver has heard of, at present."},
     [](const Row& row) { return Value(row.retention().in_flight); }},
    {{"rtt", Kind::kGauge, Unit::kNanoseconds, "The longest smoothed round trip to a receiver."},
     [](const Row& row) { return Value(row.retention().rtt_ns); }},
    {{"nacks_taken", Kind::kCounter, Unit::kFrames, "NACKs of its receivers."},
     [](const Row& row) { return Value(row.sender().nacks); }},
    {{"requested", Kind::kCounter, Unit::kPackets, "Packets they asked for."},
     [](const Row& row) { return Value(row.sender().requested); }},
    {{"repairs_sent", Kind::kCounter, Unit::kPackets, "Repairs sent, each to all."},
     [](const Row& row) { return Value(row.sender().repairs); }},
    {{"repairs_joined", Kind::kCounter, Unit::kPackets, "Requests for one that was due already."},
     [](const Row& row) { return Value(row.sender().joined); }},
    {{"repairs_held_off", Kind::kCounter, Unit::kPackets, "Requests for one that was on its way."},
     [](const Row& row) { return Value(row.sender().held_off); }},
    {{"requests_too_late", Kind::kCounter, Unit::kPackets, "Requests for what was released."},
     [](const Row& row) { return Value(row.sender().too_late); }},
    {{"expired", Kind::kCounter, Unit::kPackets, "Released after retain_ms, and not stable."},
     [](const Row& row) { return Value(row.sender().expired); }},
    {{"window_closed", Kind::kCounter, Unit::kNone,
      "Times data had to wait for a receiver's window or for retention."},
     [](const Row& row) { return Value(row.sender().window_closed); }},
    {{"lost_by_all", Kind::kCounter, Unit::kPackets, "Lost to all receivers: at this transmitter."},
     [](const Row& row) { return Value(row.sender().lost_by_all); }},
    {{"lost_by_some", Kind::kCounter, Unit::kPackets, "Lost to some: on the way or at them."},
     [](const Row& row) { return Value(row.sender().lost_by_some); }},
    {{"heartbeats_sent", Kind::kCounter, Unit::kFrames, "Heartbeats sent."},
     [](const Row& row) { return Value(row.sender().heartbeats); }},
    {{"admissions", Kind::kCounter, Unit::kNone, "Receivers admitted to its stream."},
     [](const Row& row) { return Value(row.sender().admissions); }},
    {{"evicted_lag", Kind::kCounter, Unit::kNone, "Receivers cut off for lagging behind."},
     [](const Row& row) { return Value(row.sender().evicted_lag); }},
    {{"evicted_silent", Kind::kCounter, Unit::kNone, "Receivers cut off for their silence."},
     [](const Row& row) { return Value(row.sender().evicted_silent); }},
    {{"refused", Kind::kCounter, Unit::kNone, "Receivers whose path_mtu is too short for it."},
     [](const Row& row) { return Value(row.sender().refused); }},
    {{"trials", Kind::kCounter, Unit::kNone, "Receivers put on trial, as they lagged repeatedly."},
     [](const Row& row) { return Value(row.sender().trials); }},
    {{"left", Kind::kCounter, Unit::kNone, "Receivers that left in order."},
     [](const Row& row) { return Value(row.sender().left); }},
    {{"first_losses", Kind::kCounter, Unit::kPackets, "Packets it missed at first."},
     [](const Row& row) { return Value(row.received.first_losses); }},
    {{"missing", Kind::kGauge, Unit::kPackets, "Of these, missing now."},
     [](const Row& row) { return Value(row.received.missing); }},
    {{"repairs_useful", Kind::kCounter, Unit::kPackets, "Of these, packets that came after all."},
     [](const Row& row) { return Value(row.received.repaired); }},
    {{"repairs_redundant", Kind::kCounter, Unit::kPackets, "Packets that had come before."},
     [](const Row& row) { return Value(row.received.duplicates); }},
    {{"kept", Kind::kGauge, Unit::kPackets, "Packets that wait for earlier ones."},
     [](const Row& row) { return Value(uint64_t{row.endpoint->stages.reliability.kept}); }},
    {{"nacks_sent", Kind::kCounter, Unit::kFrames, "NACKs it has sent."},
     [](const Row& row) { return Value(row.received.nacks_sent); }},
    {{"nacks_heard", Kind::kCounter, Unit::kFrames, "NACKs of others that it has heard."},
     [](const Row& row) { return Value(row.received.nacks_heard); }},
    {{"nacks_suppressed", Kind::kCounter, Unit::kPackets,
      "Packets not asked for because another receiver's NACK did."},
     [](const Row& row) { return Value(row.received.nacks_suppressed); }},
    {{"statuses_sent", Kind::kCounter, Unit::kFrames, "Statuses it has sent."},
     [](const Row& row) { return Value(row.endpoint->stages.reliability.receiver.statuses_sent); }},
    {{"lost_outside_retention", Kind::kCounter, Unit::kPackets,
      "Given up: the sender did not have them any more."},
     [](const Row& row) { return row.lost(LossReason::kOutsideRetention); }},
    {{"lost_sender_gone", Kind::kCounter, Unit::kPackets, "Given up: it had gone, or restarted."},
     [](const Row& row) { return row.lost(LossReason::kSenderGone); }},
    {{"lost_deadline", Kind::kCounter, Unit::kPackets, "Given up after repair_deadline_ms."},
     [](const Row& row) { return row.lost(LossReason::kDeadline); }},
    {{"lost_evicted", Kind::kCounter, Unit::kPackets, "Given up: the sender had cut it off."},
     [](const Row& row) { return row.lost(LossReason::kEvicted); }},
    {{"lost_refused", Kind::kCounter, Unit::kPackets,
      "Given up: the sender's packets are longer than path_mtu here."},
     [](const Row& row) { return row.lost(LossReason::kRefused); }},
    {{"lost_reassembly", Kind::kCounter, Unit::kPackets,
      "Came, and could not be put together: no memory, or the message's beginning was before."},
     [](const Row& row) { return row.lost(LossReason::kReassembly); }},
    {{"evictions", Kind::kCounter, Unit::kNone, "Times a sender has cut it off."},
     [](const Row& row) { return Value(row.received.evictions); }},
    {{"starved", Kind::kCounter, Unit::kNone, "Times it was not polled for a heartbeat or longer."},
     [](const Row& row) { return Value(row.endpoint->stages.reliability.receiver.starved); }},
};

}  // namespace

Table reliability_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    reliability::ReceiverReport sum;
    for (const auto& peer : each.stages.reliability.peers) {
      const reliability::ReceiverReport& report = peer.receiver;
      sum.first_losses += report.first_losses;
      sum.missing += report.missing;
      sum.repaired += report.repaired;
      sum.duplicates += report.duplicates;
      sum.nacks_sent += report.nacks_sent;
      sum.nacks_heard += report.nacks_heard;
      sum.nacks_suppressed += report.nacks_suppressed;
      sum.evictions += report.evictions;
      for (size_t i = 0; i < sum.lost.size(); ++i) sum.lost[i] += report.lost[i];
    }
    rows.push_back({&each, sum});
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
