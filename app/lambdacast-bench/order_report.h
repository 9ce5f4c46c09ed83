// SPDX-License-Identifier: BSD-3-Clause
// What `lambdacast-bench order` found.
#pragma once

#include <cstdint>
#include <string>

#include "base/histogram.h"
#include "order_options.h"

namespace lambdacast::bench {

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
  uint64_t marks = 0;           // packets, likewise
  base::Histogram latency_ns;

  [[nodiscard]] double per_node(const OrderOptions& options) const {
    return elapsed_s > 0 ? static_cast<double>(delivered) / elapsed_s / options.nodes : 0;
  }
  // min(N x B_tx, N / (N - 1) x C) of saturated senders; 0: not asked for.
  [[nodiscard]] double optimum(const OrderOptions& options) const {
    return capacity_mps * options.nodes / (options.nodes - 1.0);
  }
  [[nodiscard]] bool sound(const OrderOptions& options) const;
};

[[nodiscard]] std::string text_of(const OrderReport& report, const OrderOptions& options);
[[nodiscard]] std::string json_of(const OrderReport& report, const OrderOptions& options);

}  // namespace lambdacast::bench
