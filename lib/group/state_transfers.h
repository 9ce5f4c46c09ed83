// SPDX-License-Identifier: BSD-3-Clause
// The states of groups that are on their way to waiting members: who gets which, all over the view,
// and those that this endpoint sends.
//
// The waits are equal at all endpoints after the same events; what is sent is this endpoint's own.
// Not thread-safe. A state that is sent is held here until its last piece is on its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "group/carrier.h"
#include "group/outgoing_state.h"

namespace lambdacast::group {

class StateTransfers {
 public:
  // States of more than `state_bytes` are not sent to their end; a piece has `packet_bytes` at
  // most.
  StateTransfers(Carrier& carrier, size_t state_bytes, size_t packet_bytes)
      : carrier_(carrier), state_bytes_(state_bytes), payload_(packet_bytes) {}

  // All that was under way is void.
  void begin_view(uint64_t epoch, size_t members);
  void end_view() { begin_view(0, 0); }

  // These ranks wait for the group's state as of this event of the view, and have to get it.
  void wait(uint32_t group, NodeSet ranks, uint64_t index);
  // The ranks that wait for the state that the piece is of, among those that it is for. Others may
  // be named by it: members before, which have left meanwhile, perhaps to join again.
  [[nodiscard]] NodeSet waiting_for(uint32_t group, const wire::GroupPiece& piece) const;
  // These ranks get nothing any more, not even what this endpoint is sending them.
  void forget(uint32_t group, NodeSet ranks);

  void send(uint32_t group, const EventId& as_of, NodeSet ranks, std::vector<uint8_t> state) {
    outgoing_.emplace_back(group, as_of, Receivers{ranks, words_}, std::move(state));
  }
  // This endpoint was to send a state, and has none.
  void refuse(uint32_t group, const EventId& as_of, NodeSet ranks) {
    outgoing_.emplace_back(group, as_of, Receivers{ranks, words_});
  }
  // Sends some pieces, so that other messages go out between them.
  void poll();
  [[nodiscard]] size_t sending() const { return outgoing_.size(); }

 private:
  // Only the state as of just that event counts: a piece for an earlier membership may still come.
  struct Wait {
    uint32_t group = 0;
    uint32_t rank = 0;
    uint64_t index = 0;
  };

  Carrier& carrier_;
  const size_t state_bytes_;
  uint64_t epoch_ = 0;
  size_t words_ = 1;
  std::vector<Wait> waits_;
  std::deque<OutgoingState> outgoing_;
  std::vector<uint8_t> payload_;
};

}  // namespace lambdacast::group
