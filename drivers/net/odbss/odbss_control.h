// SPDX-License-Identifier: BSD-3-Clause
// A program that links the driver may change the faults and the line rate of a running net_odbss
// port by these calls. A stock DPDK program sets them once, by device arguments (odbss_devargs.h).
//
//   auto rates = odbss::faults(port_id);         // as they are
//   rates->loss = 0.01;
//   auto set = odbss::set_faults(port_id, *rates);
//
// Any thread may call them, at the same time too; no lcore waits. The lcore that polls a queue
// takes a change over with its next burst. Faults that go by probability start anew from the seed,
// as a function of each wavelength's frame index; frames held back by an earlier rx_rate are let
// through at once and in order. The counters go on.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/faults.h"

namespace lambdacast::odbss {

// Error: no port of that number, or not one of net_odbss.
[[nodiscard]] base::Result<fabric::FaultRates> faults(uint16_t port_id);

// All of them at once; the default FaultRates ends them. Error: as above, or a value out of range,
// which is named with what is allowed (fabric::validate); nothing is changed then.
[[nodiscard]] base::Result<void> set_faults(uint16_t port_id, const fabric::FaultRates& rates);

// Bits/s that the port's own wavelength carries, also shown as the link's speed: 0 is unlimited,
// else fabric::kMinRateBps .. kMaxRateBps.
[[nodiscard]] base::Result<uint64_t> line_rate_bps(uint16_t port_id);
[[nodiscard]] base::Result<void> set_line_rate_bps(uint16_t port_id, uint64_t rate_bps);

}  // namespace lambdacast::odbss
