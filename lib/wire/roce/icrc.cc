// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/icrc.h"

#include <zlib.h>

#include <array>
#include <vector>

#include "wire/roce/crc32.h"
#include "wire/roce/icrc_fold.h"
#include "wire/roce/icrc_mask.h"

namespace lambdacast::wire {
namespace {

// A copy of the head is masked; the rest is read where it lies. (Writing ones byte by byte into the
// copy costs three times as much: the CRC's 16-byte loads then wait for the small stores before
// them.)
template <auto kCrc, size_t kHeadBytes>
uint32_t icrc_in_two_parts(const uint8_t* l3, size_t bytes, const HeadMask<kHeadBytes>& mask) {
  alignas(16) std::array<uint8_t, kHeadBytes> head;
  // Only packets that are BTH and little more, such as acknowledgements, end inside the head.
  const size_t head_bytes = bytes < kHeadBytes ? bytes : kHeadBytes;
  if (head_bytes == kHeadBytes) [[likely]] {
    for (size_t i = 0; i < kHeadBytes; ++i) head[i] = l3[i] | mask[i];
  } else {
    for (size_t i = 0; i < head_bytes; ++i) head[i] = l3[i] | mask[i];
  }
  return kCrc(kCrc(kIcrcSeed, head.data(), head_bytes), l3 + head_bytes, bytes - head_bytes);
}

template <auto kCrc>
uint32_t icrc_by(const uint8_t* l3, size_t bytes) {
  return l3[0] >> 4 == 4 ? icrc_in_two_parts<kCrc>(l3, bytes, kIpv4Mask)
                         : icrc_in_two_parts<kCrc>(l3, bytes, kIpv6Mask);
}

uint32_t zlib_crc32(uint32_t seed, const uint8_t* data, size_t bytes) {
  return static_cast<uint32_t>(::crc32_z(seed, data, bytes));
}

// ISA-L has carry-less multiplication where the processor does, and takes a byte at a time where it
// does not: there, and where an emulator has it do, zlib's words at a time are three times faster.
constexpr std::array<IcrcMethod, 2> kLibraries = {{
    {"ISA-L", SIZE_MAX, icrc_by<crc32>},
    {"zlib", SIZE_MAX, icrc_by<zlib_crc32>},
}};

constinit decltype(IcrcMethod::icrc) short_method = icrc_by<crc32>;
constinit decltype(IcrcMethod::icrc) long_method = icrc_by<crc32>;

}  // namespace

std::span<const IcrcMethod> icrc_methods() {
  static const std::vector<IcrcMethod> methods = [] {
    std::vector<IcrcMethod> all(kLibraries.begin(), kLibraries.end());
    const auto folding = folding_methods();
    all.insert(all.end(), folding.begin(), folding.end());
    return all;
  }();
  return methods;
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
