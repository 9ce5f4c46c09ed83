// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks share about the service they ask for and the losses they inject.
#pragma once

#include <cstdint>
#include <string>

#include "config/config.h"
#include "wire/control/transport.h"

namespace CLI {
class App;
}

namespace lambdacast::bench {

struct QosOptions {
  wire::Qos qos = wire::Qos::kUnreliable;
  double drop = 0;  // injected loss at a receiver, probability
  uint64_t drop_seed = 1;
  uint32_t in_flight = 512;  // packets beyond what all receivers have heard of
  uint32_t status_us = 20;
  uint64_t rate_pps = 0;   // of each endpoint, data and repairs together; 0: unlimited
  uint32_t window = 2048;  // packets: retained, and received ahead of each sender

  [[nodiscard]] bool recoverable() const { return qos != wire::Qos::kUnreliable; }
};

void add_qos_options(CLI::App& command, QosOptions& options);

// For [endpoint_defaults]: the pool that the windows need, and the rate and the reliability section
// as TOML, with their newlines. What all senders may have on their way can be held.
[[nodiscard]] uint32_t mbufs_of(const QosOptions& options, uint32_t senders);
[[nodiscard]] std::string reliability_of(const QosOptions& options, uint32_t senders);
// For the endpoint with that number: its faults as TOML, or nothing.
[[nodiscard]] std::string faults_of(const QosOptions& options, uint32_t node);

}  // namespace lambdacast::bench
