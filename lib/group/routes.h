// Where deliveries go: the handlers and the name of a group that this endpoint is a member of.
//
// A cache of what directory and members say, found by a place that the endpoint's subscriptions
// give with a delivery and not by the group's number: with thousands of groups each line of a table
// that hashing leaves half empty is a cache miss a message. A place is a hint: another group's,
// after leaves, makes the look-up slow once.
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
  // Null: not here.
  [[nodiscard]] const Route* find(uint32_t number, uint32_t place) const {
    const Route& route = routes_[slot_of(place)];
    return route.number == number && route.handlers != nullptr ? &route : nullptr;
  }
  // In the place of what was there.
  void set(uint32_t place, const Route& route) { routes_[slot_of(place)] = route; }
  // If it is there.
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
