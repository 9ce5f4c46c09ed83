// SPDX-License-Identifier: BSD-3-Clause
// The host of one part of total order, for its test: it writes down what it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ordering/held_packets.h"
#include "ordering/order_host.h"

namespace lambdacast::ordering {

struct StubHost final : OrderHost {
  bool deliver(PacketHandle packet, const Ordered& what) override {
    if (refuses && !what.last_call) return false;
    delivered.push_back(packet);
    last = what;
    return true;
  }
  void release(PacketHandle packet) override { released.push_back(packet); }
  std::span<const uint8_t> payload(PacketHandle packet) override { return payloads[packet]; }
  uint64_t taken_through(size_t stream) override { return taken[stream]; }
  void view_begins() override { ++views; }
  void rates(size_t, PacketHandle packet) override { rates_of.push_back(packet); }
  void rates_marked(uint64_t position) override { rates_marked_at.push_back(position); }
  void view_ended() override { ++views_ended; }

  bool refuses = false;
  std::vector<PacketHandle> delivered;
  Ordered last;  // of those delivered
  std::vector<PacketHandle> released;
  std::map<PacketHandle, std::vector<uint8_t>> payloads;
  std::map<size_t, uint64_t> taken;
  size_t views = 0;
  std::vector<PacketHandle> rates_of;
  std::vector<uint64_t> rates_marked_at;
  size_t views_ended = 0;
};

// An entry of HeldPackets: packet number `rel_seq` of that stream.
inline Held entry(size_t stream, uint64_t rel_seq, uint32_t domain, Held::State state,
                  wire::Qos qos = wire::Qos::kTotallyOrdered) {
  Held held{};
  held.packet = PacketHandle{stream * 1000 + rel_seq};
  held.rel_seq = rel_seq;
  held.stream = static_cast<uint32_t>(stream);
  held.domain = domain;
  held.messages = 1;
  held.state = state;
  held.qos = qos;
  return held;
}
using Packets = std::vector<PacketHandle>;
inline PacketHandle packet(size_t stream, uint64_t rel_seq) {
  return PacketHandle{stream * 1000 + rel_seq};
}

}  // namespace lambdacast::ordering
