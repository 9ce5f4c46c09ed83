// A view event in its place among packets: an mbuf without a frame, which has the members in the
// frame's room. What the application is told of a view is thereby that view, however late it asks.
#pragma once

#include <algorithm>
#include <type_traits>

#include "dpdk/packet.h"
#include "endpoint/view_synchrony.h"

namespace lambdacast::dataplane {

static_assert(std::is_trivially_copyable_v<wire::StreamName>);
static_assert(wire::kMaxMembers * sizeof(wire::StreamName) <= kDataRoomBytes - RTE_PKTMBUF_HEADROOM,
              "the members of the largest view fit a packet");

// Writes the event into a fresh packet.
inline void store_view_event(const endpoint::ViewEvent& event, rte_mbuf* m) {
  endpoint::PacketInfo& info = info_of(m);
  info = endpoint::PacketInfo{};
  info.kind = wire::Kind::kView;
  info.flags = static_cast<uint8_t>(event.what);
  info.epoch = event.id.epoch;
  info.index = event.id.round;
  info.incarnation = event.id.coordinator;
  info.message_bytes = static_cast<uint32_t>(event.members.size());
  info.fragment_offset = static_cast<uint32_t>(event.stayed);
  std::copy(event.members.begin(), event.members.end(),
            reinterpret_cast<wire::StreamName*>(frame_of(m)));
}

// Of a packet that it was written into; its members live as long as the packet.
[[nodiscard]] inline endpoint::ViewEvent load_view_event(rte_mbuf* m) {
  const endpoint::PacketInfo& info = info_of(m);
  return {static_cast<endpoint::ViewEvent::What>(info.flags),
          {info.epoch, info.index, info.incarnation},
          {reinterpret_cast<const wire::StreamName*>(frame_of(m)), info.message_bytes},
          info.fragment_offset};
}

}  // namespace lambdacast::dataplane
