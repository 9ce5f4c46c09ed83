// The invariant CRC of RoCEv2 (IBTA annex A17.3.3, vol. 1 section 7.8.1): CRC-32 with Ethernet's
// polynomial over 8 bytes of ones (in the place of InfiniBand's LRH) and the packet from the IP
// header to the pad, in which every field that a router may change counts as ones: IPv4 TOS, TTL
// and header checksum; IPv6 traffic class, flow label and hop limit; UDP checksum; BTH byte 4.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lambdacast::wire {

inline constexpr size_t kIcrcBytes = 4;

// CRC-32 (ISO-HDLC: reflected, polynomial 0xEDB88320, as zlib's crc32). Start with seed 0; the
// result of one part is the seed of the next. The only caller of the CRC library.
[[nodiscard]] uint32_t crc32(uint32_t seed, const uint8_t* data, size_t bytes);

// The ICRC of the frame whose IP header (IPv4 without options, or IPv6 without extension headers)
// begins at `l3_offset` and whose ICRC's place is `icrc_offset`. Bytes l3_offset ... icrc_offset
// are read and must include IP, UDP and BTH. The version comes from the IP header.
[[nodiscard]] uint32_t icrc(const uint8_t* frame, size_t l3_offset, size_t icrc_offset);

// The ICRC travels least significant byte first, unlike all else in the frame.
[[nodiscard]] uint32_t load_icrc(const uint8_t* p);
void store_icrc(uint8_t* p, uint32_t value);

}  // namespace lambdacast::wire
