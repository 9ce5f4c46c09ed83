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
    heap_.push_back(Entry{at_ns, pushed_++, std::move(event)});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  // Takes the earliest; the queue must not be empty.
  [[nodiscard]] Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Entry entry = std::move(heap_.back());
    heap_.pop_back();
    return entry;
  }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] size_t size() const { return heap_.size(); }

 private:
  [[nodiscard]] static bool later(const Entry& a, const Entry& b) {
    return a.at_ns != b.at_ns ? a.at_ns > b.at_ns : a.number > b.number;
  }

  std::vector<Entry> heap_;
  uint64_t pushed_ = 0;
};

}  // namespace lambdacast::sim
