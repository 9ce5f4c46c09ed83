// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/endpoint_frames.h"

#include <optional>

#include "base/bytes.h"
#include "wire/control/control.h"
#include "wire/control/transport.h"
#include "wire/roce/build.h"

namespace lambdacast::fuzz {
namespace {

constexpr uint32_t kStranger = 0x0a4d00c8;  // 10.77.0.200

wire::FrameFields fields_for(const node::EndpointIdentity& to, bool multicast) {
  wire::FrameFields fields;
  fields.source_mac = {{2, 0, 0, 0, 0, 200}};
  fields.destination_mac = multicast ? wire::multicast_mac(to.multicast_gid) : to.mac;
  fields.source_gid = wire::is_ipv4_mapped(to.gid) ? wire::gid_from_ipv4(kStranger) : to.gid;
  fields.source_gid.bytes[15] = 200;
  fields.destination_gid = multicast ? to.multicast_gid : to.gid;
  fields.destination_qpn = multicast ? wire::kMulticastQpn : to.data_qpn;
  fields.source_qpn = to.data_qpn;
  fields.qkey = to.qkey;
  return fields;
}

Frame frame_of(const wire::FrameFields& fields, const Frame& payload) {
  Frame frame(wire::kMaxFrameBytes);
  frame.resize(wire::build_frame(fields, payload, frame.data(), frame.size()));
  return frame;
}

Frame payload_of(const wire::TransportHeader& header, const Frame& content) {
  Frame payload(wire::transport_header_bytes(header.kind));
  wire::store_transport(header, payload.data());
  payload.insert(payload.end(), content.begin(), content.end());
  return payload;
}

Frame message_of(size_t bytes, uint32_t group, wire::Kind kind = wire::Kind::kData) {
  wire::TransportHeader header;
  header.kind = kind;
  header.group = group;
  header.message_bytes = static_cast<uint32_t>(bytes);
  return payload_of(header, Frame(bytes, static_cast<uint8_t>(bytes)));
}

// Messages of 0, 1, 2 ... bytes in one packet.
Frame shared_packet(uint32_t messages, wire::Kind kind = wire::Kind::kMessages) {
  Frame records;
  for (uint32_t i = 0; i < messages; ++i) {
    records.push_back(0);
    records.push_back(static_cast<uint8_t>(i));
    records.insert(records.end(), i, static_cast<uint8_t>(i));
  }
  wire::TransportHeader header;
  header.kind = kind;
  header.group = 2;
  header.fragment_offset = messages;
  header.message_bytes = static_cast<uint32_t>(records.size());
  return payload_of(header, records);
}

// Piece `piece` of a message of 250 bytes in pieces of 100.
Frame fragment_of(uint32_t piece, wire::Kind kind = wire::Kind::kFragment) {
  wire::TransportHeader header;
  header.kind = kind;
  header.group = 3;
  header.fragment_offset = 100 * piece;
  header.message_bytes = 250;
  header.message_id = 1;
  header.fragment_bytes = 100;
  return payload_of(header, Frame(piece == 2 ? 50 : 100, static_cast<uint8_t>(piece)));
}

// Everything that an endpoint may be sent, as RoCE payload.
std::vector<Frame> payloads(size_t path_mtu) {
  std::vector<Frame> all;
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{20}, size_t{64},
                             path_mtu - wire::kTransportHeaderBytes}) {
    all.push_back(message_of(bytes, static_cast<uint32_t>(1 + bytes % 3)));
  }
  for (const uint32_t group : {1, 9}) all.push_back(message_of(30, group, wire::Kind::kGroup));
  for (const uint32_t messages : {1, 2, 10}) all.push_back(shared_packet(messages));
  all.push_back(message_of(90, 1, wire::Kind::kRequest));
  all.push_back(shared_packet(100, wire::Kind::kRequestMessages));
  for (const uint32_t piece : {0, 1, 2}) all.push_back(fragment_of(piece));
  for (const uint32_t piece : {0, 1, 2})
    all.push_back(fragment_of(piece, wire::Kind::kRequestFragment));
  Frame extended = message_of(20, 1);
  extended[0] = 1 << 4 | 8;  // two extensions of 8 bytes
  extended.insert(extended.begin() + wire::kTransportHeaderBytes, 16, uint8_t{0});
  all.push_back(extended);
  return all;
}

wire::FrameFields control_fields(const node::EndpointIdentity& to) {
  wire::FrameFields fields = fields_for(to, true);
  fields.destination_mac = wire::multicast_mac(to.control_gid);
  fields.destination_gid = to.control_gid;
  fields.source_qpn = to.control_qpn;
  return fields;
}

Frame control_payload(const node::EndpointIdentity& to, wire::ControlKind kind, size_t entries,
                      size_t bytes) {
  Frame payload(bytes);
  wire::ControlHeader header;
  header.kind = kind;
  header.incarnation = 1;
  header.data_qpn = to.data_qpn;
  header.entries = static_cast<uint16_t>(entries);
  header.timestamp_ns = 1;
  wire::store_control_header(header, payload.data());
  return payload;
}

// Of a stream that has come to position 20, with `verdict` about `to`; none: about nobody.
Frame heartbeat(const node::EndpointIdentity& to, std::optional<wire::Verdict> verdict) {
  const size_t entries = verdict ? 1 : 0;
  Frame payload = control_payload(to, wire::ControlKind::kHeartbeat, entries,
                                  wire::kHeartbeatBytes + entries * wire::kVerdictBytes);
  wire::store_heartbeat({1, 20, 30, 0}, payload.data());
  if (verdict) {
    wire::store_verdict({{to.gid, to.data_qpn, to.incarnation}, 10, *verdict},
                        payload.data() + wire::kHeartbeatBytes);
  }
  return payload;
}

wire::StatusEntry status_entry(const node::EndpointIdentity& to, uint8_t flags, uint8_t runs) {
  wire::StatusEntry entry;
  entry.stream = {to.gid, to.data_qpn, to.incarnation};
  entry.flags = flags;
  entry.room = 64;
  entry.runs = runs;
  for (uint8_t i = 0; i < runs; ++i) entry.run[i] = {uint64_t{1} + 3 * i, 2};
  return entry;
}

Frame status(const node::EndpointIdentity& to, uint8_t flags, uint8_t runs) {
  const wire::StatusEntry entry = status_entry(to, flags, runs);
  Frame payload =
      control_payload(to, wire::ControlKind::kStatus, 1, wire::kControlHeaderBytes + entry.bytes());
  (void)wire::store_status_entry(entry, payload.data() + wire::kControlHeaderBytes);
  return payload;
}

Frame nack(const node::EndpointIdentity& to, uint16_t runs) {
  Frame payload = control_payload(to, wire::ControlKind::kNack, runs,
                                  wire::kNackHeaderBytes + runs * wire::kNackRunBytes);
  wire::store_nack({to.gid, to.data_qpn, to.incarnation}, 1, payload.data());
  for (uint16_t i = 0; i < runs; ++i) {
    wire::store_nack_run({i, 2}, payload.data() + wire::kNackHeaderBytes + i * wire::kNackRunBytes);
  }
  return payload;
}

Frame nack_and_status(const node::EndpointIdentity& to) {
  Frame payload = nack(to, 2);
  const wire::StatusEntry entry = status_entry(to, 0, 1);
  const size_t at = payload.size();
  payload.resize(at + entry.bytes());
  (void)wire::store_status_entry(entry, &payload[at]);
  payload[15] = 1;
  return payload;
}

std::vector<Frame> control_payloads(const node::EndpointIdentity& to) {
  return {heartbeat(to, {}),
          heartbeat(to, wire::Verdict::kWelcome),
          heartbeat(to, wire::Verdict::kWelcome),
          heartbeat(to, wire::Verdict::kEvictedLag),
          status(to, wire::kStatusJoining, 0),
          status(to, 0, 0),
          status(to, 0, 3),
          nack(to, 0),
          nack(to, 5),
          nack_and_status(to)};
}

// Control frames go to the one group whose address ends in 2.
bool is_control(const Frame& frame, size_t bth) { return frame[bth - 8 - 1] == 2; }

// Where the transport header stands in a frame of one of our shapes; false: nowhere.
bool find_headers(const Frame& frame, size_t& bth, size_t& transport) {
  size_t l3 = 14;
  while (l3 + 4 < frame.size() && (frame[l3 - 2] == 0x81 || frame[l3 - 2] == 0x88)) l3 += 4;
  if (l3 >= frame.size()) return false;
  bth = l3 + (frame[l3] / 16 == 6 ? 40 : 20) + 8;
  if (bth >= frame.size()) return false;
  transport = bth + (frame[bth] == 0x65 ? 24 : 20);
  return transport + wire::kTransportHeaderBytes <= frame.size();
}

}  // namespace

std::vector<Frame> frames_for(const node::EndpointIdentity& identity) {
  std::vector<Frame> frames;
  for (const bool multicast : {true, false}) {
    for (const Frame& payload : payloads(identity.path_mtu)) {
      wire::FrameFields fields = fields_for(identity, multicast);
      frames.push_back(frame_of(fields, payload));
      fields.has_vlan = true;
      frames.push_back(frame_of(fields, payload));
      fields.has_immediate = true;
      frames.push_back(frame_of(fields, payload));
    }
    wire::FrameFields own = fields_for(identity, multicast);
    own.source_gid = identity.gid;
    frames.push_back(frame_of(own, message_of(20, 1)));
    frames.push_back(frame_of(fields_for(identity, multicast),
                              message_of(identity.path_mtu - wire::kTransportHeaderBytes + 4, 1)));
    wire::FrameFields limited = fields_for(identity, multicast);
    limited.pkey = 0x7fff;  // one full member of the two is enough
    frames.push_back(frame_of(limited, message_of(20, 1)));
  }
  for (const wire::Qos qos : {wire::Qos::kReliable, wire::Qos::kSourceOrdered}) {
    for (Frame payload : {message_of(20, 1), message_of(64, 2), shared_packet(3)}) {
      payload[2] = static_cast<uint8_t>(qos);
      for (int often = 0; often < 4; ++often) {
        frames.push_back(frame_of(fields_for(identity, true), payload));
      }
    }
  }
  for (const Frame& payload : control_payloads(identity)) {
    for (int often = 0; often < 2; ++often) {
      frames.push_back(frame_of(control_fields(identity), payload));
    }
  }
  wire::FrameFields own = control_fields(identity);
  own.source_gid = identity.gid;
  frames.push_back(frame_of(own, heartbeat(identity, {})));
  return frames;
}

void set_sender(Frame& frame, uint32_t qpn) {
  size_t bth = 0;
  size_t transport = 0;
  if (!find_headers(frame, bth, transport)) return;
  if (is_control(frame, bth)) {
    base::store_be32(&frame[transport + 8], qpn);
  } else {
    base::store_be24(&frame[bth + 17], qpn);
  }
}

void set_number(Frame& frame, uint32_t incarnation, uint64_t frame_seq) {
  size_t bth = 0;
  size_t transport = 0;
  if (!find_headers(frame, bth, transport)) return;
  base::store_be24(&frame[bth + 9], static_cast<uint32_t>(frame_seq & 0xffffff));
  base::store_be32(&frame[transport + 4], incarnation);
  if (is_control(frame, bth)) return;
  base::store_be64(&frame[transport + 8], frame_seq);
  base::store_be64(&frame[transport + 16], frame_seq / 8);  // rel_seq
  if (!wire::is_fragment(static_cast<wire::Kind>(frame[transport + 1]))) return;
  if (transport + wire::kFragmentHeaderBytes > frame.size()) return;
  base::store_be32(&frame[transport + 48], static_cast<uint32_t>(frame_seq >> 6));
}

}  // namespace lambdacast::fuzz
