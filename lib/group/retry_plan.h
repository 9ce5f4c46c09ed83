// SPDX-License-Identifier: BSD-3-Clause
// Decides when a caller outside the view repeats a message that nobody has answered.
//
// The wait doubles from the configured one on, and ends somewhere in its second half: calls that
// are repeated in step would find the room at their entry taken by the first of them each time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/random.h"

namespace lambdacast::group {

// The state of one message that is repeated. Times are the caller's lived time, in ns.
struct Retry {
  uint64_t next_ns = 0;
  uint64_t interval_ns = 0;
  uint32_t times = 0;    // sent
  uint32_t refused = 0;  // of them, by entries
  uint32_t entries = 0;  // that had been left then
};

class RetryPlan {
 public:
  RetryPlan(uint64_t first_ns, uint32_t incarnation)
      : first_ns_(first_ns), incarnation_(incarnation) {}

  // It was sent now, under that number.
  void sent(Retry& retry, uint64_t number, uint64_t now_ns) const {
    ++retry.times;
    retry.interval_ns =
        retry.interval_ns == 0 ? first_ns_ : std::min(2 * retry.interval_ns, kLongest * first_ns_);
    retry.next_ns = now_ns + in_its_phase(retry.interval_ns, number, retry.times);
  }
  // An entry without room has some soon, so the wait begins anew from the first one. It doubles
  // with each refusal: copies at short intervals would fill the streams with refusals.
  void refused(Retry& retry, uint64_t number, uint64_t now_ns) const {
    const uint64_t most_ns = first_ns_ << std::min(retry.refused, kDoublings);
    retry.next_ns = std::min(retry.next_ns, now_ns + in_its_phase(most_ns, number, retry.times));
  }

 private:
  static constexpr uint64_t kLongest = 50;   // of the first wait
  static constexpr uint32_t kDoublings = 4;  // at most, while entries have no room

  [[nodiscard]] uint64_t in_its_phase(uint64_t wait_ns, uint64_t number, uint32_t times) const {
    const uint64_t drawn = base::mix64(base::mix64(incarnation_ ^ number << 32) ^ times);
    return wait_ns / 2 + drawn % (wait_ns / 2 + 1);
  }

  const uint64_t first_ns_;
  const uint32_t incarnation_;
};

}  // namespace lambdacast::group
