// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/repair_trace.h"

namespace lambdacast::reliability {

const char* name(RepairStep step) {
  switch (step) {
    case RepairStep::kSent:
      return "sent";
    case RepairStep::kMissed:
      return "missed";
    case RepairStep::kAsked:
      return "asked";
    case RepairStep::kHeard:
      return "heard another's NACK";
    case RepairStep::kNackTaken:
      return "NACK taken";
    case RepairStep::kHeldOff:
      return "held off";
    case RepairStep::kRepaired:
      return "repaired";
    case RepairStep::kCame:
      return "came";
    case RepairStep::kDelivered:
      return "delivered";
    case RepairStep::kLost:
      return "lost";
  }
  return "invalid";
}

}  // namespace lambdacast::reliability
