// SPDX-License-Identifier: BSD-3-Clause
// Where every packet of a run went, from counters that were kept independently of one another: the
// ports' and the stages' (what was dropped, and why) against the sequences (what is missing).
// The place of a loss is inferred as in ODBSS 2019, III.A: a loss that all receivers share is the
// transmitter's, and any other is the receiver's that has it.
//
// Per receiver, once all is quiet or stopped:
//   expected + elsewhere + copies + own = delivered + duplicates + other + foreign + control +
//   marks + sum of losses + inside
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rack/endpoint.h"

namespace lambdacast::rack {

using LossesByReason = std::map<std::string, uint64_t>;  // only reasons that occurred

// The account of one receiver.
struct ReceiverAccount {
  uint64_t expected = 0;    // frames its peers' ports have sent, on the fabric control included
  uint64_t elsewhere = 0;   // frames of transmitters outside this process that reached the port
  uint64_t copies = 0;      // frames the fabric was told to duplicate
  uint64_t own = 0;         // of its own, in total order: they come back to it
  uint64_t delivered = 0;   // to the application's link
  uint64_t marks = 0;       // of total order, taken: they are delivered to nobody
  uint64_t duplicates = 0;  // refused as such
  uint64_t control = 0;     // control frames taken
  uint64_t other = 0;       // of a real network: ARP, IGMP, other protocols, other VLANs
  uint64_t foreign = 0;     // of other fabrics: to groups, queue pairs and partitions not ours
  uint64_t corrupted = 0;   // arrived with a wrong ICRC; also among the losses
  uint64_t inside = 0;      // in the links and in reassembly, on their way to delivery
  LossesByReason losses;

  [[nodiscard]] uint64_t lost() const;
  // How many of the `expected` frames are control, which is not numbered as data is.
  uint64_t control_expected = 0;
  [[nodiscard]] uint64_t control_lost() const {
    return control_expected > control ? control_expected - control : 0;
  }
  // Packets not told of: 0 if the account balances, negative if more is told of than came.
  [[nodiscard]] int64_t shortfall() const {
    return static_cast<int64_t>(expected + elsewhere + copies + own - delivered - duplicates -
                                other - foreign - control - marks - lost() - inside);
  }
  [[nodiscard]] bool balanced() const { return shortfall() == 0; }
  // The packets of shortfall() that no control frame on its way explains. The number is exact
  // unless a port lost control frames.
  [[nodiscard]] uint64_t missing_data() const {
    const int64_t data = shortfall() - static_cast<int64_t>(control_lost());
    return data > 0 ? static_cast<uint64_t>(data) : 0;
  }
};

// The account of one transmitter: frames that have a number and never reached the fabric are lost
// to all.
struct TransmitterAccount {
  uint64_t numbered = 0;  // data, repairs and what was relayed included
  uint64_t control = 0;   // frames, on the embedded fabric
  uint64_t on_the_fabric = 0;

  // A running endpoint's port is read a little after its stages and may be ahead of them.
  [[nodiscard]] uint64_t lost() const {
    return numbered + control > on_the_fabric ? numbered + control - on_the_fabric : 0;
  }
};

// `expected` and `elsewhere` are the caller's to fill in: it knows who the peers are.
[[nodiscard]] ReceiverAccount account_of_receiver(const node::NodeReport& stages,
                                                  const dpdk::PortStatistics& port);
[[nodiscard]] TransmitterAccount account_of_transmitter(const node::NodeReport& stages,
                                                        const dpdk::PortStatistics& port);

}  // namespace lambdacast::rack
