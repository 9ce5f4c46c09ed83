// SPDX-License-Identifier: BSD-3-Clause
// Between frames and work requests. A verbs device makes and checks all of a frame but its message:
// what comes in becomes a frame again around the message, by what the device tells of it; of what
// goes out only the message is handed to the device, with what its headers say. Pure.
//
// Not known of a received message, and 0 in its frame: PSN, ICRC, the bits of BTH and the UDP
// source port's entropy (which is that of the sender's queue pair).
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/roce/bth.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/gid.h"
#include "wire/roce/icrc.h"
#include "wire/roce/ip.h"
#include "wire/roce/udp.h"

namespace lambdacast::net_verbs {

// The bytes that a device writes in front of a message: an IPv6 header, or an IPv4 header in the
// last 20 of them (IBTA annex A17.4.5.1).
inline constexpr size_t kGrhBytes = 40;
// The most bytes in front of the message in a frame, and behind it.
inline constexpr size_t kMaxFrontBytes = wire::kEthernetBytes + wire::kIpv6Bytes + wire::kUdpBytes +
                                         wire::kBthBytes + wire::kDethBytes + wire::kImmediateBytes;
inline constexpr size_t kMaxTailBytes = 3 + wire::kIcrcBytes;

// The queue pair that a message came to.
struct Station {
  wire::MacAddress mac;
  uint32_t qpn = 0;
  uint32_t qkey = 0;
  uint16_t pkey = 0;
};

// A message as its completion describes it.
struct Message {
  uint32_t bytes = 0;  // without the GRH
  uint32_t source_qpn = 0;
  bool has_immediate = false;
  uint32_t immediate = 0;  // host order
};

struct Framed {
  uint32_t front_bytes = 0;  // the frame begins so far in front of the message; 0: no frame
  uint32_t bytes = 0;        // of all of it, without FCS
};

// Does the GRH name `gid` as the source?
[[nodiscard]] bool comes_from(const uint8_t* grh, const wire::Gid& gid);

// Makes a frame around the message at `message`, whose GRH stands in the kGrhBytes in front of it.
// Writes up to kMaxFrontBytes in front and kMaxTailBytes behind it. No frame: the GRH is neither an
// IPv4 nor an IPv6 header; nothing is written then.
[[nodiscard]] Framed make_frame(const Station& station, const Message& message, uint8_t* data);

}  // namespace lambdacast::net_verbs
