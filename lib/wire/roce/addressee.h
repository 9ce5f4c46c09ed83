// SPDX-License-Identifier: BSD-3-Clause
// Finds the addressee of a datagram whose ICRC is right, in the order in which a queue pair asks
// (IBTA vol. 1, 9.6, 10.5 and 10.9; multicast: 9.4.1). Endpoints and the verbs front end both use
// it.
#pragma once

#include <cstdint>

#include "counters/drop_reason.h"
#include "wire/roce/bth.h"
#include "wire/roce/frame.h"

namespace lambdacast::wire {

// The frame's destination GID, as the receiver sees it.
enum class Destination : uint8_t { kOwnGid, kGroup, kOther };

// The IBTA's rule for two partition keys (vol. 1, 10.9.3): the low 15 bits are equal and not zero,
// and at least one of the two is a full member. Two limited members may not speak to each other.
[[nodiscard]] constexpr bool pkeys_match(uint16_t a, uint16_t b) {
  return ((a ^ b) & 0x7fff) == 0 && (a & 0x7fff) != 0 && ((a | b) & 0x8000) != 0;
}

// kNone, or the first reason in this order: opcode, GID, GID with queue pair. What is for a group
// has the multicast number, and nothing else has.
[[nodiscard]] inline counters::DropReason check_address(const FrameView& view, Destination to) {
  using counters::DropReason;
  if (!view.is_ud) return DropReason::kOpcodeNotUd;
  if (to == Destination::kOther) return DropReason::kWrongDestinationGid;
  const bool multicast_qpn = view.destination_qpn == kMulticastQpn;
  return multicast_qpn == (to == Destination::kGroup) ? DropReason::kNone
                                                      : DropReason::kMulticastQpn;
}

// Checks the keys behind that, for a queue pair with these: kNone, or the first one of P_Key and
// Q_Key that is wrong.
[[nodiscard]] inline counters::DropReason check_keys(const FrameView& view, uint16_t pkey,
                                                     uint32_t qkey) {
  using counters::DropReason;
  if (!pkeys_match(view.pkey, pkey)) return DropReason::kPkeyMismatch;
  return view.qkey == qkey ? DropReason::kNone : DropReason::kQkeyMismatch;
}

}  // namespace lambdacast::wire
