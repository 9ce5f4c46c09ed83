// SPDX-License-Identifier: BSD-3-Clause
// The host of total order: TotalOrder (total_order.h) and its parts ask it, and hand packets to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/packet_handle.h"
#include "wire/control/transport.h"

namespace lambdacast::ordering {

using base::PacketHandle;

// A packet as it is delivered.
struct Ordered {
  size_t stream = 0;
  uint64_t rel_seq = 0;
  uint64_t epoch = 0;  // of the view it is delivered in
  uint64_t index = 0;  // of its first message, in its domain and view
  uint32_t domain = 0;
  wire::Qos qos = wire::Qos::kTotallyOrdered;
  uint8_t sequencer = 0;   // rank of who marked it
  uint64_t mark = 0;       // the mark's rel_seq; 0: its view ended before there was one
  bool last_call = false;  // nobody keeps it any longer: it has to be taken now
};

class OrderHost {
 public:
  virtual ~OrderHost() = default;
  // Delivers to the application. The packet stays with the core until release(). False: the
  // application does not take it now, which the last call excludes.
  virtual bool deliver(PacketHandle packet, const Ordered& what) = 0;
  virtual void release(PacketHandle packet) = 0;
  virtual std::span<const uint8_t> payload(PacketHandle packet) = 0;
  // The position through which everything of the stream has been accepted.
  virtual uint64_t taken_through(size_t stream) = 0;
  // Everything of the view before has been delivered.
  virtual void view_begins() = 0;

  // --- the domain of rates, whose content is for the host itself and at once: neither its level
  // --- nor an application that takes nothing holds it back
  // The next message of it, of that stream. Its packet stays with the core until release().
  virtual void rates(size_t stream, PacketHandle packet) = 0;
  // Those since the last call were marked by the packet of marks at that position.
  virtual void rates_marked(uint64_t position) = 0;
  // All that the view before has of it has been told, and nothing yet of the next view.
  virtual void view_ended() = 0;
};

}  // namespace lambdacast::ordering
