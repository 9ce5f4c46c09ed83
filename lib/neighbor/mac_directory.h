// SPDX-License-Identifier: BSD-3-Clause
// The MAC addresses that a NeighborTable knows, for lcores that do not own it: whoever builds
// unicast frames looks here. One writer, any readers, no lock and no waiting: a reader that meets a
// change looks again, and finds nothing if the writer was interrupted in the middle of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/cacheline.h"
#include "neighbor/neighbor_table.h"
#include "wire/roce/gid.h"

namespace lambdacast::neighbor {

class MacDirectory {
 public:
  explicit MacDirectory(size_t max_neighbors);

  // Writer only: takes over the table, if it has changed since. Same size as the directory.
  void publish(const NeighborTable& table);

  // The address of a peer, or nothing: ask the table's owner to resolve it. A scan of the places:
  // keep the answer for as long as generation() stays the same.
  [[nodiscard]] std::optional<wire::MacAddress> find(const wire::Gid& gid) const;
  [[nodiscard]] uint64_t generation() const { return version_.load(std::memory_order_acquire); }

 private:
  struct Slot {
    std::atomic<uint64_t> gid_high{0};
    std::atomic<uint64_t> gid_low{0};
    std::atomic<uint64_t> mac{0};  // 0: none
  };

  size_t size_;
  std::unique_ptr<Slot[]> slots_;
  uint64_t published_ = 0;  // the table's generation
  // Odd while a change is under way.
  alignas(base::kCacheLineBytes) std::atomic<uint64_t> version_{0};
};

}  // namespace lambdacast::neighbor
