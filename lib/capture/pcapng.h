// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a pcapng file (IETF draft-ietf-opsawg-pcapng) that a capture needs: Section Header,
// Interface Description, Enhanced Packet, Interface Statistics; in the machine's byte order, as the
// format allows. DPDK 22.11's rte_pcapng would list every port of the process under a name of its
// own ("dpdk:0") and cannot be told the endpoint's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wire/roce/gid.h"

namespace lambdacast::capture::pcapng {

using Bytes = std::vector<uint8_t>;

// The direction of a packet, with the values of epb_flags.
enum class Direction : uint8_t { kIn = 1, kOut = 2 };

struct Interface {
  std::string name;         // of the endpoint
  std::string description;  // of its port
  wire::MacAddress mac;
  uint32_t snap_bytes = 0;  // 0: whole frames
};

struct Packet {
  uint32_t interface = 0;       // in the order of the interface blocks
  uint64_t time_ns = 0;         // since 1970
  uint32_t original_bytes = 0;  // of the frame, without FCS
  Direction direction = Direction::kIn;
};

struct Statistics {
  uint32_t interface = 0;
  uint64_t start_ns = 0;  // since 1970
  uint64_t end_ns = 0;
  uint64_t received = 0;  // frames that passed the interface
  uint64_t dropped = 0;   // of them, those the file lacks
};

// Each appends one whole block to `out`.
void append_section(Bytes& out, const std::string& application);
void append_interface(Bytes& out, const Interface& interface);
void append_packet(Bytes& out, const Packet& packet, std::span<const uint8_t> captured);
void append_statistics(Bytes& out, const Statistics& statistics);

// The block at the start of whole blocks, as far as an account of a file needs it.
struct BlockHead {
  uint32_t bytes = 0;
  std::optional<uint32_t> packet_of;  // the interface, if it is a packet
};
[[nodiscard]] BlockHead head_of(std::span<const uint8_t> blocks);

}  // namespace lambdacast::capture::pcapng
