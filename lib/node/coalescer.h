// SPDX-License-Identifier: BSD-3-Clause
// Small messages that share a packet: those of one layer, group and QoS, in the order in which they
// were published (wire/control/messages.h). A packet is closed when the next message does not fit,
// when the link is idle - waiting then buys nothing - or when its first message has waited for the
// deadline.
//
// Not thread-safe: the publisher's thread owns it. The packet's memory is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/bytes.h"
#include "node/packet_info.h"
#include "wire/control/messages.h"

namespace lambdacast::node {

class Coalescer {
 public:
  // `room_bytes` is the room of a packet's payload. A `deadline_ns` of 0 keeps no packet open
  // beyond a flush.
  Coalescer(size_t room_bytes, uint64_t deadline_ns)
      : room_bytes_(room_bytes), deadline_ns_(deadline_ns) {}

  // Is the message short enough to share a packet at all?
  [[nodiscard]] bool suits(size_t message_bytes) const {
    return message_bytes + wire::kMessageLengthBytes <= room_bytes_;
  }
  // The level of service of the open packet.
  [[nodiscard]] wire::Qos qos() const { return qos_; }
  [[nodiscard]] bool empty() const { return messages_ == 0; }
  // May the message go into the open packet?
  // `kind`: kData, or kRequest for a message of the request layer.
  [[nodiscard]] bool takes(size_t message_bytes, uint32_t group, wire::Qos qos,
                           wire::Kind kind) const {
    return !empty() && group == group_ && qos == qos_ && kind == kind_ &&
           used_bytes_ + wire::kMessageLengthBytes + message_bytes <= room_bytes_;
  }

  // Begins a packet whose payload is at `payload`; the last one has been closed.
  void open(uint8_t* payload, uint32_t group, wire::Qos qos, wire::Kind kind, uint64_t now_ns) {
    payload_ = payload;
    group_ = group;
    qos_ = qos;
    kind_ = kind;
    opened_ns_ = now_ns;
  }
  // Appends the message to the open packet, which takes() it or is new, and which it suits().
  void append(std::span<const uint8_t> message) {
    uint8_t* to = payload_ + used_bytes_;
    base::store_be16(to, static_cast<uint16_t>(message.size()));
    if (!message.empty()) {
      std::memcpy(to + wire::kMessageLengthBytes, message.data(), message.size());
    }
    used_bytes_ += wire::kMessageLengthBytes + message.size();
    ++messages_;
  }

  [[nodiscard]] bool due(uint64_t now_ns, bool link_idle) const {
    return !empty() && (link_idle || now_ns >= opened_ns_ + deadline_ns_);
  }

  // When an open packet is due at the latest.
  [[nodiscard]] uint64_t deadline_ns() const { return opened_ns_ + deadline_ns_; }

  // Says in `info` what the open packet is, and forgets it.
  void close(PacketInfo& info) {
    info.kind = kind_ == wire::Kind::kData ? wire::Kind::kMessages : wire::Kind::kRequestMessages;
    info.qos = qos_;
    info.group = group_;
    info.payload_bytes = static_cast<uint16_t>(used_bytes_);
    info.message_bytes = static_cast<uint32_t>(used_bytes_);
    info.messages = messages_;
    used_bytes_ = 0;
    messages_ = 0;
  }

 private:
  size_t room_bytes_;
  uint64_t deadline_ns_;
  uint8_t* payload_ = nullptr;
  size_t used_bytes_ = 0;
  uint64_t opened_ns_ = 0;
  uint32_t messages_ = 0;
  uint32_t group_ = 0;
  wire::Qos qos_ = wire::Qos::kUnreliable;
  wire::Kind kind_ = wire::Kind::kData;  // of each message
};

}  // namespace lambdacast::node
