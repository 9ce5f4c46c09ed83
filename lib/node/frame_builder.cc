// SPDX-License-Identifier: BSD-3-Clause
#include "node/frame_builder.h"

namespace lambdacast::node {

namespace {

wire::FrameFields data_fields(const FrameBuilderConfig& config) {
  const EndpointIdentity& identity = config.identity;
  wire::FrameFields fields = multicast_fields(identity, identity.multicast_gid, identity.data_qpn);
  fields.traffic_class = config.traffic_class;
  return fields;
}

wire::TransportHeader fixed_transport(const FrameBuilderConfig& config) {
  wire::TransportHeader header;
  header.incarnation = config.identity.incarnation;
  return header;
}

}  // namespace

FrameBuilder::FrameBuilder(const FrameBuilderConfig& config)
    : sequencer_(config.first_frame_seq, config.first_rel_seq),
      header_bytes_(0),
      path_mtu_(config.identity.path_mtu),
      transport_(fixed_transport(config)),
      frame_template_(data_fields(config), config.icrc) {
  header_bytes_ = frame_template_.header_bytes();
}

size_t FrameBuilder::prepare(uint8_t* frame, size_t application_bytes, uint32_t group,
                             wire::Qos qos, uint64_t now_ns) {
  if (application_bytes > room_bytes()) return kRefused;
  PacketInfo info{};
  info.kind = wire::Kind::kData;
  info.qos = qos;
  info.group = group;
  info.payload_bytes = static_cast<uint16_t>(application_bytes);
  info.message_bytes = info.payload_bytes;
  const size_t frame_bytes = lay(frame, info, now_ns);
  seal(frame, frame_bytes);
  return frame_bytes;
}

}  // namespace lambdacast::node
