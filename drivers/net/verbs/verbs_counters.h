// SPDX-License-Identifier: BSD-3-Clause
// The counters of verbs_counters.def, by their writer.
#pragma once

#include "base/cacheline.h"
#include "base/counter.h"

namespace lambdacast::net_verbs {

#define VERBS_DECLARE(name) base::Counter name;
#define VERBS_NOTHING(name)

struct alignas(base::kCacheLinePairBytes) RxCounters {
  base::Counter frames;
  base::Counter bytes;
  base::Counter no_mbuf;  // receives not posted for want of an mbuf
#define VERBS_RX VERBS_DECLARE
#define VERBS_TX VERBS_NOTHING
#define VERBS_CONTROL VERBS_NOTHING
#include "verbs_counters.def"
#undef VERBS_RX
#undef VERBS_TX
};

struct alignas(base::kCacheLinePairBytes) TxCounters {
  base::Counter frames;
  base::Counter bytes;
#define VERBS_RX VERBS_NOTHING
#define VERBS_TX VERBS_DECLARE
#include "verbs_counters.def"
#undef VERBS_TX
#undef VERBS_CONTROL
};

struct alignas(base::kCacheLinePairBytes) ControlCounters {
#define VERBS_TX VERBS_NOTHING
#define VERBS_CONTROL VERBS_DECLARE
#include "verbs_counters.def"
#undef VERBS_RX
#undef VERBS_TX
#undef VERBS_CONTROL
};

#undef VERBS_NOTHING
#undef VERBS_DECLARE

}  // namespace lambdacast::net_verbs
