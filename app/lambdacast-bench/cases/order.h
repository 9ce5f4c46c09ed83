// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench order`: how much a group delivers in one order, and how long that takes.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "../../command_line.h"
#include "../harness/figures.h"
#include "../harness/rack_plan.h"
#include "base/histogram.h"
#include "node/class_account.h"

namespace lambdacast::bench {

struct OrderOptions {
  ViewPlan rack;
  wire::Qos level = wire::Qos::kTotallyOrdered;
  uint32_t payload_bytes = 64;  // application bytes, at least sizeof(OrderStamp)
  double seconds = 2;           // measured
  double warm_up = 0.3;         // before
  bool one_sender = false;      // a member that is not the sequencer; else all send
  bool coalesce = false;        // messages may share packets
  uint64_t rate = 0;            // messages a second of each sender; 0: as fast as they are taken
  uint32_t pause_ms = 0;        // behind what is measured a member stops for so long; 0: none does
  Output output;
};
inline constexpr uint32_t kOrderGroup = 1;

// The first bytes of every message.
struct OrderStamp {
  uint32_t sender = 0;
  uint32_t phase = 0;
  uint64_t sequence = 0;
  uint64_t sent_ns = 0;
};

void add_options(CLI::App& command, OrderOptions& options);
[[nodiscard]] std::string check(const OrderOptions& options);
[[nodiscard]] inline Planned rack_of(const OrderOptions& options) { return rack_of(options.rack); }
// The node that orders that group in the first view, which has its members in the order of their
// addresses.
[[nodiscard]] uint32_t sequencer_of(uint32_t group, const ViewPlan& rack);
// That many nodes as a set of bits.
[[nodiscard]] inline uint32_t all_nodes(uint32_t nodes) {
  return static_cast<uint32_t>((uint64_t{1} << nodes) - 1);
}

struct OrderReport {
  double elapsed_s = 0;
  uint64_t delivered = 0;        // messages at all nodes, measured
  double capacity_mps = 0;       // with --rx-rate: of unreliable messages, each node, the least
  uint64_t total_published = 0;  // in all, at the end
  uint64_t total_expected = 0;   // deliveries of these
  uint64_t total_delivered = 0;
  uint64_t wrong = 0;
  uint64_t out_of_order = 0;
  uint64_t lost = 0;
  uint64_t views = 0;           // begun, at all nodes; one each is right
  bool same_order = true;       // everywhere
  double duty = 0;              // of the busiest lcore, while measuring
  uint64_t control_frames = 0;  // sent by all, measured
  uint64_t marks = 0;           // packets of them, while measuring
  uint64_t announcements = 0;   // of rates, by all, measured
  // Control of all that can wait for a share, by the data bursts that it waited, measured.
  std::array<uint64_t, node::ClassReport::kWaits> waits{};
  uint64_t repairs = 0;  // sent by all, from the beginning to the end of this level
  uint64_t dropped = 0;  // frames in front of receivers, meanwhile
  base::Histogram latency_ns;
  // The longest time without an ordered delivery at the others while the member stopped.
  uint64_t silence_ns = 0;
  // From the first delivery of a message at a receiver to its last; one message in so many.
  base::Histogram spread_ns;

  [[nodiscard]] double per_node(const OrderOptions& options) const {
    return per_second(delivered, elapsed_s) / options.rack.fabric.nodes;
  }
  // min(N x B_tx, N / (N - 1) x C) of saturated senders; 0: not asked for.
  [[nodiscard]] double optimum(const OrderOptions& options) const {
    const double nodes = options.rack.fabric.nodes;
    return capacity_mps * nodes / (nodes - 1);
  }
  // The part of that control which went within two data bursts; -1: there was none.
  [[nodiscard]] double in_time() const;
  [[nodiscard]] bool sound(const OrderOptions& options) const;
};
[[nodiscard]] Readings readings_of(const OrderReport& report, const OrderOptions& options);

[[nodiscard]] int run(const app::CommandLine& line, const OrderOptions& options);

}  // namespace lambdacast::bench
