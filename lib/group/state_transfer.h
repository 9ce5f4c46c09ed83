// The state of a group on its way to who joins it, in pieces of a packet each: the two ends.
//
// A state is that as of one event of the group: (epoch, index) of a message, or the beginning of a
// view. Who waits knows as of which event it will get it. The pieces are in the order, behind that
// event: everybody sees when who waits has all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "group/members.h"
#include "wire/control/group_message.h"

namespace lambdacast::group {

struct EventId {
  uint64_t epoch = 0;
  uint64_t index = wire::kViewIndex;
  bool operator==(const EventId&) const = default;
};

class OutgoingState {
 public:
  OutgoingState(uint32_t group, const EventId& as_of, NodeSet whom, size_t words,
                std::vector<uint8_t> state)
      : group_(group), as_of_(as_of), whom_(whom), words_(words), state_(std::move(state)) {}
  // Of who is to send a state, and has none.
  OutgoingState(uint32_t group, const EventId& as_of, NodeSet whom, size_t words)
      : group_(group), as_of_(as_of), whom_(whom), words_(words), refused_(true) {}

  [[nodiscard]] uint32_t group() const { return group_; }
  // The next piece at `out`; sent() when it is on its way.
  [[nodiscard]] size_t write(uint8_t* out, size_t room) const {
    const wire::GroupPiece piece{as_of_.epoch, as_of_.index, whom_, state_.size(), offset_, words_};
    return refused_ ? wire::store_group_refuse(piece, out)
                    : wire::store_group_piece(piece, state_, room, out);
  }
  // Of a state of more than `most` bytes one piece will do: all see that it is too large.
  void sent(size_t written, size_t most) {
    if (!refused_) offset_ += written - wire::group_piece_bytes(words_);
    done_ = refused_ || offset_ == state_.size() || state_.size() > most;
  }
  [[nodiscard]] bool done() const { return done_; }
  // Those want it no more. True: nobody does.
  [[nodiscard]] bool forget(NodeSet ranks) { return (whom_ -= ranks).empty(); }

 private:
  uint32_t group_;
  EventId as_of_;
  NodeSet whom_;
  size_t words_;
  bool refused_ = false;
  std::vector<uint8_t> state_;
  size_t offset_ = 0;
  bool done_ = false;
};

class IncomingState {
 public:
  // From now on that as of this event is wanted, and no other.
  void expect(const EventId& as_of) {
    as_of_ = as_of;
    state_.clear();
    complete_ = false;
  }
  [[nodiscard]] const EventId& as_of() const { return as_of_; }

  // The pieces come in their order. True: it is complete with this one.
  [[nodiscard]] bool take(const wire::GroupPiece& piece, std::span<const uint8_t> bytes) {
    if (EventId{piece.epoch, piece.index} != as_of_ || complete_ || piece.offset != state_.size())
      return false;
    state_.reserve(piece.total);
    state_.insert(state_.end(), bytes.begin(), bytes.end());
    complete_ = state_.size() == piece.total;
    return complete_;
  }
  [[nodiscard]] std::span<const uint8_t> state() const { return state_; }
  // Its memory is given back: it has been restored.
  void forget() { std::vector<uint8_t>().swap(state_); }

 private:
  EventId as_of_;
  std::vector<uint8_t> state_;
  bool complete_ = false;
};

}  // namespace lambdacast::group
