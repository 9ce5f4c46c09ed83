// Events in order of time; events of equal time in the order in which they were pushed, so that a
// run depends on nothing but its seed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lambdacast::sim {

template <typename Event>
class EventQueue {
 public:
  struct Entry {
    uint64_t at_ns;
    uint64_t number;  // breaks ties
    Event event;
  };

  void push(uint64_t at_ns, Event event) {
    uint32_t slot = static_cast<uint32_t>(events_.size());
    if (free_.empty()) {
      events_.push_back(std::move(event));
    } else {
      slot = free_.back();
      free_.pop_back();
      events_[slot] = std::move(event);
    }
    heap_.push_back({at_ns, pushed_++, slot});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  // Takes the earliest; the queue must not be empty.
  [[nodiscard]] Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Place place = heap_.back();
    heap_.pop_back();
    free_.push_back(place.slot);
    return {place.at_ns, place.number, std::move(events_[place.slot])};
  }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] size_t size() const { return heap_.size(); }

 private:
  // The heap moves these and leaves the events where they are.
  struct Place {
    uint64_t at_ns;
    uint64_t number;
    uint32_t slot;
  };
  [[nodiscard]] static bool later(const Place& a, const Place& b) {
    return a.at_ns != b.at_ns ? a.at_ns > b.at_ns : a.number > b.number;
  }

  std::vector<Place> heap_;
  std::vector<Event> events_;
  std::vector<uint32_t> free_;  // slots of events_
  uint64_t pushed_ = 0;
};

}  // namespace lambdacast::sim
