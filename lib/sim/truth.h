// What a correct endpoint would have made of a run: derived from the log alone with naive sets, by
// none of the code under test (only its documented window length and capacities).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario.h"
#include "sim/simulation.h"

namespace lambdacast::sim {

// For one sender and one receiver: where each of the sender's frames ended.
struct PairTruth {
  uint64_t sent = 0;
  // Accepted by sequence accounting:
  uint64_t to_deliver = 0;
  uint64_t not_subscribed = 0;
  // Lost, by true cause and so by place:
  uint64_t lost_at_transmitter = 0;
  uint64_t lost_at_receiver = 0;      // in the fabric, in front of this receiver
  uint64_t lost_corrupted = 0;        // every copy that came was damaged
  uint64_t lost_too_old = 0;          // came only when its place had left the window
  uint64_t lost_peer_table_full = 0;  // the receiver had no room for the sender

  bool known = false;  // the receiver has a stream for the sender
  uint64_t late = 0;
  uint64_t gaps = 0;        // with the one of the tail
  uint64_t duplicates = 0;  // copies
  uint64_t too_old = 0;     // copies
  uint64_t psn_wraps = 0;   // between the first frame accepted and the highest

  [[nodiscard]] uint64_t accepted() const { return to_deliver + not_subscribed; }
  [[nodiscard]] uint64_t lost() const {
    return lost_at_transmitter + lost_at_receiver + lost_corrupted + lost_too_old +
           lost_peer_table_full;
  }
};

struct Truth {
  std::vector<std::vector<PairTruth>> pairs;  // [sender][receiver]
  // Arrivals whose outcome in the log is not what it should have been, one sentence each.
  std::vector<std::string> wrong_outcomes;
};

[[nodiscard]] Truth derive_truth(const Scenario& scenario, const Report& report);

// The outcomes that only a damaged frame can have.
[[nodiscard]] bool says_damaged(counters::DropReason outcome);

}  // namespace lambdacast::sim
