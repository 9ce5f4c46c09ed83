// SPDX-License-Identifier: BSD-3-Clause
// The options of `lambdacast-bench failover`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "order_options.h"

namespace lambdacast::bench {

enum class Victims : uint8_t {
  kSequencer,  // of the benchmark's group
  kMember,     // another one
  kTwo         // the sequencer and another one, at once
};

struct FailoverOptions {
  uint32_t nodes = 4;
  Victims victims = Victims::kSequencer;
  uint32_t suspect_after_us = 20'000;
  uint32_t heartbeat_us = 1'000;
  uint32_t runs = 20;
  uint64_t rate = 2'000;  // messages a second of each node
  uint32_t payload_bytes = 64;
  std::vector<uint32_t> lcores = {0, 1};
  std::string json;

  [[nodiscard]] uint32_t stopped() const { return victims == Victims::kTwo ? 2 : 1; }
};

[[nodiscard]] const char* name_of(Victims victims);
void add_failover_options(CLI::App& command, FailoverOptions& options);
[[nodiscard]] std::string check(const FailoverOptions& options);
// Node `tie_breaker` survives: with it half of a view goes on.
[[nodiscard]] OrderOptions order_options(const FailoverOptions& options, uint32_t tie_breaker);

}  // namespace lambdacast::bench
