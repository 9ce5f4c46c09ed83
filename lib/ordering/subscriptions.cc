// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/subscriptions.h"

#include <algorithm>
#include <bit>

namespace lambdacast::ordering {

Subscriptions::Subscriptions(const SubscriptionsConfig& config)
    : keys_(std::bit_ceil(config.max_groups + config.max_groups / 3 + 2)),
      mask_(keys_.size() - 1),
      max_groups_(config.max_groups),
      subscribe_all_(config.subscribe_all) {
  subscriptions_.reserve(max_groups_);
}

bool Subscriptions::subscribe(uint32_t group) {
  const size_t i = find(group);
  if (keys_[i].place != kNone) return true;
  if (subscriptions_.size() == max_groups_) return false;
  keys_[i] = {group, static_cast<uint32_t>(subscriptions_.size())};
  subscriptions_.push_back({group, {}});
  return true;
}

// Knuth's algorithm R (The Art of Computer Programming 3, 6.4): what follows in the probe run moves
// up into the hole, so that no tombstones pile up over years of joins and leaves.
bool Subscriptions::unsubscribe(uint32_t group) {
  size_t hole = find(group);
  const uint32_t place = keys_[hole].place;
  if (place == kNone) return false;
  subscriptions_[place] = subscriptions_.back();
  keys_[find(subscriptions_[place].group)].place = place;
  subscriptions_.pop_back();
  for (size_t i = next(hole); keys_[i].place != kNone; i = next(i)) {
    const size_t distance_from_home = (i - home(keys_[i].group)) & mask_;
    const size_t distance_from_hole = (i - hole) & mask_;
    if (distance_from_home < distance_from_hole) continue;
    keys_[hole] = keys_[i];
    hole = i;
  }
  keys_[hole] = {};
  last_ = kNone;
  return true;
}

bool Subscriptions::subscribed(uint32_t group) const {
  return subscribe_all_ || keys_[find(group)].place != kNone;
}

GroupReport Subscriptions::report(uint32_t group) const {
  const Key& key = keys_[find(group)];
  return key.place == kNone ? GroupReport{group, {}} : subscriptions_[key.place];
}

}  // namespace lambdacast::ordering
