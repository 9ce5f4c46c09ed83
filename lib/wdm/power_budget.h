// SPDX-License-Identifier: BSD-3-Clause
// Power budget of a passive star coupler: does the light of every transmitter reach every receiver
// strong enough, and not too strong?
//
//   received = launch - transmitter's fiber and connectors
//              - 10 log10 N - excess loss + amplifier gain        (N x N coupler)
//              - receiver's fiber and connectors                            all in dBm and dB
//
// An N x N coupler gives each output 1/N of each input (ODBSS 2019, II.A: optical power from each
// input is split to all outputs); its excess loss is what it loses besides, by its data sheet.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lambdacast::wdm {

// A node's transceiver and its way to the coupler, the same both ways. Defaults: a 10G DWDM
// transceiver for 80 km by its data sheets (launch -1 .. +4 dBm, the weakest; sensitivity
// -23 dBm at a bit error ratio of 1e-12; overload -7 dBm), fiber as ITU-T G.652.D allows it at
// 1550 nm, connectors as IEC 61753-1 grade B.
struct NodeOptics {
  double launch_dbm = -1;
  double sensitivity_dbm = -23;
  double overload_dbm = -7;
  double fiber_km = 0.1;
  double fiber_db_per_km = 0.3;
  uint32_t connectors = 2;  // at the transceiver and at the coupler
  double connector_db = 0.25;
  bool operator==(const NodeOptics&) const = default;
};

struct CouplerOptics {
  uint32_t ports = 40;      // N, at least 1
  double excess_db = 1.5;   // of the longest path through it
  double amplifier_db = 0;  // gain, of an amplifier behind each output if there is one
  bool operator==(const CouplerOptics&) const = default;
};

[[nodiscard]] double splitting_loss_db(uint32_t ports);
[[nodiscard]] double received_dbm(const NodeOptics& transmitter, const CouplerOptics& coupler,
                                  const NodeOptics& receiver);

struct Node {
  std::string owner;
  NodeOptics optics;
};

// The light that one receiver gets of all others. Its own is left out; if there is nobody else the
// budget is about its own, which comes back to it through the coupler.
struct ReceiverBudget {
  std::string owner;
  std::string weakest_from;
  double weakest_dbm = 0;
  double margin_db = 0;  // weakest above sensitivity; negative: too weak to be read
  std::string strongest_from;
  double strongest_dbm = 0;
  double headroom_db = 0;  // strongest below overload; negative: blinds the receiver

  [[nodiscard]] bool in_order() const { return margin_db >= 0 && headroom_db >= 0; }
};

// Returns the budgets in the nodes' order.
[[nodiscard]] std::vector<ReceiverBudget> power_budgets(const CouplerOptics& coupler,
                                                        std::span<const Node> nodes);

// A warning as a clause whose subject is the receiver ("receives -24.10 dBm from node0, 1.10 dB
// below its sensitivity"), or "" if nothing is wrong.
[[nodiscard]] std::string warning(const ReceiverBudget& budget);

// One line a receiver under a heading.
[[nodiscard]] std::string table(std::span<const ReceiverBudget> budgets);

}  // namespace lambdacast::wdm
