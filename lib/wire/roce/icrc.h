// SPDX-License-Identifier: BSD-3-Clause
// The invariant CRC of RoCEv2 (IBTA annex A17; vol. 1, 7.8.1): CRC-32 with Ethernet's
// polynomial over 8 bytes of ones (in the place of InfiniBand's LRH) and the packet from the IP
// header to the pad, in which every field that a router may change counts as ones: IPv4 TOS, TTL
// and header checksum; IPv6 traffic class, flow label and hop limit; UDP checksum; BTH byte 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace lambdacast::wire {

inline constexpr size_t kIcrcBytes = 4;

// How an endpoint treats the ICRC. The four bytes are in the frame in any case.
enum class IcrcMode : uint8_t {
  kFull,      // made and verified
  kGenerate,  // made, not verified: the port verified it, or nothing on the way damages frames
  kOff,       // sent as zero and not looked at: whoever verifies takes no frame of ours
};

[[nodiscard]] constexpr bool makes_icrc(IcrcMode mode) { return mode != IcrcMode::kOff; }
[[nodiscard]] constexpr bool verifies_icrc(IcrcMode mode) { return mode == IcrcMode::kFull; }

// A way to compute it. All give the same value; which is the fastest depends on the processor and
// the length of the packet.
struct IcrcMethod {
  const char* name;
  size_t max_bytes;  // the longest packet it takes
  // `l3` is the packet's IP header (IPv4 without options, or IPv6 without extension headers), and
  // `bytes` are those before the ICRC's place: IP, UDP and BTH at least, a multiple of 4. The
  // Ethernet header before `l3` may be read too.
  uint32_t (*icrc)(const uint8_t* l3, size_t bytes);
};

// This library's, as far as the processor has what they need; the first runs everywhere.
[[nodiscard]] std::span<const IcrcMethod> icrc_methods();

// Packets of at most so many bytes before their ICRC are short ones.
inline constexpr size_t kShortIcrcBytes = 256;

// Chooses the methods that icrc() uses from now on, for short packets and for longer ones; it uses
// the first method until then. A program that has measured them calls it once, before any lcore
// runs. The values do not change.
void use_icrc_methods(const IcrcMethod& short_packets, const IcrcMethod& long_packets);

// The ICRC of the frame whose IP header (as above) begins at `l3_offset`, 14 at least, and whose
// ICRC's place is `icrc_offset`. Bytes 0 ... icrc_offset may be read.
[[nodiscard]] uint32_t icrc(const uint8_t* frame, size_t l3_offset, size_t icrc_offset);

// The ICRC travels least significant byte first, unlike all else in the frame.
[[nodiscard]] inline uint32_t load_icrc(const uint8_t* p) {
  return __builtin_bswap32(base::load_be32(p));
}
inline void store_icrc(uint8_t* p, uint32_t value) {
  base::store_be32(p, __builtin_bswap32(value));
}

// Is the ICRC in the frame that of the frame?
[[nodiscard]] inline bool icrc_ok(const uint8_t* frame, size_t l3_offset, size_t icrc_offset) {
  return icrc(frame, l3_offset, icrc_offset) == load_icrc(frame + icrc_offset);
}

}  // namespace lambdacast::wire
