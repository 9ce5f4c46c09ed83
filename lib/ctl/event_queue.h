// SPDX-License-Identifier: BSD-3-Clause
// Events on their way to one client, JSON objects, so many at most. What finds no room is counted,
// and told by an event at the place where it is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace lambdacast::ctl {

class EventQueue {
 public:
  explicit EventQueue(size_t most) : most_(most) {}

  void push(std::string event) {
    if (waiting_.size() >= most_) {
      ++lost_;
      return;
    }
    waiting_.push_back({std::move(event), std::exchange(lost_, 0)});
  }

  [[nodiscard]] bool empty() const { return waiting_.empty() && lost_ == 0; }

  // In order; what is missing in front of an event is told before it.
  [[nodiscard]] std::optional<std::string> pop() {
    if (waiting_.empty()) return told(lost_);
    if (auto missing = told(waiting_.front().lost)) return missing;
    std::string event = std::move(waiting_.front().text);
    waiting_.pop_front();
    return event;
  }

 private:
  struct Event {
    std::string text;
    uint64_t lost = 0;  // so many are missing in front of it
  };

  static std::optional<std::string> told(uint64_t& lost) {
    if (lost == 0) return std::nullopt;
    return "{\"event\":\"overflow\",\"lost\":" + std::to_string(std::exchange(lost, 0)) + "}";
  }

  const size_t most_;
  std::deque<Event> waiting_;
  uint64_t lost_ = 0;  // behind all that waits
};

}  // namespace lambdacast::ctl
