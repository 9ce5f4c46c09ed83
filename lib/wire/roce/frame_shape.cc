// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/frame_shape.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "wire/roce/build.h"
#include "wire/roce/ethernet.h"
#include "wire/roce/ip.h"
#include "wire/roce/udp.h"

namespace lambdacast::wire {
namespace {

// Comparison begins with the Ethertype: addresses of Ethernet are the port's affair.
constexpr size_t kCompareFrom = 2 * kMacBytes;
constexpr size_t kMaxOffset = 0xffff;  // what a frame's offsets hold
constexpr size_t kUdHeaderBytes = kUdpBytes + kBthBytes + kDethBytes;

template <size_t kIpBytes>
constexpr size_t kWordsOf = (kEthernetBytes + kIpBytes + kUdHeaderBytes - kCompareFrom + 7) / 8;

// The bytes that have to be as expected, bit by bit, in a frame's first bytes.
class Mask {
 public:
  void compare(size_t offset, size_t bytes) { std::fill_n(&bits_[offset], bytes, uint8_t{0xff}); }
  void compare_bits(size_t offset, uint8_t bits) { bits_[offset] = bits; }
  [[nodiscard]] const uint8_t* data() const { return bits_.data(); }

 private:
  std::array<uint8_t, kMaxHeaderBytes> bits_{};
};

Mask mask_of(bool is_ipv6) {
  constexpr size_t kIp = kEthernetBytes;
  const size_t udp = kIp + (is_ipv6 ? kIpv6Bytes : kIpv4Bytes);
  const size_t bth = udp + kUdpBytes;
  Mask mask;
  mask.compare(kCompareFrom, 2);  // Ethertype
  if (is_ipv6) {
    mask.compare_bits(kIp, 0xf0);  // version
    mask.compare(kIp + 6, 1);      // next header
    mask.compare(kIp + 24, 16);    // destination
  } else {
    mask.compare(kIp, 1);              // version and header length: no options
    mask.compare_bits(kIp + 6, 0x3f);  // more fragments, and the offset's high bits
    mask.compare(kIp + 7, 1);
    mask.compare(kIp + 9, 1);   // protocol
    mask.compare(kIp + 16, 4);  // destination
  }
  mask.compare(udp + 2, 2);          // destination port
  mask.compare(bth, 1);              // opcode
  mask.compare_bits(bth + 1, 0x0f);  // transport version
  mask.compare(bth + 2, 2);          // P_Key
  mask.compare(bth + 5, 3);          // destination QPN
  mask.compare(bth + kBthBytes, 4);  // Q_Key
  return mask;
}

template <size_t kWords>
inline bool equal(const uint8_t* frame, const uint64_t* expected, const uint64_t* mask) {
  uint64_t differing = 0;
  for (size_t i = 0; i < kWords; ++i) {
    const auto word = base::load_raw<uint64_t>(frame + kCompareFrom + 8 * i);
    differing |= (word ^ expected[i]) & mask[i];
  }
  return differing == 0;
}

// The sum of RFC 1071 is the same in either byte order, up to the order of the result; all ones are
// all ones.
inline bool ipv4_checksum_ok(const uint8_t* ip) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kIpv4Bytes; i += 4) sum += base::load_raw<uint32_t>(ip + i);
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

// `udp`: of the UDP header, whose packet has `udp_bytes` by the IP header's word.
inline bool take_udp(const uint8_t* frame, size_t bytes, size_t udp, size_t udp_bytes,
                     ShapedFrame& out) {
  constexpr size_t kLeastBytes = kUdHeaderBytes + kIcrcBytes;
  const size_t padded_bytes = udp_bytes - kLeastBytes;
  const uint8_t* bth = frame + udp + kUdpBytes;
  const size_t pad_bytes = (bth[1] >> 4) & 3;
  // One decision for what is hardly ever wrong.
  const bool wrong = (udp_bytes < kLeastBytes) | (udp + udp_bytes > bytes) |
                     (base::load_be16(frame + udp + 4) != udp_bytes) | (padded_bytes % 4 != 0) |
                     (pad_bytes > padded_bytes);
  if (wrong) return false;
  out.source_qpn = base::load_be32(bth + kBthBytes + 4) & 0xffffff;
  out.psn = base::load_be32(bth + 8) & 0xffffff;
  out.payload_offset = static_cast<uint16_t>(udp + kUdHeaderBytes);
  out.payload_bytes = static_cast<uint16_t>(padded_bytes - pad_bytes);
  out.icrc_offset = static_cast<uint16_t>(udp + udp_bytes - kIcrcBytes);
  return true;
}

}  // namespace

FrameShape::FrameShape(const Destination& destination)
    : is_ipv6_(!is_ipv4_mapped(destination.gid)) {
  constexpr uint16_t kFullMember = 0x8000;
  FrameFields fields;
  fields.source_gid = destination.gid;  // any of its family
  fields.destination_gid = destination.gid;
  fields.destination_qpn = destination.qpn;
  fields.pkey = destination.pkey | kFullMember;
  fields.qkey = destination.qkey;
  std::array<uint8_t, kMaxFrameBytes> frame{};
  (void)build_frame(fields, {}, frame.data(), frame.size());
  const Mask mask = mask_of(is_ipv6_);
  const size_t words = is_ipv6_ ? kWordsOf<kIpv6Bytes> : kWordsOf<kIpv4Bytes>;
  std::memcpy(expected_.data(), &frame[kCompareFrom], 8 * words);
  std::memcpy(mask_.data(), mask.data() + kCompareFrom, 8 * words);
  const bool no_partition = (destination.pkey & ~kFullMember & 0xffff) == 0;  // matches no other
  least_bytes_ = no_partition ? SIZE_MAX : kCompareFrom + 8 * words;
}

bool FrameShape::matches_ipv4(const uint8_t* frame, size_t bytes, ShapedFrame& out) const {
  constexpr size_t kUdp = kEthernetBytes + kIpv4Bytes;
  if (bytes < least_bytes_ || bytes > kMaxOffset) return false;
  const uint8_t* ip = frame + kEthernetBytes;
  if (!equal<kWordsOf<kIpv4Bytes>>(frame, expected_.data(), mask_.data()) || !ipv4_checksum_ok(ip))
    return false;
  // gid_from_ipv4, in two words: what reads the GID reads it so.
  base::store_raw<uint64_t>(&out.source_gid.bytes[0], 0);
  base::store_be64(&out.source_gid.bytes[8], uint64_t{0xffff} << 32 | base::load_be32(ip + 12));
  if ((ip[12] & 0xf0) == 0xe0) return false;  // multicast
  const size_t udp_bytes = size_t{base::load_be16(ip + 2)} - kIpv4Bytes;
  return take_udp(frame, bytes, kUdp, udp_bytes, out);
}

bool FrameShape::matches_ipv6(const uint8_t* frame, size_t bytes, ShapedFrame& out) const {
  constexpr size_t kUdp = kEthernetBytes + kIpv6Bytes;
  if (bytes < least_bytes_ || bytes > kMaxOffset) return false;
  if (!equal<kWordsOf<kIpv6Bytes>>(frame, expected_.data(), mask_.data())) return false;
  const uint8_t* ip = frame + kEthernetBytes;
  const uint8_t* source = ip + 8;
  std::memcpy(out.source_gid.bytes.data(), source, sizeof out.source_gid.bytes);
  // Multicast, and whatever begins like an IPv4-mapped address.
  if (source[0] == 0xff || base::load_raw<uint64_t>(source) == 0) return false;
  return take_udp(frame, bytes, kUdp, base::load_be16(ip + 4), out);
}

}  // namespace lambdacast::wire
