// SPDX-License-Identifier: BSD-3-Clause
#include "group/directory_transfer.h"

#include <algorithm>
#include <utility>

namespace lambdacast::group {

bool DirectoryTransfer::move(std::span<const uint8_t> now, size_t nodes) {
  const auto informed = now.first(informed_nodes_);
  informed_nodes_ = static_cast<size_t>(
      std::count_if(informed.begin(), informed.end(), [](uint8_t rank) { return rank != kGone; }));
  return informed_nodes_ < nodes;
}

void DirectoryTransfer::expect(const EventId& as_of) {
  informed_ = false;
  incoming_.expect(as_of);
  queue_.clear();
}

bool DirectoryTransfer::keep(const Delivery& from, std::span<const uint8_t> payload) {
  if (Kept::bytes_of(payload) > queue_bytes_ - queue_.bytes()) {
    refuse();
    return false;
  }
  queue_.keep(from, payload);
  return true;
}

Kept DirectoryTransfer::finish(size_t nodes) {
  all_informed(nodes);
  incoming_.forget();
  return std::exchange(queue_, {});
}

}  // namespace lambdacast::group
