// SPDX-License-Identifier: BSD-3-Clause
#include "repair.h"

#include <fmt/format.h>

#include "../command_line.h"
#include "sim/multicast/repair_run.h"

namespace lambdacast::sim_program {

namespace {

bool print_row(const sim::RepairRun& run) {
  const sim::RepairFigures figures = sim::measure_repair(run);
  const bool complete = figures.delivered == run.messages * (run.nodes - 1);
  const bool bounded =
      figures.repairs_bounded() && (!run.at_transmitter || figures.nacks_bounded());
  fmt::print("| {} | {:g} | {} | {:.2f} | {:.2f} | {:.1f} | {:.2f} | {:.4f} | {:.4f} | {} |\n",
             run.nodes, run.loss, run.at_transmitter ? "transmitter" : "each receiver",
             figures.p50_rtt, figures.p99_rtt, figures.stall_rtt, figures.nacks_per_loss,
             figures.repairs_per_packet, figures.most_repairs_per_packet(),
             !complete ? "incomplete"
             : bounded ? "yes"
                       : "exceeded");
  return complete && bounded;
}

}  // namespace

int run_repair(const RepairOptions& options) {
  fmt::print(
      "| nodes | loss | where | p50, RTT | p99, RTT | stall, RTT | NACK frames a loss | "
      "repairs a packet | bound | held |\n|---|---|---|---|---|---|---|---|---|---|\n");
  bool held = true;
  for (const bool at_transmitter : {false, true}) {
    for (const double loss : options.loss) {
      for (const size_t nodes : options.nodes) {
        held &= print_row({.nodes = nodes,
                           .loss = loss,
                           .at_transmitter = at_transmitter,
                           .messages = options.messages,
                           .seed = options.seed});
      }
    }
  }
  return held ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
