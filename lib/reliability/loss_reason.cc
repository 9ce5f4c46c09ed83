// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/loss_reason.h"

namespace lambdacast::reliability {

const char* name(LossReason reason) {
  switch (reason) {
    case LossReason::kNone:
      return "none";
    case LossReason::kOutsideRetention:
      return "outside_retention";
    case LossReason::kSenderGone:
      return "sender_gone";
    case LossReason::kDeadline:
      return "deadline";
    case LossReason::kEvicted:
      return "evicted";
    case LossReason::kRefused:
      return "refused";
    case LossReason::kReassembly:
      return "reassembly";
    case LossReason::kCount:
      break;
  }
  return "invalid";
}

}  // namespace lambdacast::reliability
