// SPDX-License-Identifier: BSD-3-Clause
// Frames of the control queue pair: to the control GID, numbered by a PSN of their own, stamped
// when they go out. Not thread-safe: the lcore of the rate_control stage owns it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node/identity.h"
#include "wire/control/control.h"
#include "wire/roce/build.h"

namespace lambdacast::node {

class ControlTransmit {
 public:
  ControlTransmit(const EndpointIdentity& identity, wire::IcrcMode icrc);

  // Where the payload stands in the frame, and how long it may be.
  [[nodiscard]] size_t payload_offset() const { return template_.header_bytes(); }
  [[nodiscard]] size_t room_bytes() const { return path_mtu_; }

  // Makes the frame around a payload of wire/control/control.h; returns its bytes without FCS.
  [[nodiscard]] size_t finish(uint8_t* frame, size_t payload_bytes, uint64_t now_ns) {
    wire::store_control_timestamp(frame + payload_offset(), now_ns);
    const auto psn = static_cast<uint32_t>(sent_ & 0xffffff);
    return template_.finish(frame, payload_bytes, psn, static_cast<uint16_t>(sent_++));
  }
  [[nodiscard]] uint64_t sent() const { return sent_; }

 private:
  wire::FrameTemplate template_;
  size_t path_mtu_;
  uint64_t sent_ = 0;
};

}  // namespace lambdacast::node
