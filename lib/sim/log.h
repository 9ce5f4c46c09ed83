// What truly happened in a run, written by the simulator (never by the code under test) and read by
// the checkers. Nodes are named by their place in the scenario, frames by their place in `sent`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "counters/drop_reason.h"

namespace lambdacast::sim {

// One transmission: a published message, as the application wrote it.
struct Sent {
  size_t sender = 0;
  uint64_t number = 0;  // 0, 1, ... per sender: its frame_seq should be the sender's first + number
  uint64_t at_ns = 0;
  uint32_t group = 0;
  std::vector<uint8_t> content;
  bool lost_at_transmitter = false;  // no receiver ever saw it
};

// One copy that the fabric lost on its way into one receiver.
struct LostAtReceiver {
  size_t frame = 0;  // index in Log::sent
  size_t receiver = 0;
};

// One copy that reached a receiver, and what the code under test made of it. In order of time.
struct Arrival {
  size_t frame = 0;
  size_t receiver = 0;
  uint64_t at_ns = 0;
  bool corrupted = false;
  counters::DropReason outcome = counters::DropReason::kNone;  // kNone: delivered
  // If delivered: what the application got, and from whom by the endpoint's own account.
  size_t claimed_sender = 0;  // kNobody: no node of the scenario
  uint32_t claimed_group = 0;
  std::vector<uint8_t> content;
};

inline constexpr size_t kNobody = ~size_t{0};

struct Log {
  std::vector<Sent> sent;
  std::vector<LostAtReceiver> lost_at_receiver;
  std::vector<Arrival> arrivals;
};

}  // namespace lambdacast::sim
