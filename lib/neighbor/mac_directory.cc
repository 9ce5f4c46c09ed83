// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/mac_directory.h"

#include <algorithm>

#include "base/bytes.h"

namespace lambdacast::neighbor {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr int kLooks = 16;

uint64_t packed(const wire::MacAddress& mac) {
  return uint64_t{base::load_be16(mac.bytes.data())} << 32 | base::load_be32(&mac.bytes[2]);
}

wire::MacAddress unpacked(uint64_t mac) {
  wire::MacAddress result;
  base::store_be16(result.bytes.data(), static_cast<uint16_t>(mac >> 32));
  base::store_be32(&result.bytes[2], static_cast<uint32_t>(mac));
  return result;
}

}  // namespace

MacDirectory::MacDirectory(size_t max_neighbors)
    : size_(std::max<size_t>(max_neighbors, 1)), slots_(std::make_unique<Slot[]>(size_)) {}

void MacDirectory::publish(const NeighborTable& table) {
  if (table.generation() == published_) return;
  published_ = table.generation();
  const uint64_t version = version_.load(kRelaxed);
  version_.store(version + 1, kRelaxed);
  std::atomic_thread_fence(std::memory_order_release);
  const auto& entries = table.entries();
  for (size_t i = 0; i < std::min(size_, entries.size()); ++i) {
    slots_[i].gid_high.store(base::load_be64(&entries[i].gid.bytes[0]), kRelaxed);
    slots_[i].gid_low.store(base::load_be64(&entries[i].gid.bytes[8]), kRelaxed);
    slots_[i].mac.store(entries[i].usable() ? packed(entries[i].mac) : 0, kRelaxed);
  }
  version_.store(version + 2, std::memory_order_release);
}

std::optional<wire::MacAddress> MacDirectory::find(const wire::Gid& gid) const {
  const uint64_t high = base::load_be64(&gid.bytes[0]);
  const uint64_t low = base::load_be64(&gid.bytes[8]);
  for (int look = 0; look < kLooks; ++look) {
    const uint64_t version = version_.load(std::memory_order_acquire);
    uint64_t mac = 0;
    for (size_t i = 0; i < size_ && mac == 0; ++i) {
      if (slots_[i].gid_low.load(kRelaxed) != low) continue;
      if (slots_[i].gid_high.load(kRelaxed) == high) mac = slots_[i].mac.load(kRelaxed);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (version % 2 != 0 || version_.load(kRelaxed) != version) continue;
    if (mac == 0) break;
    return unpacked(mac);
  }
  return std::nullopt;
}

}  // namespace lambdacast::neighbor
