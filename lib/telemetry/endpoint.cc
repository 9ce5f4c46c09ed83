// SPDX-License-Identifier: BSD-3-Clause
// `endpoint`: who each endpoint is, what it has sent and delivered, and what its port has seen.
#include "telemetry/subject.h"
#include "wdm/channel.h"
#include "wire/roce/gid.h"

namespace lambdacast::telemetry {
namespace {

using Row = EndpointCounts;

Value text(const std::string& value) { return Value(value); }
Value number(uint64_t value) { return Value(value); }

Value wavelength(const Row& row) {
  const auto& channel = row.endpoint->config().wavelength;
  return Value(channel ? wdm::channel_name(*channel) : std::string("-"));
}

constexpr FigureOf<Row> kFigures[] = {
    {{"endpoint", Kind::kLabel, Unit::kNone, "The endpoint."},
     [](const Row& row) { return text(row.endpoint->config().name); }},
    {{"address", Kind::kText, Unit::kNone, "Its address; its GID is made of it."},
     [](const Row& row) { return text(wire::format(row.endpoint->identity().gid)); }},
    {{"multicast", Kind::kText, Unit::kNone, "The address it sends to and listens on."},
     [](const Row& row) { return text(wire::format(row.endpoint->identity().multicast_gid)); }},
    {{"data_qpn", Kind::kGauge, Unit::kNone, "Its queue pair of data."},
     [](const Row& row) { return number(row.endpoint->identity().data_qpn); }},
    {{"wavelength", Kind::kText, Unit::kNone, "The wavelength it transmits on."}, wavelength},
    {{"port", Kind::kText, Unit::kNone, "Its port."},
     [](const Row& row) { return text(row.endpoint->port().name()); }},
    {{"path_mtu", Kind::kGauge, Unit::kBytes, "The longest RoCE payload."},
     [](const Row& row) { return number(row.endpoint->identity().path_mtu); }},
    {{"published_packets", Kind::kCounter, Unit::kPackets, "Packets numbered by rate control."},
     [](const Row& row) { return number(row.stages.rate_control.packets); }},
    {{"published_messages", Kind::kCounter, Unit::kMessages, "Messages begun in these packets."},
     [](const Row& row) { return number(row.stages.rate_control.messages); }},
    {{"published_bytes", Kind::kCounter, Unit::kBytes, "Application bytes in these packets."},
     [](const Row& row) { return number(row.stages.rate_control.application_bytes); }},
    {{"waiting_packets", Kind::kGauge, Unit::kPackets, "Published, and not numbered yet."},
     [](const Row& row) { return number(row.stages.rate_control.waiting); }},
    {{"pending_packets", Kind::kGauge, Unit::kPackets, "Numbered, and not taken by the port yet."},
     [](const Row& row) { return number(row.stages.rate_control.pending); }},
    {{"next_frame_seq", Kind::kGauge, Unit::kNone, "The number of the next packet it sends."},
     [](const Row& row) { return number(row.stages.rate_control.next_frame_seq); }},
    {{"sent_psn_wraps", Kind::kCounter, Unit::kNone, "Times its PSN has gone from 0xffffff to 0."},
     [](const Row& row) { return number(row.stages.rate_control.psn_wraps); }},
    {{"delivered_packets", Kind::kCounter, Unit::kPackets, "Packets handed to the application."},
     [](const Row& row) { return number(row.stages.ordering.delivered.packets); }},
    {{"delivered_messages", Kind::kCounter, Unit::kMessages, "Whole messages handed to it."},
     [](const Row& row) { return number(row.stages.ordering.delivered.messages); }},
    {{"delivered_bytes", Kind::kCounter, Unit::kBytes, "Application bytes handed to it."},
     [](const Row& row) { return number(row.stages.ordering.delivered.bytes); }},
    {{"held_packets", Kind::kGauge, Unit::kPackets, "Fragments of messages not yet whole."},
     [](const Row& row) { return number(row.stages.ordering.held); }},
    {{"gaps", Kind::kCounter, Unit::kNone, "Runs of missing packets, over all senders."},
     [](const Row& row) { return number(row.stages.reliability.sequences.gaps); }},
    {{"missing_packets", Kind::kGauge, Unit::kPackets, "Missing in the sequences, now."},
     [](const Row& row) { return number(row.stages.reliability.sequences.missing); }},
    {{"duplicates", Kind::kCounter, Unit::kPackets, "Packets refused: they had come before."},
     [](const Row& row) { return number(row.stages.reliability.sequences.duplicates); }},
    {{"address_doubles", Kind::kCounter, Unit::kNone,
      "Times that another endpoint was found to have the address of a peer."},
     [](const Row& row) { return number(row.stages.reliability.doubles); }},
    {{"places_reused", Kind::kCounter, Unit::kNone,
      "Times that a newcomer took the place of a peer that was gone."},
     [](const Row& row) { return number(row.stages.receive.places_reused); }},
    {{"rx_packets", Kind::kCounter, Unit::kPackets, "Frames that the port has received."},
     [](const Row& row) { return number(row.port.rx_packets); }},
    {{"rx_bytes", Kind::kCounter, Unit::kBytes, "Bytes that the port has received."},
     [](const Row& row) { return number(row.port.rx_bytes); }},
    {{"rx_missed", Kind::kCounter, Unit::kPackets, "Frames lost because the receiver was late."},
     [](const Row& row) { return number(row.port.missed); }},
    {{"rx_no_mbuf", Kind::kCounter, Unit::kPackets, "Frames lost because the pool was empty."},
     [](const Row& row) { return number(row.port.no_mbuf); }},
    {{"rx_errors", Kind::kCounter, Unit::kPackets, "Frames that the port refused."},
     [](const Row& row) { return number(row.port.rx_errors); }},
    {{"tx_packets", Kind::kCounter, Unit::kPackets, "Frames that the port has transmitted."},
     [](const Row& row) { return number(row.port.tx_packets); }},
    {{"tx_bytes", Kind::kCounter, Unit::kBytes, "Bytes that the port has transmitted."},
     [](const Row& row) { return number(row.port.tx_bytes); }},
    {{"tx_errors", Kind::kCounter, Unit::kPackets, "Frames that the port failed to transmit."},
     [](const Row& row) { return number(row.port.tx_errors); }},
};

}  // namespace

Table endpoint_table(const Snapshot& snapshot) { return make_table(kFigures, snapshot.endpoints); }

}  // namespace lambdacast::telemetry
