// SPDX-License-Identifier: BSD-3-Clause
// Passes of the token ring: the payload of recoverable packets to kPassGroup, of the token site's
// own stream. A pass names neither its maker nor the next site, for both follow from its number.
//
//   0  epoch 8     8  pass 8     16  items: | rank of a sender 2 | zero 2 | through rel_seq 8 |
//
// An item says: of that sender's packets of the ring's domains up to there, those that are not
// ordered yet come next, in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "wire/control/view_control.h"

namespace lambdacast::wire {

inline constexpr size_t kPassHeaderBytes = 16;

struct Pass {
  uint64_t epoch = 0;
  uint64_t number = 0;  // from 1 on, in each view
  bool operator==(const Pass&) const = default;
};

inline void store_pass(const Pass& pass, uint8_t* payload) {
  base::store_be64(payload, pass.epoch);
  base::store_be64(payload + 8, pass.number);
}
inline void store_pass_item(const Mark& item, uint8_t* payload, size_t number) {
  uint8_t* const out = payload + kPassHeaderBytes + number * kMarkBytes;
  base::store_be32(out, uint32_t{item.rank} << 16);
  base::store_be64(out + 4, item.through);
}
[[nodiscard]] constexpr size_t pass_bytes(size_t items) {
  return kPassHeaderBytes + items * kMarkBytes;
}
// A pass has its header, and whole items behind it.
[[nodiscard]] inline bool valid_pass(std::span<const uint8_t> payload) {
  return payload.size() >= kPassHeaderBytes &&
         (payload.size() - kPassHeaderBytes) % kMarkBytes == 0;
}

// These read payloads that valid_pass() accepts.
[[nodiscard]] inline Pass load_pass(std::span<const uint8_t> payload) {
  return {base::load_be64(payload.data()), base::load_be64(payload.data() + 8)};
}
[[nodiscard]] inline size_t count_pass_items(std::span<const uint8_t> payload) {
  return (payload.size() - kPassHeaderBytes) / kMarkBytes;
}
[[nodiscard]] inline Mark load_pass_item(std::span<const uint8_t> payload, size_t number) {
  const uint8_t* const in = payload.data() + kPassHeaderBytes + number * kMarkBytes;
  return {base::load_be16(in), base::load_be64(in + 4)};
}

}  // namespace lambdacast::wire
