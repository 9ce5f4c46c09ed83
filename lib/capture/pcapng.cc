// SPDX-License-Identifier: BSD-3-Clause
#include "capture/pcapng.h"

#include "base/bytes.h"

namespace lambdacast::capture::pcapng {
namespace {

enum : uint32_t { kInterfaceBlock = 1, kStatisticsBlock = 5, kPacketBlock = 6 };
constexpr uint32_t kSectionBlock = 0x0a0d0d0a;
constexpr uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr uint16_t kMajor = 1;
constexpr uint16_t kMinor = 0;
constexpr uint16_t kEthernetLink = 1;  // LINKTYPE_ETHERNET
constexpr uint8_t kNanoseconds = 9;    // if_tsresol: 10^-9 s
constexpr size_t kLengthAt = 4;        // in any block
constexpr size_t kPacketInterfaceAt = 8;

// Option codes; each block type has its own.
enum : uint16_t {
  kEnd = 0,
  kSectionApplication = 4,
  kInterfaceName = 2,
  kInterfaceDescription = 3,
  kInterfaceMac = 6,
  kInterfaceResolution = 9,
  kPacketFlags = 2,
  kStatisticsStart = 2,
  kStatisticsEnd = 3,
  kStatisticsReceived = 4,
  kStatisticsDropped = 5,
};

template <typename T>
void append(Bytes& out, T value) {
  const size_t at = out.size();
  out.resize(at + sizeof value);
  base::store_raw(out.data() + at, value);
}

// Everything in a block is padded to 32 bits.
void append_padded(Bytes& out, std::span<const uint8_t> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.resize((out.size() + 3) & ~size_t{3});
}

void append_option(Bytes& out, uint16_t code, std::span<const uint8_t> value) {
  append(out, code);
  append(out, static_cast<uint16_t>(value.size()));
  append_padded(out, value);
}

void append_option(Bytes& out, uint16_t code, const std::string& text) {
  append_option(out, code, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Times are two words, the high one first; other 64-bit values are one.
void append_time(Bytes& out, uint64_t time_ns) {
  append(out, static_cast<uint32_t>(time_ns >> 32));
  append(out, static_cast<uint32_t>(time_ns));
}

void append_time_option(Bytes& out, uint16_t code, uint64_t time_ns) {
  append(out, code);
  append(out, static_cast<uint16_t>(sizeof time_ns));
  append_time(out, time_ns);
}

void append_count_option(Bytes& out, uint16_t code, uint64_t count) {
  append(out, code);
  append(out, static_cast<uint16_t>(sizeof count));
  append(out, count);
}

// `out` is a multiple of four bytes long, so that padding within a block is padding of `out`.
size_t begin_block(Bytes& out, uint32_t type) {
  const size_t at = out.size();
  append(out, type);
  append(out, uint32_t{0});
  return at;
}

// A block's length stands at both its ends.
void end_block(Bytes& out, size_t at) {
  const auto bytes = static_cast<uint32_t>(out.size() - at + sizeof(uint32_t));
  base::store_raw(out.data() + at + kLengthAt, bytes);
  append(out, bytes);
}

}  // namespace

void append_section(Bytes& out, const std::string& application) {
  const size_t at = begin_block(out, kSectionBlock);
  append(out, kByteOrderMagic);
  append(out, kMajor);
  append(out, kMinor);
  append(out, ~uint64_t{0});  // length of the section: to the end of the file
  append_option(out, kSectionApplication, application);
  append(out, uint32_t{kEnd});
  end_block(out, at);
}

void append_interface(Bytes& out, const Interface& interface) {
  const size_t at = begin_block(out, kInterfaceBlock);
  append(out, kEthernetLink);
  append(out, uint16_t{0});
  append(out, interface.snap_bytes);
  append_option(out, kInterfaceName, interface.name);
  append_option(out, kInterfaceDescription, interface.description);
  append_option(out, kInterfaceMac, interface.mac.bytes);
  append_option(out, kInterfaceResolution, {&kNanoseconds, 1});
  append(out, uint32_t{kEnd});
  end_block(out, at);
}

void append_packet(Bytes& out, const Packet& packet, std::span<const uint8_t> captured) {
  const size_t at = begin_block(out, kPacketBlock);
  append(out, packet.interface);
  append_time(out, packet.time_ns);
  append(out, static_cast<uint32_t>(captured.size()));
  append(out, packet.original_bytes);
  append_padded(out, captured);
  append(out, kPacketFlags);
  append(out, static_cast<uint16_t>(sizeof(uint32_t)));
  append(out, static_cast<uint32_t>(packet.direction));
  append(out, uint32_t{kEnd});
  end_block(out, at);
}

void append_statistics(Bytes& out, const Statistics& statistics) {
  const size_t at = begin_block(out, kStatisticsBlock);
  append(out, statistics.interface);
  append_time(out, statistics.end_ns);
  append_time_option(out, kStatisticsStart, statistics.start_ns);
  append_time_option(out, kStatisticsEnd, statistics.end_ns);
  append_count_option(out, kStatisticsReceived, statistics.received);
  append_count_option(out, kStatisticsDropped, statistics.dropped);
  append(out, uint32_t{kEnd});
  end_block(out, at);
}

BlockHead head_of(std::span<const uint8_t> blocks) {
  BlockHead head;
  head.bytes = base::load_raw<uint32_t>(&blocks[kLengthAt]);
  if (base::load_raw<uint32_t>(blocks.data()) == kPacketBlock) {
    head.packet_of = base::load_raw<uint32_t>(&blocks[kPacketInterfaceAt]);
  }
  return head;
}

}  // namespace lambdacast::capture::pcapng
