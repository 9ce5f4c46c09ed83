// SPDX-License-Identifier: BSD-3-Clause
// A receiver's account: which of the measured messages came, how often, and how long each took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/histogram.h"
#include "message.h"

namespace lambdacast::peers {

class Recorder {
 public:
  explicit Recorder(uint32_t bytes);

  // A message as the peer delivered it.
  void receive(std::span<const std::byte> message) { receive(message, now_ns()); }
  void receive(std::span<const std::byte> message, uint64_t now_ns);

  // All that were sent are there, as far as is known.
  [[nodiscard]] bool complete() const { return sent_ && received_ >= *sent_; }
  // How many were sent, once the end has been heard.
  [[nodiscard]] std::optional<uint64_t> sent() const { return sent_; }
  [[nodiscard]] uint64_t received() const { return received_; }
  [[nodiscard]] uint64_t repeated() const { return repeated_; }
  [[nodiscard]] uint64_t out_of_order() const { return out_of_order_; }
  [[nodiscard]] uint64_t strange() const { return strange_; }
  // Of the last one that was no end mark; 0: none yet.
  [[nodiscard]] uint64_t last_ns() const { return last_ns_; }
  // From the first measured message to the last.
  [[nodiscard]] double seconds() const;
  [[nodiscard]] double per_second() const;
  [[nodiscard]] const base::Histogram& latency_ns() const { return latency_ns_; }

 private:
  uint32_t bytes_;
  std::vector<bool> seen_;
  base::Histogram latency_ns_;
  std::optional<uint64_t> sent_;
  uint64_t received_ = 0;
  uint64_t repeated_ = 0;
  uint64_t out_of_order_ = 0;
  uint64_t strange_ = 0;  // of another length, kind or number
  uint64_t next_ = 0;     // number expected next
  uint64_t first_measured_ns_ = 0;
  uint64_t last_measured_ns_ = 0;
  uint64_t last_ns_ = 0;
};

}  // namespace lambdacast::peers
