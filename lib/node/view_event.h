// SPDX-License-Identifier: BSD-3-Clause
// Views as an application sees them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "node/packet_info.h"
#include "node/peer_table.h"
#include "wire/control/view_control.h"

namespace lambdacast::node {

// What an application hears of views.
struct ViewEvent {
  enum class What : uint8_t {
    kView,      // a new one begins
    kExcluded,  // this endpoint is out of it: it may come back as another incarnation
    kLeft       // this endpoint is out of it as it wished
  };
  What what = What::kView;
  wire::ViewId id;
  // With kView: the members by rank, valid during the call. The first `stayed` of them were in the
  // view before, whether this endpoint was or not, and the others are new. At 0 it is the first
  // view ever.
  std::span<const wire::StreamName> members;
  size_t stayed = 0;
};

// Will more come of totally ordered messages that this incarnation of the peer (kNoPeer: this
// endpoint) has begun?
[[nodiscard]] inline bool goes_on(const ViewEvent& event, const PeerTable& peers, uint16_t peer,
                                  uint32_t incarnation) {
  if (peer == kNoPeer) return event.what == ViewEvent::What::kView;
  const PeerName of = peers.name_of(peer);
  const wire::StreamName name{of.gid, of.qpn, incarnation};
  return std::find(event.members.begin(), event.members.end(), name) != event.members.end();
}

}  // namespace lambdacast::node
