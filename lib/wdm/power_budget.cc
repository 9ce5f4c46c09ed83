// SPDX-License-Identifier: BSD-3-Clause
#include "wdm/power_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lambdacast::wdm {
namespace {

double way_db(const NodeOptics& node) {
  return node.fiber_km * node.fiber_db_per_km + node.connectors * node.connector_db;
}

ReceiverBudget budget_of(const CouplerOptics& coupler, std::span<const Node> nodes,
                         std::size_t receiver) {
  const NodeOptics& optics = nodes[receiver].optics;
  ReceiverBudget budget;
  budget.owner = nodes[receiver].owner;
  bool any = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i == receiver && nodes.size() > 1) continue;
    const double power_dbm = received_dbm(nodes[i].optics, coupler, optics);
    if (!any || power_dbm < budget.weakest_dbm) {
      budget.weakest_dbm = power_dbm;
      budget.weakest_from = nodes[i].owner;
    }
    if (!any || power_dbm > budget.strongest_dbm) {
      budget.strongest_dbm = power_dbm;
      budget.strongest_from = nodes[i].owner;
    }
    any = true;
  }
  budget.margin_db = budget.weakest_dbm - optics.sensitivity_dbm;
  budget.headroom_db = optics.overload_dbm - budget.strongest_dbm;
  return budget;
}

}  // namespace

double splitting_loss_db(uint32_t ports) { return 10 * std::log10(static_cast<double>(ports)); }

double received_dbm(const NodeOptics& transmitter, const CouplerOptics& coupler,
                    const NodeOptics& receiver) {
  return transmitter.launch_dbm - way_db(transmitter) - splitting_loss_db(coupler.ports) -
         coupler.excess_db + coupler.amplifier_db - way_db(receiver);
}

std::vector<ReceiverBudget> power_budgets(const CouplerOptics& coupler,
                                          std::span<const Node> nodes) {
  std::vector<ReceiverBudget> budgets;
  for (std::size_t i = 0; i < nodes.size(); ++i) budgets.push_back(budget_of(coupler, nodes, i));
  return budgets;
}

std::string warning(const ReceiverBudget& budget) {
  if (budget.margin_db < 0) {
    return fmt::format("receives {:.2f} dBm from {}, {:.2f} dB below its sensitivity",
                       budget.weakest_dbm, budget.weakest_from, -budget.margin_db);
  }
  if (budget.headroom_db < 0) {
    return fmt::format("receives {:.2f} dBm from {}, {:.2f} dB above its overload",
                       budget.strongest_dbm, budget.strongest_from, -budget.headroom_db);
  }
  return "";
}

std::string table(std::span<const ReceiverBudget> budgets) {
  std::string text = fmt::format("{:<16} {:>12} {:<16} {:>10} {:>12} {:<16} {:>11}\n", "receiver",
                                 "weakest", "from", "margin", "strongest", "from", "headroom");
  for (const ReceiverBudget& each : budgets) {
    text += fmt::format("{:<16} {:>8.2f} dBm {:<16} {:>7.2f} dB {:>8.2f} dBm {:<16} {:>8.2f} dB\n",
                        each.owner, each.weakest_dbm, each.weakest_from, each.margin_db,
                        each.strongest_dbm, each.strongest_from, each.headroom_db);
  }
  return text;
}

}  // namespace lambdacast::wdm
