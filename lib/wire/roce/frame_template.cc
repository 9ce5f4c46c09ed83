// SPDX-License-Identifier: BSD-3-Clause
// FrameTemplate: the data path's way to a frame. The packet's head is put together in registers and
// stored in 16-byte pieces. Patching a copied header by stores of 2 and 3 bytes takes a third of
// the code and longer: the 16-byte loads of the ICRC cannot be served from smaller stores still on
// their way to the cache.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.h"
#include "wire/roce/build.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/ip.h"

namespace lambdacast::wire {
namespace {

// Two 8-byte words in one vector register (GCC and clang's vector extension).
using WordPair = uint64_t __attribute__((vector_size(16)));

// `value`, big-endian, at byte `offset` of an 8-byte word in memory order (x86-64 is
// little-endian).
constexpr uint64_t be16_at(size_t offset, size_t value) {
  return uint64_t{__builtin_bswap16(static_cast<uint16_t>(value))} << (8 * offset);
}
constexpr uint64_t be24_at(size_t offset, uint32_t value) {
  return uint64_t{__builtin_bswap32(value << 8)} << (8 * offset);
}
constexpr uint64_t byte_at(size_t offset, size_t value) { return uint64_t{value} << (8 * offset); }

// Bits 4 and 5 of BTH byte 1.
constexpr size_t pad_bits(size_t pad_bytes) { return pad_bytes << 4; }

template <size_t kWords>
using Words = std::array<uint64_t, kWords>;

// Writes the head into the frame, 16 bytes per store.
template <size_t kWords>
inline void store_head(const Words<kWords>& words, uint8_t* l3) {
  for (size_t i = 0; i < kWords; i += 2) {
    base::store_raw(l3 + 8 * i, WordPair{words[i], words[i + 1]});
  }
}

constexpr size_t kIpv4HeadWords = 6;  // IPv4, UDP, BTH and DETH
constexpr size_t kEthernetMaxBytes = kEthernetBytes + kVlanTagBytes;
constexpr size_t kHeaderTailBytes = 16;

}  // namespace

FrameTemplate::FrameTemplate(const FrameFields& fields, IcrcMode icrc)
    : makes_icrc_(makes_icrc(icrc)) {
  FrameFields blank = fields;
  blank.psn = 0;
  blank.ip_id = 0;
  std::array<uint8_t, kMaxFrameBytes> frame;
  const size_t frame_bytes = build_frame(blank, {}, frame.data(), frame.size());
  if (frame_bytes == 0) return;
  header_bytes_ = static_cast<uint8_t>(frame_bytes - kIcrcBytes);
  l3_offset_ = fields.has_vlan ? kEthernetMaxBytes : kEthernetBytes;
  is_ipv6_ = !is_ipv4_mapped(fields.destination_gid);

  uint8_t* l3 = &frame[l3_offset_];
  const size_t ip_bytes = is_ipv6_ ? kIpv6Bytes : kIpv4Bytes;
  base::store_be16(l3 + ip_bytes + 4, 0);  // UDP length
  if (is_ipv6_) {
    base::store_be16(l3 + 4, 0);
  } else {
    base::store_be16(l3 + 2, 0);
    base::store_be16(l3 + 10, 0);
    ipv4_sum_ = internet_sum(l3, kIpv4Bytes);
  }
  std::memcpy(header_.data(), frame.data(), header_bytes_);
  std::memcpy(head_words_.data(), l3, 8 * (is_ipv6_ ? kHeadWords : kIpv4HeadWords));
}

size_t FrameTemplate::lay(uint8_t* frame, size_t payload_bytes, uint32_t psn,
                          uint16_t ip_id) const {
  const size_t pad_bytes = (0 - payload_bytes) & 3;
  const size_t icrc_offset = header_bytes_ + payload_bytes + pad_bytes;
  // Copies of fixed size: what they write of the head, the head overwrites.
  const size_t tail_offset = header_bytes_ - kHeaderTailBytes;
  std::memcpy(frame, header_.data(), kEthernetMaxBytes);
  std::memcpy(frame + tail_offset, header_.data() + tail_offset, kHeaderTailBytes);
  // Any pad in one store, and zero where seal() puts the ICRC.
  base::store_raw<uint32_t>(frame + header_bytes_ + payload_bytes, 0);
  base::store_raw<uint32_t>(frame + icrc_offset, 0);

  uint8_t* l3 = frame + l3_offset_;
  const size_t ip_bytes = icrc_offset - l3_offset_;
  if (is_ipv6_) {
    lay_ipv6(l3, ip_bytes, pad_bytes, psn);
  } else {
    lay_ipv4(l3, ip_bytes, pad_bytes, psn, ip_id);
  }
  return icrc_offset + kIcrcBytes;
}

// In the words below: bytes 0-19 IPv4, 20-27 UDP, 28-39 BTH, 40-47 DETH.
void FrameTemplate::lay_ipv4(uint8_t* l3, size_t bytes, size_t pad_bytes, uint32_t psn,
                             uint16_t ip_id) const {
  const size_t total_bytes = bytes + kIcrcBytes;
  const uint32_t sum = ipv4_sum_ + static_cast<uint32_t>(total_bytes) + ip_id;
  const auto checksum = static_cast<uint16_t>(~fold_sum(sum));
  Words<kIpv4HeadWords> words;
  std::copy_n(head_words_.begin(), words.size(), words.begin());
  words[0] |= be16_at(2, total_bytes) | be16_at(4, ip_id);
  words[1] |= be16_at(2, checksum);
  words[3] |= be16_at(0, total_bytes - kIpv4Bytes) | byte_at(5, pad_bits(pad_bytes));
  words[4] |= be24_at(5, psn);
  store_head(words, l3);
}

// In the words below: bytes 0-39 IPv6, 40-47 UDP, 48-59 BTH, 60-63 half of the DETH.
void FrameTemplate::lay_ipv6(uint8_t* l3, size_t bytes, size_t pad_bytes, uint32_t psn) const {
  const size_t udp_bytes = bytes + kIcrcBytes - kIpv6Bytes;
  Words<kHeadWords> words = head_words_;
  words[0] |= be16_at(4, udp_bytes);
  words[5] |= be16_at(4, udp_bytes);
  words[6] |= byte_at(1, pad_bits(pad_bytes));
  words[7] |= be24_at(1, psn);
  store_head(words, l3);
}

}  // namespace lambdacast::wire
