// SPDX-License-Identifier: BSD-3-Clause
// A view event in its place among packets: one without a frame, which has the members in the
// frame's room. So the application is told of that view, however late it asks.
#pragma once

#include <algorithm>
#include <type_traits>

#include "node/env.h"
#include "node/view_event.h"
#include "wire/control/view_control.h"
#include "wire/roce/build.h"

namespace lambdacast::node {

static_assert(std::is_trivially_copyable_v<wire::StreamName>);
static_assert(wire::kMaxMembers * sizeof(wire::StreamName) <= wire::kMaxFrameBytes,
              "the members of the largest view fit a packet");

// Writes the event into a fresh packet.
template <typename Env>
void store_view_event(const ViewEvent& event, typename Env::Packet packet) {
  PacketInfo& info = Env::info(packet);
  info = PacketInfo{};
  info.kind = wire::Kind::kView;
  info.view = {event.id.epoch,
               event.id.round,
               event.id.coordinator,
               static_cast<uint16_t>(event.members.size()),
               static_cast<uint16_t>(event.stayed),
               static_cast<uint8_t>(event.what)};
  std::copy(event.members.begin(), event.members.end(),
            reinterpret_cast<wire::StreamName*>(Env::frame(packet)));
}

// The event of a packet that it was written into; its members live as long as the packet.
template <typename Env>
[[nodiscard]] ViewEvent load_view_event(typename Env::Packet packet) {
  const ViewPart& view = Env::info(packet).view;
  return {static_cast<ViewEvent::What>(view.what),
          {view.epoch, view.round, view.coordinator},
          {reinterpret_cast<const wire::StreamName*>(Env::frame(packet)), view.members},
          view.stayed};
}

}  // namespace lambdacast::node
