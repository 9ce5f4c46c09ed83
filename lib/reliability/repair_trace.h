// SPDX-License-Identifier: BSD-3-Clause
// What happened to packets that were lost on their way, newest last: a ring of fixed size on each
// side of the repair, written only when something is missing. The console merges the rings of a
// process into one packet's life (`trace repair`). Owned by the lcore of its core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambdacast::reliability {

enum class RepairStep : uint8_t {
  kSent,       // the first time; by its sender
  kMissed,     // revealed to be missing; by a receiver
  kAsked,      // a NACK of this receiver named it
  kHeard,      // a NACK of somebody else named it, here
  kNackTaken,  // a NACK reached the sender
  kHeldOff,    // a repair was under way already
  kRepaired,   // the sender sent it again
  kCame,       // a receiver has it at last
  kDelivered,  // and has handed it on
  kLost,       // declared lost
};

[[nodiscard]] const char* name(RepairStep step);

struct TraceEvent {
  uint64_t at_ns = 0;
  uint64_t position = 0;  // rel_seq
  uint16_t peer = 0;      // the stream's sender; on the sender's side, who asked
  RepairStep step = RepairStep::kSent;
};

class RepairTrace {
 public:
  static constexpr size_t kEvents = 1024;

  RepairTrace() : events_(kEvents) {}
  void add(RepairStep step, uint64_t at_ns, uint16_t peer, uint64_t position) {
    events_[written_++ % kEvents] = {at_ns, position, peer, step};
  }
  // visit(const TraceEvent&), oldest first.
  template <typename Visitor>
  void for_each(Visitor&& visit) const {
    for (uint64_t i = written_ > kEvents ? written_ - kEvents : 0; i < written_; ++i) {
      visit(events_[i % kEvents]);
    }
  }
  [[nodiscard]] uint64_t written() const { return written_; }

 private:
  std::vector<TraceEvent> events_;
  uint64_t written_ = 0;
};

}  // namespace lambdacast::reliability
