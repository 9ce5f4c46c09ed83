// SPDX-License-Identifier: BSD-3-Clause
// Which frames a port takes by their destination address: its own addresses, its multicast list,
// broadcast, or everything. Changed by the control thread while the polling lcore reads: every word
// is an atomic of its own, so a change takes effect frame by frame and no frame sees half of one.
#pragma once

#include <rte_ether.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace lambdacast::odbss {

class AddressFilter {
 public:
  static constexpr uint32_t kUnicastEntries = 64;     // the first is the port's own address
  static constexpr uint32_t kMulticastEntries = 256;  // rte_eth_dev_set_mc_addr_list

  // frame: at least 8 bytes.
  [[nodiscard]] bool accepts(const uint8_t* frame) const {
    if (promiscuous_.load(std::memory_order_relaxed)) return true;
    const uint64_t address = load(frame);
    if ((address & 1) == 0) return contains(unicast_, unicast_count_, address);
    return all_multicast_.load(std::memory_order_relaxed) || address == kBroadcast ||
           contains(multicast_, multicast_count_, address);
  }

  void set_promiscuous(bool on) { promiscuous_.store(on, std::memory_order_relaxed); }
  void set_all_multicast(bool on) { all_multicast_.store(on, std::memory_order_relaxed); }

  // slot < kUnicastEntries. The zero address empties a slot: no frame can carry it legally, and
  // contains() never matches it.
  void set_unicast(uint32_t slot, const rte_ether_addr& address) {
    set(unicast_, unicast_count_, slot, address);
  }
  // count <= kMulticastEntries.
  void set_multicast(const rte_ether_addr* addresses, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) set(multicast_, multicast_count_, i, addresses[i]);
    multicast_count_.store(count, std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t kBroadcast = 0xffffffffffff;

  // The address as the low 48 bits; the group bit of its first byte is then bit 0.
  static uint64_t load(const uint8_t* bytes) {
    uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value & kBroadcast;
  }

  template <typename Entries>
  static bool contains(const Entries& entries, const std::atomic<uint32_t>& count,
                       uint64_t address) {
    const uint32_t n = count.load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < n; ++i) {
      if (entries[i].load(std::memory_order_relaxed) == address) return address != 0;
    }
    return false;
  }

  template <typename Entries>
  static void set(Entries& entries, std::atomic<uint32_t>& count, uint32_t slot,
                  const rte_ether_addr& address) {
    uint8_t padded[8] = {};
    std::memcpy(padded, address.addr_bytes, sizeof address.addr_bytes);
    entries[slot].store(load(padded), std::memory_order_relaxed);
    if (count.load(std::memory_order_relaxed) <= slot) {
      count.store(slot + 1, std::memory_order_relaxed);
    }
  }

  std::atomic<bool> promiscuous_{false};
  std::atomic<bool> all_multicast_{false};
  std::atomic<uint32_t> unicast_count_{0};
  std::atomic<uint32_t> multicast_count_{0};
  std::array<std::atomic<uint64_t>, kUnicastEntries> unicast_{};
  std::array<std::atomic<uint64_t>, kMulticastEntries> multicast_{};
};

}  // namespace lambdacast::odbss
