#include "wire/icrc.h"

#include <isa-l/crc.h>

#include <array>

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

template <size_t kHeadBytes>
uint32_t masked_icrc(const uint8_t* l3, size_t bytes, const HeadMask<kHeadBytes>& mask) {
  alignas(16) std::array<uint8_t, kHeadBytes> head;
  if (bytes >= kHeadBytes) [[likely]] {
    for (size_t i = 0; i < kHeadBytes; ++i) head[i] = l3[i] | mask[i];
    return icrc_of_parts(head.data(), kHeadBytes, l3 + kHeadBytes, bytes - kHeadBytes);
  }
  // Only packets that are BTH and little more, such as acknowledgements, end inside the head.
  for (size_t i = 0; i < bytes; ++i) head[i] = l3[i] | mask[i];
  return icrc_of_parts(head.data(), bytes, l3, 0);
}

}  // namespace

uint32_t crc32(uint32_t seed, const uint8_t* data, size_t bytes) {
  return crc32_gzip_refl(seed, data, bytes);
}

uint32_t icrc_of_parts(const uint8_t* masked_head, size_t head_bytes, const uint8_t* rest,
                       size_t rest_bytes) {
  return crc32(crc32(kSeed, masked_head, head_bytes), rest, rest_bytes);
}

uint32_t icrc(const uint8_t* frame, size_t l3_offset, size_t icrc_offset) {
  const uint8_t* l3 = frame + l3_offset;
  const size_t bytes = icrc_offset - l3_offset;
  return l3[0] >> 4 == 4 ? masked_icrc(l3, bytes, kIpv4Mask) : masked_icrc(l3, bytes, kIpv6Mask);
}

}  // namespace lambdacast::wire
