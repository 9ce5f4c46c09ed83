// SPDX-License-Identifier: BSD-3-Clause
// The rules about packets of marks and passes, by which a sequencer or the token site says what
// comes next in its domains.
// ordering::TotalOrder fills and applies them, and wire/control/view_control.h has their format;
// everything else that concerns them asks here.
//
// Kind: a recoverable source ordered packet of its maker's own stream, to an order group. It is no
// content: no application gets it, and neither the accounts of content nor Stability count it.
//
// Pace: due when their engine says so (ordering/engine.h) and total order can keep the packet.
//
// Window: all of it is theirs. Data leaves kReserve packets free, in the sender's window and in
// what total order can keep: data that waits for marks must not keep them waiting.
//
// Not thread-safe: the lcore of rate_control owns it, which with membership is ordering's too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node/packet_info.h"
#include "ordering/total_order.h"
#include "wire/control/view_control.h"

namespace lambdacast::node {

class Marks {
 public:
  static constexpr uint64_t kReserve = 8;  // packets

  // `self`: the stream index of this endpoint.
  Marks(ordering::TotalOrder& order, size_t self) : order_(order), self_(self) {}

  [[nodiscard]] static bool is(const PacketInfo& info) { return wire::is_order_group(info.group); }

  // When marks may be written; ~0: there are none, or no room for them.
  [[nodiscard]] uint64_t due_ns() const {
    return order_.room(self_) != 0 ? order_.marks_due_ns() : ~uint64_t{0};
  }
  // Writes them at `payload`, in no more than `room` bytes, and describes the packet, which has to
  // be sent now.
  void write(PacketInfo& info, uint8_t* payload, size_t room, uint64_t now_ns) {
    info = PacketInfo{};
    info.kind = wire::Kind::kData;
    info.qos = wire::Qos::kSourceOrdered;
    const auto written = order_.write_marks(payload, room, now_ns);
    info.group = written.group;
    info.payload_bytes = static_cast<uint16_t>(written.bytes);
    info.message_bytes = info.payload_bytes;
  }

  // Packets that data may take of a window of so many.
  [[nodiscard]] static uint64_t leave_to_data(uint64_t window) {
    return window > kReserve ? window - kReserve : 0;
  }
  // Packets of ordered content that total order may be given before marks need the rest.
  [[nodiscard]] uint32_t room_for_content() const {
    return static_cast<uint32_t>(leave_to_data(order_.room(self_)));
  }

 private:
  ordering::TotalOrder& order_;
  const size_t self_;
};

}  // namespace lambdacast::node
