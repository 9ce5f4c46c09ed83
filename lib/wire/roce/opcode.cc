// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/opcode.h"

#include <array>

#include "wire/roce/bth.h"

namespace lambdacast::wire {
namespace {

constexpr uint8_t header_bytes_of(uint8_t headers) {
  size_t bytes = kBthBytes;
  if (headers & kDeth) bytes += kDethBytes;
  if (headers & kReth) bytes += 16;
  if (headers & kAtomicEth) bytes += 28;
  if (headers & kAeth) bytes += 4;
  if (headers & kAtomicAckEth) bytes += 8;
  if (headers & kInvalidateEth) bytes += 4;
  if (headers & kImmediate) bytes += kImmediateBytes;
  return static_cast<uint8_t>(bytes);
}

constexpr std::array<OpcodeInfo, 256> make_table() {
  std::array<OpcodeInfo, 256> table{};
  const auto set = [&table](uint8_t opcode, const char* name, int headers = 0) {
    const auto bits = static_cast<uint8_t>(headers);
    table[opcode] = {name, bits, header_bytes_of(bits)};
  };
  set(0x00, "RC_SEND_FIRST");
  set(0x01, "RC_SEND_MIDDLE");
  set(0x02, "RC_SEND_LAST");
  set(0x03, "RC_SEND_LAST_IMM", kImmediate);
  set(0x04, "RC_SEND_ONLY");
  set(0x05, "RC_SEND_ONLY_IMM", kImmediate);
  set(0x06, "RC_WRITE_FIRST", kReth);
  set(0x07, "RC_WRITE_MIDDLE");
  set(0x08, "RC_WRITE_LAST");
  set(0x09, "RC_WRITE_LAST_IMM", kImmediate);
  set(0x0a, "RC_WRITE_ONLY", kReth);
  set(0x0b, "RC_WRITE_ONLY_IMM", kReth | kImmediate);
  set(0x0c, "RC_READ_REQUEST", kReth);
  set(0x0d, "RC_READ_RESPONSE_FIRST", kAeth);
  set(0x0e, "RC_READ_RESPONSE_MIDDLE");
  set(0x0f, "RC_READ_RESPONSE_LAST", kAeth);
  set(0x10, "RC_READ_RESPONSE_ONLY", kAeth);
  set(0x11, "RC_ACK", kAeth);
  set(0x12, "RC_ATOMIC_ACK", kAeth | kAtomicAckEth);
  set(0x13, "RC_COMPARE_SWAP", kAtomicEth);
  set(0x14, "RC_FETCH_ADD", kAtomicEth);
  set(0x16, "RC_SEND_LAST_INVALIDATE", kInvalidateEth);
  set(0x17, "RC_SEND_ONLY_INVALIDATE", kInvalidateEth);
  set(0x20, "UC_SEND_FIRST");
  set(0x21, "UC_SEND_MIDDLE");
  set(0x22, "UC_SEND_LAST");
  set(0x23, "UC_SEND_LAST_IMM", kImmediate);
  set(0x24, "UC_SEND_ONLY");
  set(0x25, "UC_SEND_ONLY_IMM", kImmediate);
  set(0x26, "UC_WRITE_FIRST", kReth);
  set(0x27, "UC_WRITE_MIDDLE");
  set(0x28, "UC_WRITE_LAST");
  set(0x29, "UC_WRITE_LAST_IMM", kImmediate);
  set(0x2a, "UC_WRITE_ONLY", kReth);
  set(0x2b, "UC_WRITE_ONLY_IMM", kReth | kImmediate);
  set(kOpcodeUdSendOnly, "UD_SEND_ONLY", kDeth);
  set(kOpcodeUdSendOnlyImmediate, "UD_SEND_ONLY_IMM", kDeth | kImmediate);
  set(0x81, "CNP");  // its 16 reserved bytes count as payload
  return table;
}

constexpr std::array<OpcodeInfo, 256> kOpcodes = make_table();

}  // namespace

const OpcodeInfo& opcode_info(uint8_t opcode) { return kOpcodes[opcode]; }

}  // namespace lambdacast::wire
