// SPDX-License-Identifier: BSD-3-Clause
// What every queue pair of an endpoint asks of a parsed datagram whose ICRC is right: is it for
// this queue pair, in its VLAN, and does it have its keys? The endpoint's own queue pairs ask it
// (frame_classifier.h), and plain ones (tests/datagram).
#pragma once

#include <cstdint>
#include <optional>

#include "counters/drop_reason.h"
#include "wire/roce/addressee.h"

namespace lambdacast::node {

using wire::Destination;

class Addressee {
 public:
  Addressee(uint32_t qpn, uint32_t qkey, uint16_t pkey, std::optional<uint16_t> vlan_tci)
      : qpn_(qpn), qkey_(qkey), pkey_(pkey), vlan_id_(vlan_tci.value_or(0) & kVlanIdMask) {}

  // kNone, or the first reason in this order: VLAN, opcode, GID with queue pair, P_Key, Q_Key.
  [[nodiscard]] counters::DropReason check(const wire::FrameView& view, Destination to) const {
    using counters::DropReason;
    if ((view.vlan_tci & kVlanIdMask) != vlan_id_) return DropReason::kWrongVlan;
    if (const DropReason reason = wire::check_address(view, to); reason != DropReason::kNone) {
      return reason;
    }
    if (to == Destination::kOwnGid && view.destination_qpn != qpn_) return DropReason::kUnknownQpn;
    return wire::check_keys(view, pkey_, qkey_);
  }

 private:
  static constexpr uint16_t kVlanIdMask = 0x0fff;  // IEEE 802.1Q, 9.6

  uint32_t qpn_;
  uint32_t qkey_;
  uint16_t pkey_;
  uint16_t vlan_id_;  // 0: untagged, or tagged with a priority only
};

}  // namespace lambdacast::node
