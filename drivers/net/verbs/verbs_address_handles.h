// SPDX-License-Identifier: BSD-3-Clause
// Address handles by destination. Making one may wait for the network to resolve an address, so the
// control thread does it: the sending lcore writes down what it lacks, and finds it later. Entries
// stay as long as the port; a table that is full takes no more.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "verbs_device.h"
#include "wire/roce/gid.h"

namespace lambdacast::net_verbs {

class AddressHandles {
 public:
  static constexpr uint32_t kEntries = 256;

  explicit AddressHandles(const Device& device) : device_(device) {}
  ~AddressHandles();
  AddressHandles(const AddressHandles&) = delete;
  AddressHandles& operator=(const AddressHandles&) = delete;

  struct Destination {
    wire::Gid gid;
    uint8_t traffic_class = 0;
    uint8_t hop_limit = 0;
    bool operator==(const Destination&) const = default;
  };

  // Sending lcore. Null: none yet, and it is wanted from now on.
  [[nodiscard]] ibv_ah* find(const Destination& to) {
    if (entries_[last_].destination == to) [[likely]]
      return entries_[last_].handle.load(std::memory_order_acquire);
    return search(to);
  }

  // Control thread. Is any wanted that is not there?
  [[nodiscard]] bool wanting() const {
    return made_.load(std::memory_order_relaxed) != count_.load(std::memory_order_acquire);
  }
  struct Made {
    uint32_t made = 0;
    uint32_t failed = 0;  // tried again with the next call
  };
  Made make();

 private:
  struct Entry {
    Destination destination;
    std::atomic<ibv_ah*> handle{nullptr};
  };
  [[nodiscard]] ibv_ah* search(const Destination& to);

  const Device& device_;
  std::array<Entry, kEntries> entries_;
  uint32_t last_ = 0;               // of the sending lcore
  std::atomic<uint32_t> count_{0};  // of entries written down; by the sending lcore
  std::atomic<uint32_t> made_{0};   // of handles; by the control thread
};

}  // namespace lambdacast::net_verbs
