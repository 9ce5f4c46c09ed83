// SPDX-License-Identifier: BSD-3-Clause
// The state of a group on its way to members that wait for it, in pieces of a packet each: the
// sender's end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "group/event_id.h"
#include "group/members.h"
#include "wire/control/group_message.h"

namespace lambdacast::group {

// The receivers of a state, as a message of their view names them.
struct Receivers {
  NodeSet ranks;
  size_t words = 1;  // wire::rank_words() of the view
};

class OutgoingState {
 public:
  OutgoingState(uint32_t group, const EventId& as_of, const Receivers& whom,
                std::vector<uint8_t> state)
      : group_(group), as_of_(as_of), whom_(whom), state_(std::move(state)) {}
  // A refusal: this endpoint is to send the state, and has none.
  OutgoingState(uint32_t group, const EventId& as_of, const Receivers& whom)
      : group_(group), as_of_(as_of), whom_(whom), refused_(true) {}

  [[nodiscard]] uint32_t group() const { return group_; }
  // Writes the next piece at `out` and returns its bytes. Until sent() that is the same piece.
  [[nodiscard]] size_t write(uint8_t* out, size_t room) const {
    const wire::GroupPiece piece{as_of_.epoch,  as_of_.index, whom_.ranks,
                                 state_.size(), offset_,      whom_.words};
    return refused_ ? wire::store_group_refuse(piece, out)
                    : wire::store_group_piece(piece, state_, room, out);
  }
  // The piece of `written` bytes is on its way. One piece is enough of a state of more than `most`
  // bytes: all see in it that the state is too large.
  void sent(size_t written, size_t most) {
    if (!refused_) offset_ += written - wire::group_piece_bytes(whom_.words);
    done_ = refused_ || offset_ == state_.size() || state_.size() > most;
  }
  [[nodiscard]] bool done() const { return done_; }
  // These ranks do not want the state any more. Returns true if no rank wants it.
  [[nodiscard]] bool forget(NodeSet ranks) { return (whom_.ranks -= ranks).empty(); }

 private:
  uint32_t group_;
  EventId as_of_;
  Receivers whom_;
  bool refused_ = false;
  std::vector<uint8_t> state_;
  size_t offset_ = 0;
  bool done_ = false;
};

}  // namespace lambdacast::group
