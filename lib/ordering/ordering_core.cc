#include "ordering/ordering_core.h"

#include <algorithm>
#include <bit>

namespace lambdacast::ordering {

OrderingCore::OrderingCore(const OrderingConfig& config)
    : slots_(std::bit_ceil(2 * std::max<size_t>(config.max_groups, 1))),
      mask_(slots_.size() - 1),
      max_groups_(config.max_groups),
      subscribe_all_(config.subscribe_all) {}

bool OrderingCore::subscribe(uint32_t group) {
  if (find(group) != nullptr) return true;
  if (used_ == max_groups_) return false;
  size_t i = home(group);
  while (slots_[i].used) i = (i + 1) & mask_;
  slots_[i] = Slot{group, true, {}};
  ++used_;
  return true;
}

// Knuth's algorithm R (The Art of Computer Programming 3, 6.4): what follows in the probe run moves
// up into the hole, so that no tombstones pile up over years of joins and leaves.
bool OrderingCore::unsubscribe(uint32_t group) {
  Slot* found = find(group);
  if (found == nullptr) return false;
  auto hole = static_cast<size_t>(found - slots_.data());
  for (size_t i = (hole + 1) & mask_; slots_[i].used; i = (i + 1) & mask_) {
    const size_t distance_from_home = (i - home(slots_[i].group)) & mask_;
    const size_t distance_from_hole = (i - hole) & mask_;
    if (distance_from_home < distance_from_hole) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = Slot{};
  --used_;
  return true;
}

bool OrderingCore::subscribed(uint32_t group) const {
  if (subscribe_all_) return true;
  for (size_t i = home(group); slots_[i].used; i = (i + 1) & mask_) {
    if (slots_[i].group == group) return true;
  }
  return false;
}

GroupReport OrderingCore::report(uint32_t group) const {
  for (size_t i = home(group); slots_[i].used; i = (i + 1) & mask_) {
    if (slots_[i].group == group) return {group, slots_[i].report};
  }
  return {group, {}};
}

}  // namespace lambdacast::ordering
