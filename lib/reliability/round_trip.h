// SPDX-License-Identifier: BSD-3-Clause
// Round-trip time to one peer and how long to wait for an answer: RFC 6298's smoothing, without
// its one-second floor, which is for the Internet. A sample is now - echoed timestamp - the time
// the peer held it back: both ends' clocks may differ, each is only compared with itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "wire/control/control.h"

namespace lambdacast::reliability {

class RoundTrip {
 public:
  explicit RoundTrip(uint64_t initial_ns = 100'000)
      : smoothed_ns_(initial_ns), variation_ns_(initial_ns / 2) {}

  void sample(uint64_t rtt_ns) {
    rtt_ns = std::clamp<uint64_t>(rtt_ns, 1, kMaxNs);
    const bool young = samples_++ < kYoungSamples;
    // One of the first may have waited in a port while either end stood still.
    if (samples_ == 1 || (young && rtt_ns < smoothed_ns_ / 2)) {
      smoothed_ns_ = least_ns_ = rtt_ns;
      variation_ns_ = rtt_ns / 2;
      return;
    }
    // Forgotten slowly: the path may have become longer.
    least_ns_ += (smoothed_ns_ - std::min(smoothed_ns_, least_ns_)) / 1024;
    least_ns_ = std::min(least_ns_, rtt_ns);
    // A scheduler's time slice is no round trip: it may raise the estimate, not become it.
    rtt_ns = std::min(rtt_ns, kMostGrowth * smoothed_ns());
    const uint64_t error = rtt_ns > smoothed_ns_ ? rtt_ns - smoothed_ns_ : smoothed_ns_ - rtt_ns;
    variation_ns_ = (3 * variation_ns_ + error) / 4;
    smoothed_ns_ = (7 * smoothed_ns_ + rtt_ns) / 8;
  }

  // Takes a sample from a status about our own stream, and returns it if there was one. An echo
  // counts once, because it is repeated while we send nothing.
  std::optional<uint64_t> sample_echo(const wire::StatusEntry& entry, uint64_t now_ns) {
    constexpr uint32_t kTooLong = ~uint32_t{0};
    const uint64_t sent_ns = entry.echo_timestamp_ns;
    if (sent_ns == 0 || sent_ns == last_echo_ns_ || entry.echo_delay_ns == kTooLong)
      return std::nullopt;
    if (now_ns < sent_ns || now_ns - sent_ns <= entry.echo_delay_ns) return std::nullopt;
    last_echo_ns_ = sent_ns;
    const uint64_t rtt_ns = now_ns - sent_ns - entry.echo_delay_ns;
    sample(rtt_ns);
    return rtt_ns;
  }

  [[nodiscard]] uint64_t smoothed_ns() const { return std::max<uint64_t>(smoothed_ns_, 1); }
  [[nodiscard]] uint64_t variation_ns() const { return variation_ns_; }
  // The shortest of late, with nothing in the way; 0: none has been measured.
  [[nodiscard]] uint64_t least_ns() const { return least_ns_; }
  [[nodiscard]] uint64_t samples() const { return samples_; }

  // How long until a NACK is repeated: max(1.5 srtt, srtt + 4 rttvar) (doc/protocol.md, "Gaps").
  [[nodiscard]] uint64_t retry_ns() const {
    return std::max(smoothed_ns() + smoothed_ns() / 2, smoothed_ns() + 4 * variation_ns_);
  }

 private:
  static constexpr uint64_t kYoungSamples = 8;
  static constexpr uint64_t kMostGrowth = 3;
  static constexpr uint64_t kMaxNs = 10'000'000'000;  // a longer one is a clock gone wrong
  uint64_t smoothed_ns_;
  uint64_t variation_ns_;
  uint64_t least_ns_ = 0;
  uint64_t samples_ = 0;
  uint64_t last_echo_ns_ = 0;
};

}  // namespace lambdacast::reliability
