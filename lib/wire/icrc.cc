#include "wire/icrc.h"

#include <array>

#include "wire/crc32.h"
#include "wire/icrc_fold.h"
#include "wire/icrc_mask.h"

namespace lambdacast::wire {
namespace {

// A copy of the head is masked; the rest is read where it lies. (Writing ones byte by byte into the
// copy costs three times as much: the CRC's 16-byte loads then wait for the small stores before
// them.)
template <size_t kHeadBytes>
uint32_t icrc_in_two_parts(const uint8_t* l3, size_t bytes, const HeadMask<kHeadBytes>& mask) {
  alignas(16) std::array<uint8_t, kHeadBytes> head;
  // Only packets that are BTH and little more, such as acknowledgements, end inside the head.
  const size_t head_bytes = bytes < kHeadBytes ? bytes : kHeadBytes;
  if (head_bytes == kHeadBytes) [[likely]] {
    for (size_t i = 0; i < kHeadBytes; ++i) head[i] = l3[i] | mask[i];
  } else {
    for (size_t i = 0; i < head_bytes; ++i) head[i] = l3[i] | mask[i];
  }
  return crc32(crc32(kIcrcSeed, head.data(), head_bytes), l3 + head_bytes, bytes - head_bytes);
}

uint32_t icrc_by_isal(const uint8_t* l3, size_t bytes) {
  return l3[0] >> 4 == 4 ? icrc_in_two_parts(l3, bytes, kIpv4Mask)
                         : icrc_in_two_parts(l3, bytes, kIpv6Mask);
}

constexpr std::array<IcrcMethod, 2> kMethods = {{
    {"ISA-L", SIZE_MAX, icrc_by_isal},
    {"folding", SIZE_MAX, icrc_by_folding},
}};

constinit decltype(IcrcMethod::icrc) short_method = icrc_by_isal;
constinit decltype(IcrcMethod::icrc) long_method = icrc_by_isal;

}  // namespace

std::span<const IcrcMethod> icrc_methods() {
  return std::span(kMethods).first(can_fold() ? kMethods.size() : 1);
}

void use_icrc_methods(const IcrcMethod& short_packets, const IcrcMethod& long_packets) {
  short_method = short_packets.icrc;
  long_method = long_packets.icrc;
}

uint32_t icrc(const uint8_t* frame, size_t l3_offset, size_t icrc_offset) {
  const size_t bytes = icrc_offset - l3_offset;
  return (bytes <= kShortIcrcBytes ? short_method : long_method)(frame + l3_offset, bytes);
}

}  // namespace lambdacast::wire
