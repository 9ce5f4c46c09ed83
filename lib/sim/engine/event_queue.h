// Events in order of time; events of equal time in the order in which they were pushed, so that a
// run depends on nothing but its seed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace lambdacast::sim {

template <typename Event>
class EventQueue {
 public:
  struct Entry {
    uint64_t at_ns;
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
    heap_.push_back(Place{at_ns} << 64 | Place{pushed_++} << kSlotBits | slot);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  // Takes the earliest; the queue must not be empty.
  [[nodiscard]] Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Place place = heap_.back();
    heap_.pop_back();
    const auto slot = static_cast<uint32_t>(place & ((1u << kSlotBits) - 1));
    free_.push_back(slot);
    return {static_cast<uint64_t>(place >> 64), std::move(events_[slot])};
  }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] size_t size() const { return heap_.size(); }

 private:
  // The heap moves these and leaves the events where they are: time, number in the order of
  // pushing, and slot in one integer, whose comparison takes no branch. 2^40 numbers, 2^24 slots.
  using Place = unsigned __int128;
  static constexpr unsigned kSlotBits = 24;

  std::vector<Place> heap_;
  std::vector<Event> events_;
  std::vector<uint32_t> free_;  // slots of events_
  uint64_t pushed_ = 0;
};

}  // namespace lambdacast::sim
