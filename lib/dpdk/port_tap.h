// SPDX-License-Identifier: BSD-3-Clause
// Somebody who looks at what a node's port receives and transmits, from above the port: a capture
// (lib/capture). One tap is called on one lcore.
#pragma once

#include <rte_mbuf.h>

#include <cstdint>

namespace lambdacast::dpdk {

class PortTap {
 public:
  virtual ~PortTap() = default;
  // Frames as the ports gave them; a frame's mbuf says which port it came from.
  virtual void received(rte_mbuf* const* frames, uint32_t count) = 0;
  // rte_eth_tx_burst, with a look at what the port takes: a frame that it refuses will be offered
  // again.
  [[nodiscard]] virtual uint16_t transmit(uint16_t port, uint16_t queue, rte_mbuf** frames,
                                          uint16_t count) = 0;
};

}  // namespace lambdacast::dpdk
