#include "wire/icrc.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.h"
#include "wire/bth.h"
#include "wire/ip.h"
#include "wire/udp.h"

namespace lambdacast::wire {
namespace {

constexpr uint32_t kPolynomial = 0xedb88320;  // reflected

constexpr uint32_t crc_of_ones(size_t bytes) {
  uint32_t crc = ~uint32_t{0};
  for (size_t bit = 0; bit < 8 * bytes; ++bit) {
    crc ^= 1;
    crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
  }
  return ~crc;
}

// The 8 bytes that stand for the LRH are the same in every frame, so their CRC is the seed.
constexpr uint32_t kSeed = crc_of_ones(8);

constexpr uint8_t kOnes = 0xff;

// IP, UDP and BTH are copied to be masked; the CRC of the rest runs over the frame where it lies.
template <size_t kIpBytes>
uint32_t masked_icrc(const uint8_t* l3, size_t bytes) {
  constexpr size_t kMaskedBytes = kIpBytes + kUdpBytes + kBthBytes;
  std::array<uint8_t, kMaskedBytes> masked;
  std::memcpy(masked.data(), l3, kMaskedBytes);
  if constexpr (kIpBytes == kIpv4Bytes) {
    masked[1] = kOnes;  // TOS
    masked[8] = kOnes;  // TTL
    base::store_raw<uint16_t>(&masked[10], 0xffff);
  } else {
    masked[0] |= 0x0f;  // the version stays
    masked[1] = masked[2] = masked[3] = kOnes;
    masked[7] = kOnes;  // hop limit
  }
  base::store_raw<uint16_t>(&masked[kIpBytes + 6], 0xffff);  // UDP checksum
  masked[kIpBytes + kUdpBytes + 4] = kOnes;                  // FECN, BECN and reserved bits
  const uint32_t crc = crc32(kSeed, masked.data(), kMaskedBytes);
  return crc32(crc, l3 + kMaskedBytes, bytes - kMaskedBytes);
}

}  // namespace

uint32_t crc32(uint32_t seed, const uint8_t* data, size_t bytes) {
  return crc32_gzip_refl(seed, data, bytes);
}

uint32_t icrc(const uint8_t* frame, size_t l3_offset, size_t icrc_offset) {
  const uint8_t* l3 = frame + l3_offset;
  const size_t bytes = icrc_offset - l3_offset;
  return l3[0] >> 4 == 4 ? masked_icrc<kIpv4Bytes>(l3, bytes) : masked_icrc<kIpv6Bytes>(l3, bytes);
}

uint32_t load_icrc(const uint8_t* p) {
  return uint32_t{p[0]} | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
}

void store_icrc(uint8_t* p, uint32_t value) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace lambdacast::wire
