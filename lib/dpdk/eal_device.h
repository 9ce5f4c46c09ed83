// SPDX-License-Identifier: BSD-3-Clause
// Devices that EAL made by its own options. What is on one goes when its port is closed, and the
// device stays without it: a second incarnation finds no port there, and cannot have it probed
// again.
#pragma once

#include <string>

struct rte_device;

namespace lambdacast::dpdk {

// Takes such a device away, with nothing on it any more. The result is what rte_dev_probe() makes
// it of again, with the arguments that it had; empty: it stays, ports of it are in use.
[[nodiscard]] std::string take_away_device(rte_device* device);

}  // namespace lambdacast::dpdk
