// SPDX-License-Identifier: BSD-3-Clause
// Why a packet was declared lost: every loss ends repaired or as one of these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lambdacast::reliability {

enum class LossReason : uint8_t {
  kNone,
  kOutsideRetention,  // the sender does not have it any more
  kSenderGone,        // silent for suspect_after, or restarted
  kDeadline,          // asked for in vain until repair_deadline
  kEvicted,           // the sender cut this receiver off
  kRefused,           // the sender's packets are longer than this receiver can take
  kReassembly,        // it came, and its message cannot be put together here
  kCount
};
inline constexpr size_t kLossReasons = static_cast<size_t>(LossReason::kCount);

// "outside_retention" and the like; "invalid" for a value outside the enum. Static storage.
[[nodiscard]] const char* name(LossReason reason);

}  // namespace lambdacast::reliability
