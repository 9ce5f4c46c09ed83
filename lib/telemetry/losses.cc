// SPDX-License-Identifier: BSD-3-Clause
// `losses`: of each sender's recoverable packets those that an endpoint missed at first, by the
// place where they were lost, and what came of them. The place is inferred as in
// ODBSS 2019, III.A: what all receivers missed was lost at the transmitter, what this one's port
// counts as lost was lost here, and the rest on the way. All are gauges: a place is an inference,
// and a later status of another receiver may change it.
#include <algorithm>

#include "telemetry/subject.h"
#include "wire/roce/gid.h"

namespace lambdacast::telemetry {
namespace {

using reliability::LossReason;

struct Row {
  const EndpointCounts* endpoint;
  node::NodeReport::Peer peer;
  uint64_t port_losses;  // frames of this sender, or of all if the port cannot tell

  [[nodiscard]] const reliability::ReceiverReport& report() const {
    return peer.reliability.receiver;
  }
  [[nodiscard]] uint64_t at_transmitter() const {
    return std::min(report().lost_by_all, report().first_losses);
  }
  [[nodiscard]] uint64_t at_receiver() const {
    return std::min(port_losses, report().first_losses - at_transmitter());
  }
  [[nodiscard]] uint64_t on_the_way() const {
    return report().first_losses - at_transmitter() - at_receiver();
  }
  [[nodiscard]] Value lost(LossReason reason) const {
    return Value(report().lost[static_cast<size_t>(reason)]);
  }
};

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint that missed them."},
     [](const Row& row) { return Value(row.endpoint->endpoint->config().name); }},
    {{"peer", Kind::kLabel, Unit::kNone, "Their sender's address."},
     [](const Row& row) { return Value(wire::format(row.peer.name.gid)); }},
    {{"qpn", Kind::kLabel, Unit::kNone, "Their sender's queue pair."},
     [](const Row& row) { return Value(std::to_string(row.peer.name.qpn)); }},
    {{"first_losses", Kind::kGauge, Unit::kPackets, "Recoverable packets missed at first."},
     [](const Row& row) { return Value(row.report().first_losses); }},
    {{"transmitter", Kind::kGauge, Unit::kPackets, "Of these, missed by every receiver."},
     [](const Row& row) { return Value(row.at_transmitter()); }},
    {{"fabric", Kind::kGauge, Unit::kPackets, "Of these, the rest: lost on the way."},
     [](const Row& row) { return Value(row.on_the_way()); }},
    {{"receiver", Kind::kGauge, Unit::kPackets, "Of these, refused or missed by its own port."},
     [](const Row& row) { return Value(row.at_receiver()); }},
    {{"missing", Kind::kGauge, Unit::kPackets, "Missing now."},
     [](const Row& row) { return Value(row.report().missing); }},
    {{"repaired", Kind::kGauge, Unit::kPackets, "Came after all."},
     [](const Row& row) { return Value(row.report().repaired); }},
    {{"outside_retention", Kind::kGauge, Unit::kPackets, "Lost: no longer retained by the sender."},
     [](const Row& row) { return row.lost(LossReason::kOutsideRetention); }},
    {{"sender_gone", Kind::kGauge, Unit::kPackets, "Lost: the sender had gone, or restarted."},
     [](const Row& row) { return row.lost(LossReason::kSenderGone); }},
    {{"deadline", Kind::kGauge, Unit::kPackets, "Lost: asked for in vain until the deadline."},
     [](const Row& row) { return row.lost(LossReason::kDeadline); }},
    {{"evicted", Kind::kGauge, Unit::kPackets, "Lost: the sender had cut this endpoint off."},
     [](const Row& row) { return row.lost(LossReason::kEvicted); }},
    {{"refused", Kind::kGauge, Unit::kPackets, "Lost: its packets are longer than path_mtu here."},
     [](const Row& row) { return row.lost(LossReason::kRefused); }},
    {{"reassembly", Kind::kGauge, Unit::kPackets,
      "Lost here: their message has no room or no head."},
     [](const Row& row) { return row.lost(LossReason::kReassembly); }},
};

// The port's losses that may be this sender's: those of its wavelength if it is an endpoint of this
// process, because the fabric's port counts each wavelength by itself, else all of them.
uint64_t port_losses(const Snapshot& snapshot, const EndpointCounts& at,
                     const node::ReceiveReport::Peer& peer) {
  for (const EndpointCounts& each : snapshot.endpoints) {
    const node::EndpointIdentity& identity = each.endpoint->identity();
    if (identity.gid != peer.gid || identity.data_qpn != peer.qpn) continue;
    if (!each.endpoint->config().wavelength) break;
    const std::string light = "wl" + std::to_string(each.endpoint->config().wavelength_index);
    return at.port.extended_or_zero(light + "_missed") +
           at.port.extended_or_zero(light + "_no_mbuf") +
           at.port.extended_or_zero(light + "_too_long");
  }
  return at.port.missed + at.port.no_mbuf + at.port.rx_errors;
}

}  // namespace

Table losses_table(const Snapshot& snapshot) {
  std::vector<Row> rows;
  for (const EndpointCounts& each : snapshot.endpoints) {
    for (size_t i = 0; i < each.stages.peers(); ++i) {
      const node::NodeReport::Peer peer = each.stages.peer(i);
      rows.push_back({&each, peer, port_losses(snapshot, each, peer.name)});
    }
  }
  return make_table(kFigures, rows);
}

}  // namespace lambdacast::telemetry
