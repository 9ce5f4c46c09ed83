// The invariant CRC of RoCEv2 (IBTA annex A17; vol. 1, 7.8.1): CRC-32 with Ethernet's
// polynomial over 8 bytes of ones (in the place of InfiniBand's LRH) and the packet from the IP
// header to the pad, in which every field that a router may change counts as ones: IPv4 TOS, TTL
// and header checksum; IPv6 traffic class, flow label and hop limit; UDP checksum; BTH byte 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/bth.h"
#include "wire/ip.h"
#include "wire/udp.h"

namespace lambdacast::wire {

inline constexpr size_t kIcrcBytes = 4;

// Who sees to the ICRC. The four bytes are in the frame in any case.
enum class IcrcMode : uint8_t {
  kFull,      // made and verified
  kGenerate,  // made, not verified: the port verified it, or nothing on the way damages frames
  kOff,       // sent as zero and not looked at: whoever verifies takes no frame of ours
};

[[nodiscard]] constexpr bool makes_icrc(IcrcMode mode) { return mode != IcrcMode::kOff; }
[[nodiscard]] constexpr bool verifies_icrc(IcrcMode mode) { return mode == IcrcMode::kFull; }

// CRC-32 (ISO-HDLC: reflected, polynomial 0xEDB88320, as zlib's crc32). Start with seed 0; the
// result of one part is the seed of the next. The only caller of the CRC library.
[[nodiscard]] uint32_t crc32(uint32_t seed, const uint8_t* data, size_t bytes);

// The ICRC of the frame whose IP header (IPv4 without options, or IPv6 without extension headers)
// begins at `l3_offset` and whose ICRC's place is `icrc_offset`. Bytes l3_offset ... icrc_offset
// are read and must include IP, UDP and BTH. The version comes from the IP header.
[[nodiscard]] uint32_t icrc(const uint8_t* frame, size_t l3_offset, size_t icrc_offset);

// The first bytes from the IP header on, as many as hold all masked fields, rounded up to what the
// CRC reads at once. A copy of them is masked by OR with the array below; the rest of the frame is
// read where it lies. (Writing ones byte by byte into a copy costs three times as much: the CRC's
// 16-byte loads then wait for the small stores before them.)
inline constexpr size_t kIpv4HeadBytes = 48;  // IP, UDP, BTH and 8 bytes more: of UD, the DETH
inline constexpr size_t kIpv6HeadBytes = 64;  // IP, UDP, BTH and 4 bytes more

template <size_t kHeadBytes>
using HeadMask = std::array<uint8_t, kHeadBytes>;

namespace icrc_detail {

template <size_t kHeadBytes>
constexpr void mask_udp_and_bth(HeadMask<kHeadBytes>& mask, size_t udp_offset) {
  mask[udp_offset + 6] = mask[udp_offset + 7] = 0xff;  // checksum
  mask[udp_offset + kUdpBytes + 4] = 0xff;             // FECN, BECN and reserved bits
}

constexpr HeadMask<kIpv4HeadBytes> ipv4_mask() {
  HeadMask<kIpv4HeadBytes> mask{};
  mask[1] = 0xff;              // TOS
  mask[8] = 0xff;              // TTL
  mask[10] = mask[11] = 0xff;  // header checksum
  mask_udp_and_bth(mask, kIpv4Bytes);
  return mask;
}

constexpr HeadMask<kIpv6HeadBytes> ipv6_mask() {
  HeadMask<kIpv6HeadBytes> mask{};
  mask[0] = 0x0f;  // traffic class, but not the version
  mask[1] = mask[2] = mask[3] = 0xff;
  mask[7] = 0xff;  // hop limit
  mask_udp_and_bth(mask, kIpv6Bytes);
  return mask;
}

}  // namespace icrc_detail

alignas(16) inline constexpr HeadMask<kIpv4HeadBytes> kIpv4Mask = icrc_detail::ipv4_mask();
alignas(16) inline constexpr HeadMask<kIpv6HeadBytes> kIpv6Mask = icrc_detail::ipv6_mask();

// The ICRC of a head already masked and the rest of the packet, up to the ICRC's place. icrc() is
// made of it; so is FrameTemplate::finish, which has the head in registers.
[[nodiscard]] uint32_t icrc_of_parts(const uint8_t* masked_head, size_t head_bytes,
                                     const uint8_t* rest, size_t rest_bytes);

// The ICRC travels least significant byte first, unlike all else in the frame.
[[nodiscard]] inline uint32_t load_icrc(const uint8_t* p) {
  return __builtin_bswap32(base::load_be32(p));
}
inline void store_icrc(uint8_t* p, uint32_t value) {
  base::store_be32(p, __builtin_bswap32(value));
}

}  // namespace lambdacast::wire
