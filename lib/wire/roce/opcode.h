// SPDX-License-Identifier: BSD-3-Clause
// The opcodes of the BTH and the headers each puts between BTH and payload (IBTA vol. 1, 9.2 and
// 9.3; CNP from annex A17). One table, so that parsing has no case per opcode.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lambdacast::wire {

inline constexpr uint8_t kOpcodeUdSendOnly = 0x64;
inline constexpr uint8_t kOpcodeUdSendOnlyImmediate = 0x65;

// Bits of OpcodeInfo::headers, in the order of the headers on the wire. The immediate comes last of
// those it is ever combined with.
enum HeaderBit : uint8_t {
  kDeth = 0x01,           // datagram: Q_Key, source queue pair; 8 bytes
  kReth = 0x02,           // remote DMA: address, key, length; 16 bytes
  kAtomicEth = 0x04,      // atomic operation; 28 bytes
  kAeth = 0x08,           // acknowledgement: syndrome, message number; 4 bytes
  kAtomicAckEth = 0x10,   // the value before the atomic operation; 8 bytes
  kInvalidateEth = 0x20,  // the key to invalidate; 4 bytes
  kImmediate = 0x40       // 4 bytes for the receiver's completion
};

struct OpcodeInfo {
  const char* name = nullptr;  // "UD_SEND_ONLY"; null: no such opcode
  uint8_t headers = 0;         // HeaderBits
  uint8_t header_bytes = 0;    // BTH included

  [[nodiscard]] constexpr bool known() const { return name != nullptr; }
  [[nodiscard]] constexpr bool has(HeaderBit header) const { return (headers & header) != 0; }
  // Only datagrams carry a DETH (reliable datagram, which also does, is not in the table).
  [[nodiscard]] constexpr bool is_ud() const { return has(kDeth); }
};

// Defined for all 256 values. Reliable datagram (0x40-0x5f) and XRC (0xa0-0xbf) count as unknown:
// Ethernet has no devices that speak the one, and the other is RC behind one more header.
[[nodiscard]] const OpcodeInfo& opcode_info(uint8_t opcode);

}  // namespace lambdacast::wire
