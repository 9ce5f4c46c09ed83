// SPDX-License-Identifier: BSD-3-Clause
// A member that waits for its group's state collects two things: the bytes of the state, and the
// group's events that follow the one at which the state was taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "group/incoming_state.h"
#include "group/kept.h"
#include "group/members.h"

namespace lambdacast::group {

// Bytes that all groups of an endpoint share.
class Budget {
 public:
  explicit Budget(size_t most) : most_(most) {}

  [[nodiscard]] size_t used() const { return used_; }
  [[nodiscard]] size_t room() const { return most_ - used_; }
  void take(size_t bytes) { used_ += bytes; }
  void give_back(size_t bytes) { used_ -= bytes; }

 private:
  size_t most_;
  size_t used_ = 0;
};

// Not thread-safe. Allocates as states and messages come.
class CatchUp {
 public:
  explicit CatchUp(Budget& budget) : budget_(&budget) {}

  // Begins from nothing with the state as of that event, behind which the group is `as` that.
  void expect(const EventId& as_of, const Change& as) {
    forget();
    as_ = as;
    incoming_.expect(as_of);
  }
  [[nodiscard]] const Change& as() const { return as_; }

  enum class Taken { kPart, kAll, kNoRoom };
  [[nodiscard]] Taken take(const wire::GroupPiece& piece, std::span<const uint8_t> bytes) {
    const size_t before = incoming_.state().size();
    if (piece.total - before > budget_->room()) return Taken::kNoRoom;
    const bool complete = incoming_.take(piece, bytes);
    budget_->take(incoming_.state().size() - before);
    return complete ? Taken::kAll : Taken::kPart;
  }
  [[nodiscard]] std::span<const uint8_t> state() const { return incoming_.state(); }

  // False: there is no room for it.
  template <typename What>  // Delivery, or KeptRequest
  [[nodiscard]] bool keep(const What& delivery, std::span<const uint8_t> message) {
    if (Kept::bytes_of(message) > budget_->room()) return false;
    const size_t before = kept_.bytes();
    kept_.keep(delivery, message);
    budget_->take(kept_.bytes() - before);
    return true;
  }
  template <typename AnyChange>  // of the members, or of a lock
  [[nodiscard]] bool keep(const AnyChange& change) {
    if (Kept::bytes_of(change) > budget_->room()) return false;
    const size_t before = kept_.bytes();
    kept_.keep(change);
    budget_->take(kept_.bytes() - before);
    return true;
  }
  // Hands over the events kept, and gives their memory back to the budget.
  [[nodiscard]] Kept take_kept() {
    budget_->give_back(kept_.bytes());
    return std::exchange(kept_, {});
  }

  // Gives the memory back.
  void forget() {
    budget_->give_back(kept_.bytes() + incoming_.state().size());
    kept_.clear();
    incoming_.forget();
  }

 private:
  Budget* budget_;
  Change as_;
  IncomingState incoming_;
  Kept kept_;
};

}  // namespace lambdacast::group
