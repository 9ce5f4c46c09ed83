// SPDX-License-Identifier: BSD-3-Clause
// Several whole messages in one payload (Kind::kMessages, kRequestMessages), behind the transport
// header:
//
//   | length 2 | bytes | length 2 | bytes | ...      lengths big-endian, 0 allowed, no padding
//
// The header's fragment_offset says how many there are. All are of the header's group and QoS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"

namespace lambdacast::wire {

inline constexpr size_t kMessageLengthBytes = 2;

// How many messages `bytes` bytes hold; nothing if there is none, or the last one reaches beyond.
[[nodiscard]] inline std::optional<uint32_t> count_messages(const uint8_t* payload, size_t bytes) {
  uint32_t messages = 0;
  size_t at = 0;
  while (at < bytes) {
    if (bytes - at < kMessageLengthBytes) return std::nullopt;
    at += kMessageLengthBytes + base::load_be16(payload + at);
    ++messages;
  }
  if (at != bytes || messages == 0) return std::nullopt;
  return messages;
}

// visit(std::span<const uint8_t>) for each message of a payload that count_messages accepted.
template <typename Visitor>
inline void for_each_message(std::span<const uint8_t> payload, Visitor&& visit) {
  const uint8_t* at = payload.data();
  const uint8_t* const end = at + payload.size();
  while (at < end) {
    const size_t bytes = base::load_be16(at);
    visit(std::span<const uint8_t>(at + kMessageLengthBytes, bytes));
    at += kMessageLengthBytes + bytes;
  }
}

}  // namespace lambdacast::wire
