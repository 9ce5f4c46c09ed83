// SPDX-License-Identifier: BSD-3-Clause
// Messages that name themselves: whose they are, which one, and bytes that follow from that, so
// that whoever gets one can tell it from every other and see whether a byte has changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"

namespace lambdacast::sim {

inline constexpr size_t kMessageIdBytes = 8;

struct MessageId {
  uint32_t life = 0;         // index in Log::lives
  uint32_t publication = 0;  // index in Log::publications
  bool operator==(const MessageId&) const = default;
};

[[nodiscard]] inline uint8_t message_byte(const MessageId& id, size_t at) {
  return static_cast<uint8_t>((id.publication * 131 + id.life * 7 + at) ^ (at >> 8));
}

[[nodiscard]] inline std::vector<uint8_t> make_message(const MessageId& id, size_t bytes) {
  std::vector<uint8_t> message(bytes);
  base::store_be32(message.data(), id.life);
  base::store_be32(message.data() + 4, id.publication);
  for (size_t at = kMessageIdBytes; at < bytes; ++at) message[at] = message_byte(id, at);
  return message;
}

[[nodiscard]] inline std::optional<MessageId> read_message_id(std::span<const uint8_t> message) {
  if (message.size() < kMessageIdBytes) return std::nullopt;
  return MessageId{base::load_be32(message.data()), base::load_be32(message.data() + 4)};
}

[[nodiscard]] inline bool message_intact(const MessageId& id, std::span<const uint8_t> message) {
  for (size_t at = kMessageIdBytes; at < message.size(); ++at) {
    if (message[at] != message_byte(id, at)) return false;
  }
  return true;
}

// A hash of the content behind the number, where it is none that message_byte() gives; never 0.
[[nodiscard]] inline uint64_t hash_content(std::span<const uint8_t> content) {
  uint64_t hash = content.size();
  for (const uint8_t byte : content) hash = base::mix64(hash ^ byte);
  return hash | 1;
}

}  // namespace lambdacast::sim
