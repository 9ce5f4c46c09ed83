// SPDX-License-Identifier: BSD-3-Clause
// A fabric tells of the end of a life only if that life has died, or left, before.
#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

Violations check_deaths(const OrderLog& order) {
  ViolationList list("Deaths");
  const Log& log = order.log();
  for (const Buried& each : log.buried) {
    const auto who = [&] { return order.index().name(each.told) + " is told that "; };
    if (each.over == kNobody) {
      list.add(who() + "a life is over that there never was");
    } else if (log.lives[each.over].died_ns > each.at_ns) {
      list.add(who() + order.index().name(each.over) + " is over, which lives");
    }
  }
  return list.take();
}

}  // namespace lambdacast::sim
