// SPDX-License-Identifier: BSD-3-Clause
// The 24-bit packet sequence number of the BTH (IBTA vol. 1, 9.2), by serial-number arithmetic (RFC
// 1982 with SERIAL_BITS 24). The one place where PSNs are compared: a raw `<` is wrong after every
// wrap, which at 14.88 Mpps comes each 1.1 s.
//
// Two PSNs exactly 2^23 apart could be either way round; that is said, never guessed. A true
// distance beyond 2^23 cannot be told from a small one the other way: whoever may see such a gap
// needs the 64-bit sequence of the transport header (wire/control/transport.h).
#pragma once

#include <cstdint>
#include <optional>

namespace lambdacast::wire {

inline constexpr uint32_t kPsnMask = 0xffffff;
inline constexpr uint32_t kPsnHalfRange = 0x800000;

// How far `to` lies ahead of `from`, in packets, in (-2^23, 2^23); empty at exactly 2^23. Bits
// 24-31 of either argument are ignored.
[[nodiscard]] constexpr std::optional<int32_t> psn_distance(uint32_t from, uint32_t to) {
  const uint32_t ahead = (to - from) & kPsnMask;
  if (ahead == kPsnHalfRange) return std::nullopt;
  if (ahead < kPsnHalfRange) return static_cast<int32_t>(ahead);
  return static_cast<int32_t>(ahead) - (int32_t{1} << 24);
}

enum class PsnOrder : uint8_t { kEarlier, kSame, kLater, kUndecidable };

// Where `psn` lies as seen from `reference`.
[[nodiscard]] constexpr PsnOrder psn_order(uint32_t reference, uint32_t psn) {
  const std::optional<int32_t> distance = psn_distance(reference, psn);
  if (!distance) return PsnOrder::kUndecidable;
  if (*distance == 0) return PsnOrder::kSame;
  return *distance < 0 ? PsnOrder::kEarlier : PsnOrder::kLater;
}

// The 64-bit sequence nearest `reference` whose low 24 bits are `psn`. Empty when two are equally
// near, and when the nearest would lie below zero or above 2^64 - 1.
[[nodiscard]] constexpr std::optional<uint64_t> extend_psn(uint64_t reference, uint32_t psn) {
  const std::optional<int32_t> distance =
      psn_distance(static_cast<uint32_t>(reference & kPsnMask), psn);
  if (!distance) return std::nullopt;
  const uint64_t extended = reference + static_cast<uint64_t>(int64_t{*distance});
  const bool wrapped = *distance < 0 ? extended > reference : extended < reference;
  if (wrapped) return std::nullopt;
  return extended;
}

}  // namespace lambdacast::wire
