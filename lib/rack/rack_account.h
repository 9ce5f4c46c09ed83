// SPDX-License-Identifier: BSD-3-Clause
// The account of a whole rack at one time, and the wait for it to come to rest.
#pragma once

#include <cstdint>
#include <vector>

#include "dpdk/stop_signal.h"
#include "rack/loss_account.h"
#include "rack/rack.h"

namespace lambdacast::rack {

struct RackAccount {
  uint64_t now_ns = 0;
  std::vector<node::NodeReport> stages;
  std::vector<dpdk::PortStatistics> ports;
  std::vector<TransmitterAccount> transmitters;
  // `expected`: what all other endpoints of this process have numbered; what of it never reached
  // the fabric is the loss "transmitter", and what a real network did not bring, "network".
  std::vector<ReceiverAccount> receivers;

  // Everything published is on the fabric or lost, and accounted for at every receiver.
  [[nodiscard]] bool at_rest() const;
};

// A look at a running rack: its counters are read one after the other, so that only a rack at rest
// is balanced.
[[nodiscard]] RackAccount account_of(Rack& rack);

// Waits until the rack is at rest; its applications must not begin to publish any more. It gives up
// when for half a second nothing was published here and nothing that is missing has turned up:
// either the identity does not hold, or other processes go on sending. Only a rack that has stopped
// gives an exact account then.
[[nodiscard]] RackAccount settle(Rack& rack, dpdk::StopSignal& stop);

}  // namespace lambdacast::rack
