// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_address_handles.h"

namespace lambdacast::net_verbs {

AddressHandles::~AddressHandles() {
  for (const Entry& entry : entries_) {
    if (ibv_ah* const handle = entry.handle; handle != nullptr) (void)::ibv_destroy_ah(handle);
  }
}

ibv_ah* AddressHandles::search(const Destination& to) {
  const uint32_t count = count_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    if (entries_[i].destination != to) continue;
    last_ = i;
    return entries_[i].handle.load(std::memory_order_acquire);
  }
  if (count == kEntries) return nullptr;
  entries_[count].destination = to;
  last_ = count;
  count_.store(count + 1, std::memory_order_release);
  return nullptr;
}

AddressHandles::Made AddressHandles::make() {
  Made result;
  const uint32_t count = count_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    Entry& entry = entries_[i];
    if (entry.handle.load(std::memory_order_relaxed) != nullptr) continue;
    ibv_ah_attr attributes{};
    attributes.is_global = 1;
    attributes.port_num = device_.port();
    attributes.grh.dgid = to_verbs(entry.destination.gid);
    attributes.grh.sgid_index = device_.gid_index();
    attributes.grh.hop_limit = entry.destination.hop_limit;
    attributes.grh.traffic_class = entry.destination.traffic_class;
    ibv_ah* const handle = ::ibv_create_ah(device_.pd(), &attributes);
    if (handle == nullptr) {
      ++result.failed;
      continue;
    }
    entry.handle.store(handle, std::memory_order_release);
    ++result.made;
    made_.store(made_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  return result;
}

}  // namespace lambdacast::net_verbs
