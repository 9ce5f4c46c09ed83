// SPDX-License-Identifier: BSD-3-Clause
// The records of one port of a switch that mends trees, both ways: in order, each once, whatever
// frames are lost. Bodies have numbers; those that are not acknowledged in time are sent again, all
// of them, as a link keeps its order. The streams of a flood begin anew with the next flood.
//
// Allocates as records come: a switch has any only while something has failed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "trees/repair_frame.h"

namespace lambdacast::trees {

class RepairStream {
 public:
  void clear() { *this = {}; }

  // --- what goes ---

  // `shares`: records may stand in one frame. A record fits a body.
  void push(std::span<const uint8_t> record, bool shares) {
    const bool open =
        shares && bodies_.size() > gone_once_ && bodies_.back().bytes + record.size() <= kBodyBytes;
    if (!open) bodies_.emplace_back();
    Body& body = bodies_.back();
    std::copy(record.begin(), record.end(), body.content.begin() + body.bytes);
    body.bytes = static_cast<uint8_t>(body.bytes + record.size());
  }
  [[nodiscard]] bool may_send(size_t window) const {
    return under_way_ < std::min(window, bodies_.size());
  }
  void send(RepairFrame& frame, uint64_t now_ns) {
    const Body& body = bodies_[under_way_];
    frame.numbered = true;
    frame.number = static_cast<uint8_t>(oldest_ + under_way_);
    frame.bytes = body.bytes;
    frame.body = body.content;
    if (under_way_++ == 0) left_ns_ = now_ns;
    gone_once_ = std::max(gone_once_, under_way_);
  }
  // All bodies before that number have come.
  void acknowledged(uint8_t next, uint64_t now_ns) {
    const auto come = static_cast<uint8_t>(next - oldest_);
    if (come == 0 || come > gone_once_) return;
    bodies_.erase(bodies_.begin(), bodies_.begin() + come);
    oldest_ = next;
    under_way_ -= std::min<size_t>(under_way_, come);
    gone_once_ -= come;
    left_ns_ = now_ns;
  }
  // When the oldest body under way left, or the one before it was acknowledged; all ones: none is.
  [[nodiscard]] uint64_t left_ns() const { return under_way_ == 0 ? ~uint64_t{0} : left_ns_; }
  void send_again() { under_way_ = 0; }
  [[nodiscard]] bool quiet() const { return bodies_.empty(); }

  // --- what comes ---

  [[nodiscard]] bool take(uint8_t number) {
    if (number != expected_) return false;
    ++expected_;
    return true;
  }
  [[nodiscard]] uint8_t expected() const { return expected_; }

 private:
  struct Body {
    std::array<uint8_t, kBodyBytes> content{};
    uint8_t bytes = 0;
  };
  std::deque<Body> bodies_;  // not acknowledged
  size_t under_way_ = 0;     // of these, the first so many
  size_t gone_once_ = 0;     // the first so many have been sent, and may not change
  uint64_t left_ns_ = 0;
  uint8_t oldest_ = 0;
  uint8_t expected_ = 0;
};

}  // namespace lambdacast::trees
