// SPDX-License-Identifier: BSD-3-Clause
// The state of a group on its way to a member that waits for it: the receiver's end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "group/event_id.h"
#include "wire/control/group_message.h"

namespace lambdacast::group {

class IncomingState {
 public:
  // The state as of this event is wanted from now on, and no other.
  void expect(const EventId& as_of) {
    as_of_ = as_of;
    state_.clear();
    complete_ = false;
  }

  // Pieces come in their order; others are not taken. True: the state is complete with this one.
  [[nodiscard]] bool take(const wire::GroupPiece& piece, std::span<const uint8_t> bytes) {
    if (EventId{piece.epoch, piece.index} != as_of_ || complete_ || piece.offset != state_.size())
      return false;
    state_.reserve(piece.total);
    state_.insert(state_.end(), bytes.begin(), bytes.end());
    complete_ = state_.size() == piece.total;
    return complete_;
  }
  [[nodiscard]] std::span<const uint8_t> state() const { return state_; }
  // Gives the memory back: the state has been restored.
  void forget() { std::vector<uint8_t>().swap(state_); }

 private:
  EventId as_of_;
  std::vector<uint8_t> state_;
  bool complete_ = false;
};

}  // namespace lambdacast::group
