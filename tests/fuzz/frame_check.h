// SPDX-License-Identifier: BSD-3-Clause
// What must hold for any bytes given to lib/wire's readers. Shared by the libFuzzer target and by
// the mutation test of the normal build.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counters/drop_reason.h"

namespace lambdacast::fuzz {

struct Verdict {
  const char* violated = nullptr;  // the rule broken, or null
  counters::DropReason parsed = counters::DropReason::kNone;
  bool icrc_right = false;  // only if parsed is kNone
  bool shaped = false;      // a FrameShape for its destination recognised it
  bool rebuilt = false;     // the frame was one that our encoders can build, and they did
};

// Parses a copy of exactly `bytes`, so that AddressSanitizer sees one byte read too many.
Verdict check_frame(const uint8_t* data, size_t bytes);

// Makes the IPv4 header checksum of an Ethernet frame right, if it has such a header: without this
// hardly any mutation would get past it.
void mend_ipv4_checksum(uint8_t* frame, size_t bytes);

}  // namespace lambdacast::fuzz
