// SPDX-License-Identifier: BSD-3-Clause
// Frames that are right but unusual, and frames with one thing wrong: what a receiver of unreliable
// datagrams is asked about. Each is made of a good frame.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "wire/roce/build.h"

namespace lambdacast::interop {

using Bytes = std::vector<uint8_t>;

struct Variant {
  std::string_view name;
  void (*fields)(wire::FrameFields&);                   // before the frame is built
  void (*bytes)(Bytes& frame, size_t l3, size_t bth);   // afterwards, or null; then a new ICRC
  void (*sealed)(Bytes& frame, size_t l3, size_t bth);  // behind the ICRC, or null
};

// Null: there is none of that name. "good" changes nothing.
[[nodiscard]] const Variant* find_variant(std::string_view name);

// The frame around `payload`, by wire::FrameTemplate as the data path makes it, then varied. Empty:
// the payload is too long or the addresses are of two families.
[[nodiscard]] Bytes build_variant(const Variant& variant, wire::FrameFields fields,
                                  const Bytes& payload);

}  // namespace lambdacast::interop
