// SPDX-License-Identifier: BSD-3-Clause
// Frames of one sender in front of a classifier that knows nobody yet.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "node/frame_classifier.h"
#include "test_identity.h"
#include "wire/roce/frame.h"

namespace lambdacast::node {

class FrameClassifierTest : public ::testing::TestWithParam<bool> {
 protected:
  counters::DropReason receive(const std::vector<uint8_t>& frame) {
    return core_.receive(frame.data(), frame.size(), 5000, info_);
  }

  // A frame of `sender_` with its fields and transport header as the test wants them.
  std::vector<uint8_t> build(const std::function<void(wire::FrameFields&)>& change_fields,
                             const std::function<void(wire::TransportHeader&)>& change_header,
                             size_t application_bytes = 20) {
    wire::FrameFields fields;
    fields.source_gid = sender_.gid;
    fields.destination_gid = identity_.multicast_gid;
    fields.destination_qpn = wire::kMulticastQpn;
    fields.source_qpn = sender_.data_qpn;
    fields.qkey = identity_.qkey;
    change_fields(fields);
    wire::TransportHeader header;
    header.message_bytes = static_cast<uint32_t>(application_bytes);
    change_header(header);
    std::vector<uint8_t> payload(wire::transport_header_bytes(header.kind) + application_bytes);
    wire::store_transport(header, payload.data());
    std::vector<uint8_t> frame(wire::kMaxFrameBytes);
    frame.resize(wire::build_frame(fields, payload, frame.data(), frame.size()));
    return frame;
  }
  std::vector<uint8_t> with_fields(const std::function<void(wire::FrameFields&)>& change) {
    return build(change, [](auto&) {});
  }
  std::vector<uint8_t> with_header(const std::function<void(wire::TransportHeader&)>& change) {
    return build([](auto&) {}, change);
  }

  EndpointIdentity identity_ = test_identity(1, GetParam());
  EndpointIdentity sender_ = test_identity(2, GetParam());
  FrameClassifier core_{FrameClassifierConfig{identity_, 2}};
  PacketInfo info_{};
};

}  // namespace lambdacast::node
