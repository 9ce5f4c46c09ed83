// SPDX-License-Identifier: BSD-3-Clause
// The values of options that several benchmarks have.
#pragma once

#include <cstdint>
#include <string>

#include "wire/control/transport.h"

namespace CLI {
class App;
}

namespace lambdacast::bench {

// Files, "-" for standard output, empty for none.
struct Output {
  std::string json;
  std::string histogram;
  std::string plot;
};

// The service asked for, and the losses injected.
struct QosOptions {
  wire::Qos qos = wire::Qos::kUnreliable;
  double drop = 0;  // injected loss at a receiver, probability
  uint64_t drop_seed = 1;
  uint32_t in_flight = 512;  // packets beyond what all receivers have heard of
  uint32_t status_us = 20;
  uint64_t rate_pps = 0;   // of each endpoint, data and repairs together; 0: unlimited
  uint32_t window = 2048;  // packets: retained, and received ahead of each sender

  [[nodiscard]] bool recoverable() const { return qos != wire::Qos::kUnreliable; }
  [[nodiscard]] std::string text() const;
};

// How fast senders go.
struct Pace {
  enum class Kind : uint8_t {
    kWindow,  // benchmark-only credit: never more than half a ring ahead of the slowest receiver
    kNone,    // as fast as the senders can: a flood
    kRate,    // so many a second, all senders together
  };
  Kind kind = Kind::kWindow;
  uint64_t per_second = 0;  // with Kind::kRate

  [[nodiscard]] std::string text() const;
  // 0: unlimited, or not by rate.
  [[nodiscard]] uint64_t rate() const { return kind == Kind::kRate ? per_second : 0; }
  // Recoverable messages have windows of their own.
  [[nodiscard]] bool windowed(const QosOptions& qos) const {
    return kind == Kind::kWindow && !qos.recoverable();
  }
};

}  // namespace lambdacast::bench
