// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/naive_receiver.h"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

namespace lambdacast::fuzz {
namespace {

using counters::DropReason;

// What a layer says of the frame, and where the next one stands.
struct Packet {
  std::span<const uint8_t> frame;
  size_t at = 0;   // the layer being read
  size_t end = 0;  // of what encloses it
  size_t l3 = 0;
  uint64_t vlan = 0;
  uint16_t ether_type = 0;
  NaiveGid source{};
  NaiveGid destination{};
  size_t icrc = 0;
  size_t payload = 0;
  size_t payload_bytes = 0;
  bool datagram = false;
  uint16_t pkey = 0;
  uint32_t qpn = 0;
  uint32_t qkey = 0;
  uint32_t source_qpn = 0;

  [[nodiscard]] bool holds(size_t bytes) const { return at + bytes <= end; }
  // Big-endian, `bytes` bytes at `offset` behind `at`.
  [[nodiscard]] uint64_t field(size_t offset, size_t bytes) const {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) {
      if (at + offset + i >= frame.size()) throw std::out_of_range("beyond the frame");
      value = value << 8 | frame[at + offset + i];
    }
    return value;
  }
};

constexpr NaiveGid kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

bool is_mapped(const NaiveGid& gid) {
  return std::equal(gid.begin(), gid.begin() + 12, kMapped.begin());
}

bool is_multicast(const NaiveGid& gid) {
  return is_mapped(gid) ? gid[12] >= 224 && gid[12] <= 239 : gid[0] == 0xff;
}

NaiveGid gid_at(const Packet& p, size_t offset, bool ipv4) {
  NaiveGid gid = ipv4 ? kMapped : NaiveGid{};
  for (size_t i = ipv4 ? 12 : 0; i < 16; ++i) {
    gid.at(i) = static_cast<uint8_t>(p.field(offset++, 1));
  }
  return gid;
}

DropReason ethernet(Packet& p) {
  if (!p.holds(14)) return DropReason::kTooShort;
  p.at = 14;
  p.ether_type = static_cast<uint16_t>(p.frame[12] << 8 | p.frame[13]);
  for (int tag = 0; tag < 2 && (p.ether_type == 0x8100 || p.ether_type == 0x88a8); ++tag) {
    if (!p.holds(4)) return DropReason::kTooShort;
    p.vlan = p.field(0, 2) % 4096;
    p.ether_type = static_cast<uint16_t>(p.field(2, 2));
    p.at += 4;
  }
  p.l3 = p.at;
  if (p.ether_type == 0x0800 || p.ether_type == 0x86dd) return DropReason::kNone;
  return DropReason::kNotIp;
}

DropReason ipv4(Packet& p) {
  if (!p.holds(20)) return DropReason::kTooShort;
  const size_t header = p.field(0, 1) % 16 * 4;
  const size_t total = p.field(2, 2);
  if (p.field(0, 1) / 16 != 4 || header < 20 || total < header) return DropReason::kIpv4Header;
  if (!p.holds(total)) return DropReason::kTruncated;
  uint64_t sum = 0;
  for (size_t i = 0; i < header; i += 2) sum += p.field(i, 2);
  if (sum == 0 || sum % 0xffff != 0) return DropReason::kIpv4Checksum;  // RFC 1071: -0, and not 0
  if (p.field(9, 1) != 17) return DropReason::kNotUdp;
  if (header != 20) return DropReason::kIpv4Options;
  if (p.field(6, 2) % 0x4000 != 0) return DropReason::kIpv4Fragment;
  p.source = gid_at(p, 12, true);
  p.destination = gid_at(p, 16, true);
  p.end = p.at + total;
  p.at += header;
  return DropReason::kNone;
}

DropReason ipv6(Packet& p) {
  if (!p.holds(40)) return DropReason::kTooShort;
  if (p.field(0, 1) / 16 != 6) return DropReason::kIpv6Header;
  const size_t payload = p.field(4, 2);
  if (!p.holds(40 + payload)) return DropReason::kTruncated;
  // IANA's "IPv6 Extension Header Types", less the experimental ones.
  static const std::set<uint64_t> extensions = {0, 43, 44, 50, 51, 60, 135, 139, 140};
  if (extensions.contains(p.field(6, 1))) return DropReason::kIpv6Extension;
  if (p.field(6, 1) != 17) return DropReason::kNotUdp;
  p.source = gid_at(p, 8, false);
  p.destination = gid_at(p, 24, false);
  if (is_mapped(p.source) || is_mapped(p.destination)) return DropReason::kIpv6MappedAddress;
  p.at += 40;
  p.end = p.at + payload;
  return DropReason::kNone;
}

DropReason udp(Packet& p) {
  if (!p.holds(8)) return DropReason::kTooShort;
  if (p.field(2, 2) != 4791) return DropReason::kNotRocePort;
  if (p.field(4, 2) != p.end - p.at) return DropReason::kUdpLength;
  p.at += 8;
  return DropReason::kNone;
}

// Bytes of BTH and what follows it, by opcode (IBTA vol. 1, table 38); nothing: not in the tables.
std::optional<size_t> header_bytes(uint64_t opcode) {
  constexpr size_t kBth = 12, kDeth = 8, kReth = 16, kAtomic = 28, kAeth = 4, kWord = 4;
  if (opcode == 0x81) return kBth;  // congestion notification
  if (opcode == 0x64) return kBth + kDeth;
  if (opcode == 0x65) return kBth + kDeth + kWord;
  const bool reliable = opcode < 0x20;
  const uint64_t what = opcode % 0x20;
  if (opcode >= 0x40 || (!reliable && what > 0x0b)) return std::nullopt;
  switch (what) {
    case 0x03:
    case 0x05:
    case 0x09:
    case 0x16:
    case 0x17:  // immediate, or key to invalidate
      return kBth + kWord;
    case 0x06:
    case 0x0a:
    case 0x0c:
      return kBth + kReth;
    case 0x0b:
      return kBth + kReth + kWord;
    case 0x0d:
    case 0x0f:
    case 0x10:
    case 0x11:
      return kBth + kAeth;
    case 0x12:
      return kBth + kAeth + 8;
    case 0x13:
    case 0x14:
      return kBth + kAtomic;
    default:
      if (what == 0x15 || what > 0x17) return std::nullopt;
      return kBth;
  }
}

DropReason roce(Packet& p) {
  constexpr size_t kIcrc = 4;
  if (!p.holds(12 + kIcrc)) return DropReason::kTooShort;
  if (p.field(1, 1) % 16 != 0) return DropReason::kBthVersion;
  const auto headers = header_bytes(p.field(0, 1));
  if (!headers) return DropReason::kOpcodeUnknown;
  if (!p.holds(*headers + kIcrc)) return DropReason::kTooShort;
  const size_t pad = p.field(1, 1) / 16 % 4;
  const size_t padded = p.end - kIcrc - p.at - *headers;
  if (padded % 4 != 0 || pad > padded) return DropReason::kBadPad;
  p.datagram = p.field(0, 1) == 0x64 || p.field(0, 1) == 0x65;
  p.pkey = static_cast<uint16_t>(p.field(2, 2));
  p.qpn = static_cast<uint32_t>(p.field(5, 3));
  if (p.datagram) {
    p.qkey = static_cast<uint32_t>(p.field(12, 4));
    p.source_qpn = static_cast<uint32_t>(p.field(17, 3));
  }
  p.payload = p.at + *headers;
  p.payload_bytes = padded - pad;
  p.icrc = p.end - kIcrc;
  const uint8_t* icrc = &p.frame[p.icrc];
  const uint32_t stored = static_cast<uint32_t>(icrc[3]) << 24 | icrc[2] << 16 | icrc[1] << 8 |
                          icrc[0];  // least significant byte first
  return stored == naive_icrc(p.frame, p.l3, p.icrc) ? DropReason::kNone : DropReason::kBadIcrc;
}

// Bytes of the other group's format: a neighbouring fabric has that group.
bool foreign(const Packet& p, bool to_control) {
  const uint8_t* payload = &p.frame[p.payload];
  if (to_control) return p.payload_bytes >= 48 && payload[0] % 16 >= 6;
  return p.payload_bytes >= 24 && payload[0] % 16 == 0 && payload[0] != 0 && payload[1] >= 1 &&
         payload[1] <= 8 && payload[3] == 0;
}

DropReason destination(const Packet& p, const NaiveIdentity& we) {
  if (p.vlan != we.vlan) return DropReason::kWrongVlan;
  if (!p.datagram) return DropReason::kOpcodeNotUd;
  const bool multicast = p.destination == we.group || p.destination == we.control;
  if (!multicast && p.destination != we.gid) return DropReason::kWrongDestinationGid;
  if (multicast != (p.qpn == 0xffffff)) return DropReason::kMulticastQpn;
  if (p.destination == we.gid && p.qpn != we.qpn) return DropReason::kUnknownQpn;
  const bool same = p.pkey % 0x8000 == we.pkey % 0x8000 && p.pkey % 0x8000 != 0;
  const bool one_is_full = p.pkey >= 0x8000 || we.pkey >= 0x8000;
  if (!same || !one_is_full) return DropReason::kPkeyMismatch;
  if (p.qkey != we.qkey) return DropReason::kQkeyMismatch;
  const uint32_t own_qpn = p.destination == we.control ? we.control_qpn : we.qpn;
  if (p.source == we.gid && p.source_qpn == own_qpn) return DropReason::kOwnFrame;
  if (foreign(p, p.destination == we.control)) return DropReason::kForeignFabric;
  if (p.payload_bytes > we.path_mtu) return DropReason::kPayloadTooLong;
  return DropReason::kNone;
}

// A piece of a message: all pieces but the last are equally long, and it has one place.
DropReason fragment(const Packet& p, size_t header) {
  if (header < 56) return DropReason::kTransportHeaderLength;
  const uint64_t place = p.field(40, 4);
  const uint64_t message = p.field(44, 4);
  const uint64_t each = p.field(52, 2);
  const uint64_t bytes = p.payload_bytes - header;
  constexpr uint64_t kLongest = 16 << 20;
  if (message > kLongest || each == 0 || message <= each) return DropReason::kTransportFragment;
  const uint64_t pieces = (message + each - 1) / each;
  const uint64_t piece = place / each;
  if (piece >= pieces || piece * each != place) return DropReason::kTransportFragment;
  const uint64_t wanted = piece == pieces - 1 ? message - piece * each : each;
  return bytes == wanted ? DropReason::kNone : DropReason::kTransportFragment;
}

// Records of a length and so many bytes, as many as the header says, to the end of the payload.
DropReason messages(Packet p, size_t header) {
  const uint64_t count = p.field(40, 4);
  if (p.field(44, 4) != p.payload_bytes - header) return DropReason::kTransportMessages;
  p.at += header;
  uint64_t found = 0;
  for (; p.at < p.end; ++found) {
    if (!p.holds(2) || !p.holds(2 + p.field(0, 2))) return DropReason::kTransportMessages;
    p.at += 2 + p.field(0, 2);
  }
  return found == count && found != 0 ? DropReason::kNone : DropReason::kTransportMessages;
}

DropReason transport(Packet& p) {
  p.at = p.payload;
  p.end = p.payload + p.payload_bytes;
  if (!p.holds(48)) return DropReason::kTransportTooShort;
  if (p.field(0, 1) / 16 != 1) return DropReason::kTransportVersion;
  const size_t header = p.field(0, 1) % 16 * 8;
  if (header < 48) return DropReason::kTransportHeaderLength;
  if (!p.holds(header)) return DropReason::kTransportTooShort;
  const uint64_t kind = p.field(1, 1);
  const bool request = kind >= 0x11 && kind <= 0x13;
  if (!request && (kind < 1 || kind > 4)) return DropReason::kTransportKind;
  if (p.field(2, 1) > 6) return DropReason::kTransportQos;
  if (kind == 2 || kind == 0x12) return messages(p, header);
  if (kind % 16 == 3) return fragment(p, header);
  const bool whole = p.field(40, 4) == 0 && p.field(44, 4) == p.payload_bytes - header;
  return whole ? DropReason::kNone : DropReason::kTransportFragment;
}

// Positions end here, and 2^64 - 1 stands for none.
constexpr uint64_t kLastPosition = ~uint64_t{0} - (uint64_t{1} << 32);

bool heartbeat_right(const Packet& p, uint64_t entries) {
  if (p.end - p.at != 56 + 40 * entries) return false;
  const uint64_t oldest = p.field(24, 8);
  const uint64_t last = p.field(32, 8);
  if (last > kLastPosition || oldest > last + 1) return false;
  for (uint64_t i = 0; i < entries; ++i) {
    const uint64_t verdict = p.field(56 + 40 * i + 32, 1);
    if (p.field(56 + 40 * i + 24, 8) > last + 1 || verdict < 1 || verdict > 4) return false;
  }
  return true;
}

bool statuses_right(Packet p, uint64_t header_bytes, uint64_t entries) {
  if (!p.holds(header_bytes)) return false;
  p.at += header_bytes;
  for (; entries > 0; --entries) {
    if (!p.holds(72) || p.field(57, 1) > 8) return false;
    const uint64_t runs = p.field(57, 1);
    if (!p.holds(72 + 12 * runs)) return false;
    p.at += 72 + 12 * runs;
  }
  return p.at == p.end;
}

DropReason control(Packet& p, uint32_t& data_qpn) {
  p.at = p.payload;
  p.end = p.payload + p.payload_bytes;
  if (!p.holds(24)) return DropReason::kControlMalformed;
  if (p.field(1, 1) < 1 || p.field(1, 1) > 8) return DropReason::kControlKind;
  const uint64_t version = p.field(0, 1) / 16;
  const bool has_second = p.field(1, 1) >= 4 && p.field(1, 1) <= 6;
  if (version != 1 && !(version == 2 && has_second)) return DropReason::kControlVersion;
  const uint64_t entries = p.field(12, 2);
  bool right = p.field(8, 4) <= 0xffffff;
  switch (p.field(1, 1)) {
    case 1:
      right = right && heartbeat_right(p, entries);
      break;
    case 2:
      right = right && statuses_right(p, 24, entries);
      break;
    case 3:
      right = right && statuses_right(p, 56 + 4 * entries, p.field(14, 2));
      break;
    case 8:
      right = right && p.payload_bytes == 32 && entries == 0 && p.field(14, 2) == 0;
      break;
    default:
      right = false;
  }
  data_qpn = static_cast<uint32_t>(p.field(8, 4));
  return right ? DropReason::kNone : DropReason::kControlMalformed;
}

}  // namespace

uint32_t naive_icrc(std::span<const uint8_t> frame, size_t l3, size_t end) {
  std::vector<uint8_t> covered(8, 0xff);
  const bool ipv4 = frame[l3] / 16 == 4;
  covered.insert(covered.end(), frame.begin() + static_cast<ptrdiff_t>(l3),
                 frame.begin() + static_cast<ptrdiff_t>(end));
  const auto ones = [&covered](size_t offset, uint8_t bits = 0xff) {
    if (8 + offset < covered.size()) covered[8 + offset] |= bits;
  };
  if (ipv4) {
    for (const size_t offset : {1, 8, 10, 11}) ones(offset);
  } else {
    ones(0, 0x0f);
    for (const size_t offset : {1, 2, 3, 7}) ones(offset);
  }
  const size_t udp = ipv4 ? 20 : 40;
  for (const size_t offset : {udp + 6, udp + 7, udp + 8 + 4}) ones(offset);
  return static_cast<uint32_t>(::crc32(0, covered.data(), static_cast<uInt>(covered.size())));
}

bool mend_icrc(std::span<uint8_t> frame) {
  Packet p;
  p.frame = frame;
  p.end = frame.size();
  if (ethernet(p) != DropReason::kNone) return false;
  const bool v4 = p.ether_type == 0x0800;
  if (!p.holds(v4 ? 20 : 40)) return false;
  const size_t end = p.l3 + (v4 ? p.field(2, 2) : 40 + p.field(4, 2));
  if (end > frame.size() || end < p.l3 + (v4 ? 20 : 40) + 8 + 12 + 4) return false;
  const uint32_t icrc = naive_icrc(frame, p.l3, end - 4);
  for (size_t i = 0; i < 4; ++i) frame[end - 4 + i] = static_cast<uint8_t>(icrc >> 8 * i);
  return true;
}

DropReason NaiveReceiver::judge(std::span<const uint8_t> frame) {
  Packet p;
  p.frame = frame;
  p.end = frame.size();
  DropReason reason = ethernet(p);
  if (reason == DropReason::kNone) reason = p.ether_type == 0x0800 ? ipv4(p) : ipv6(p);
  if (reason == DropReason::kNone && is_multicast(p.source)) reason = DropReason::kSourceAddress;
  if (reason == DropReason::kNone) reason = udp(p);
  if (reason == DropReason::kNone) reason = roce(p);
  if (reason == DropReason::kNone) reason = destination(p, identity_);
  uint32_t sender_qpn = p.source_qpn;
  const bool is_control = p.destination == identity_.control;
  if (reason == DropReason::kNone) reason = is_control ? control(p, sender_qpn) : transport(p);
  if (reason != DropReason::kNone) return reason;
  const std::pair sender(p.source, sender_qpn);
  if (peers_.contains(sender)) return DropReason::kNone;
  if (peers_.size() == identity_.max_peers) return DropReason::kPeerTableFull;
  peers_.insert(sender);
  return DropReason::kNone;
}

}  // namespace lambdacast::fuzz
