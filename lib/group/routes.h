// SPDX-License-Identifier: BSD-3-Clause
// The handlers and the names of the groups that this endpoint is a member of, for deliveries.
//
// A cache of what directory and local groups say. Its key is the place that the endpoint's
// subscriptions give with a delivery, not the group's number: with thousands of groups, a table
// that hashing leaves half empty costs a cache miss a message. A place is a hint: if it was another
// group's before, the next look-up is slow.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "group/directory.h"
#include "group/handlers.h"

namespace lambdacast::group {

struct Route {  // 16 bytes
  Handlers* handlers = nullptr;
  uint32_t number = kNoGroup;  // kNoGroup: free
  NameKey name;
};

// Not thread-safe. Allocates at construction only.
class Routes {
 public:
  explicit Routes(size_t groups) : routes_(std::bit_ceil(groups)) {}

  void prefetch(uint32_t place) const { __builtin_prefetch(&routes_[slot_of(place)]); }
  // Null: the group is not in that place.
  [[nodiscard]] const Route* find(uint32_t number, uint32_t place) const {
    const Route& route = routes_[slot_of(place)];
    return route.number == number && route.handlers != nullptr ? &route : nullptr;
  }
  // Replaces the route in that place.
  void set(uint32_t place, const Route& route) { routes_[slot_of(place)] = route; }
  // Frees the place if the group is in it.
  void forget(uint32_t number, uint32_t place) {
    Route& route = routes_[slot_of(place)];
    if (route.number == number) route = Route{};
  }
  void clear() { routes_.assign(routes_.size(), Route{}); }

 private:
  [[nodiscard]] size_t slot_of(uint32_t place) const { return place & (routes_.size() - 1); }

  std::vector<Route> routes_;
};

}  // namespace lambdacast::group
