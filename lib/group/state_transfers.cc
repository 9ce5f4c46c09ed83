// SPDX-License-Identifier: BSD-3-Clause
#include "group/state_transfers.h"

#include <algorithm>

namespace lambdacast::group {
namespace {

constexpr size_t kPiecesAPoll = 8;

}  // namespace

void StateTransfers::begin_view(uint64_t epoch, size_t members) {
  outgoing_.clear();
  waits_.clear();
  epoch_ = epoch;
  words_ = wire::rank_words(members);
}

void StateTransfers::wait(uint32_t group, NodeSet ranks, uint64_t index) {
  ranks.for_each([&](size_t rank) {
    waits_.push_back({group, static_cast<uint32_t>(rank), index});
  });
}

NodeSet StateTransfers::waiting_for(uint32_t group, const wire::GroupPiece& piece) const {
  NodeSet ranks;
  if (piece.epoch != epoch_) return ranks;
  for (const Wait& wait : waits_) {
    if (wait.group == group && wait.index == piece.index) ranks.add(wait.rank);
  }
  return ranks & piece.whom;
}

void StateTransfers::forget(uint32_t group, NodeSet ranks) {
  std::erase_if(waits_,
                [&](const Wait& wait) { return wait.group == group && ranks.contains(wait.rank); });
  std::erase_if(outgoing_, [&](OutgoingState& state) {
    return state.group() == group && state.forget(ranks);
  });
}

void StateTransfers::poll() {
  for (size_t i = 0; i < kPiecesAPoll && !outgoing_.empty(); ++i) {
    OutgoingState& state = outgoing_.front();
    const size_t bytes = state.write(payload_.data(), payload_.size());
    if (!carrier_.say({payload_.data(), bytes}, state.group(), kGroupQos)) return;
    state.sent(bytes, state_bytes_);
    if (state.done()) outgoing_.pop_front();
  }
}

}  // namespace lambdacast::group
