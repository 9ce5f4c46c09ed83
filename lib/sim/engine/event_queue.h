// SPDX-License-Identifier: BSD-3-Clause
// Events in order of time; events of equal time in the order in which they were pushed, so that a
// run depends on nothing but its seed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lambdacast::sim {

// An event that was pushed; none by default.
struct EventId {
  uint64_t number = ~uint64_t{0};
  uint32_t slot = 0;
};

// Holds at most kMostEvents events at a time. Cancelled ones count until their time comes.
template <typename Event, size_t kMostEvents = size_t{1} << 24>
class EventQueue {
 public:
  struct Entry {
    uint64_t at_ns;
    Event event;
  };

  // Throws std::length_error beyond kMostEvents at a time, or 2^40 in all.
  EventId push(uint64_t at_ns, Event event) {
    if (free_.empty() && events_.size() == kMostEvents)
      throw std::length_error("too many events at a time");
    if (pushed_ == kMostPushed) throw std::length_error("more than 2^40 events");
    uint32_t slot = static_cast<uint32_t>(events_.size());
    if (free_.empty()) {
      events_.push_back({pushed_, std::move(event)});
    } else {
      slot = free_.back();
      free_.pop_back();
      events_[slot] = {pushed_, std::move(event)};
    }
    heap_.push_back(Place{at_ns} << 64 | Place{pushed_} << kSlotBits | slot);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    return {pushed_++, slot};
  }
  // Takes it out. False: it has been popped or cancelled before, or is none.
  bool cancel(EventId id) {
    if (id.number == kNone || events_[id.slot].number != id.number) return false;
    events_[id.slot] = {};
    ++cancelled_;
    drop_cancelled();
    return true;
  }

  // Takes the earliest; the queue must not be empty.
  [[nodiscard]] Entry pop() {
    const Place place = pop_place();
    Entry entry{static_cast<uint64_t>(place >> 64), std::move(events_[slot_of(place)].event)};
    events_[slot_of(place)].number = kNone;
    drop_cancelled();
    return entry;
  }

  // The time of the earliest; the queue must not be empty.
  [[nodiscard]] uint64_t next_ns() const { return static_cast<uint64_t>(heap_.front() >> 64); }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] size_t size() const { return heap_.size() - cancelled_; }

 private:
  // The heap moves these and leaves the events where they are: time, number in the order of
  // pushing, and slot in one integer, whose comparison takes no branch. 2^40 numbers, 2^24 slots.
  using Place = unsigned __int128;
  static constexpr unsigned kSlotBits = 24;
  static_assert(kMostEvents <= size_t{1} << kSlotBits);
  static constexpr uint64_t kMostPushed = uint64_t{1} << 40;
  static constexpr uint64_t kNone = ~uint64_t{0};
  struct Slot {
    uint64_t number = kNone;  // of its event; none: cancelled, or free
    Event event{};
  };
  [[nodiscard]] static uint32_t slot_of(Place place) {
    return static_cast<uint32_t>(place & ((1u << kSlotBits) - 1));
  }
  Place pop_place() {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Place place = heap_.back();
    heap_.pop_back();
    free_.push_back(slot_of(place));
    return place;
  }
  // The first place of the heap is that of an event.
  void drop_cancelled() {
    while (!heap_.empty() && events_[slot_of(heap_.front())].number == kNone) {
      (void)pop_place();
      --cancelled_;
    }
  }

  std::vector<Place> heap_;
  std::vector<Slot> events_;
  std::vector<uint32_t> free_;  // slots of events_
  uint64_t pushed_ = 0;
  size_t cancelled_ = 0;  // places of the heap
};

}  // namespace lambdacast::sim
