// Where deliveries go: from the number of a group that this endpoint is a member of to its handlers
// and name. All that a delivery needs to know of its group, in one place: with thousands of groups
// each look elsewhere is a cache miss a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "group/directory.h"
#include "group/handlers.h"

namespace lambdacast::group {

struct Route {  // 24 bytes
  uint32_t number = kNoGroup;
  uint32_t name_bytes = 0;
  const char* text = nullptr;    // the directory's
  Handlers* handlers = nullptr;  // null: it is no member now

  [[nodiscard]] std::string_view name() const { return {text, name_bytes}; }
};

// Not thread-safe. Allocates at construction only.
class Routes {
 public:
  explicit Routes(size_t names) : routes_(2 * names) {}  // a power of two

  void prefetch(uint32_t number) const { __builtin_prefetch(&routes_[home(number)]); }
  // Null: nobody here is a member.
  [[nodiscard]] const Route* find(uint32_t number) const {
    for (size_t i = home(number); routes_[i].number != kNoGroup; i = next(i)) {
      if (routes_[i].number == number)
        return routes_[i].handlers == nullptr ? nullptr : &routes_[i];
    }
    return nullptr;
  }
  // Null handlers: no member any more. As many groups as the directory has, at most.
  void set(const Group& group, Handlers* handlers) {
    size_t i = home(group.number);
    while (routes_[i].number != kNoGroup && routes_[i].number != group.number) i = next(i);
    routes_[i] = {group.number, group.name_bytes, group.text, handlers};
  }
  void clear() { routes_.assign(routes_.size(), Route{}); }

 private:
  [[nodiscard]] size_t home(uint32_t number) const {
    return base::mix64(number) & (routes_.size() - 1);
  }
  [[nodiscard]] size_t next(size_t i) const { return (i + 1) & (routes_.size() - 1); }

  std::vector<Route> routes_;
};

}  // namespace lambdacast::group
