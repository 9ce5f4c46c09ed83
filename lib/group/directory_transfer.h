// SPDX-License-Identifier: BSD-3-Clause
// The directory on its way to newcomers of the node view: which nodes have it, and what this
// endpoint keeps until it has it itself.
//
// Ranks are by seniority, so nodes that have the directory come before those that have not, and the
// first member tells the others. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "group/incoming_state.h"
#include "group/kept.h"
#include "group/members.h"

namespace lambdacast::group {

class DirectoryTransfer {
 public:
  // `queue_bytes`: of messages kept until the directory is here.
  explicit DirectoryTransfer(size_t queue_bytes) : queue_bytes_(queue_bytes) {}

  // Has this endpoint the directory?
  [[nodiscard]] bool informed() const { return informed_; }

  // This endpoint has the directory in a view of `nodes`, and so have all others. Either all begin
  // with an empty one, or its last piece has come, which everybody takes.
  void all_informed(size_t nodes) {
    informed_ = true;
    informed_nodes_ = nodes;
  }
  // This endpoint goes on into a new view, of `nodes`. now[rank]: where that rank of the view
  // before is, or kGone. True: some nodes are to be told.
  [[nodiscard]] bool move(std::span<const uint8_t> now, size_t nodes);
  // This endpoint has not got the directory, and is to get it as of that event.
  void expect(const EventId& as_of);
  // This endpoint is in no view any more.
  void end() { informed_ = false; }

  // Returns true if the directory is complete with this piece.
  [[nodiscard]] bool take(const wire::GroupPiece& piece, std::span<const uint8_t> bytes) {
    return incoming_.take(piece, bytes);
  }
  [[nodiscard]] std::span<const uint8_t> state() const { return incoming_.state(); }
  // The directory that arrives is unusable. take() takes no piece before the next view.
  void refuse() { incoming_.expect({}); }
  // Returns false if there is no room, and refuses the directory then.
  [[nodiscard]] bool keep(const Delivery& from, std::span<const uint8_t> payload);
  // The directory is here, and with it all nodes have it. Returns the messages kept.
  [[nodiscard]] Kept finish(size_t nodes);

 private:
  const size_t queue_bytes_;
  bool informed_ = false;
  size_t informed_nodes_ = 0;  // the first so many ranks; those behind them have yet to be told
  IncomingState incoming_;
  Kept queue_;  // messages of the group layer
};

}  // namespace lambdacast::group
