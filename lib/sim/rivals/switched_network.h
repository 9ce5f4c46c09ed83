// SPDX-License-Identifier: BSD-3-Clause
// Nodes of one protocol around a switch that carries frames to one node or to all others, loses
// nothing and takes a latency, under a virtual clock. Equal protocols give equal runs.
//
// A protocol is one object for all nodes:
//
//   using Frame = ...;                                              what travels, copied
//   void on_frame(uint32_t node, const Frame&, uint64_t now_ns);    it has come there, whole
//   std::optional<Outgoing<Frame>> next(uint32_t node, uint64_t now_ns);   what its free line is to
//                                                                   carry
//   void on_time(uint32_t node, uint64_t now_ns);                   a time asked for with call_at()
//
// A node's transmit line is asked for the next frame when it is free, after each of these calls.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "sim/engine/event_queue.h"
#include "sim/engine/lines.h"

namespace lambdacast::sim::rivals {

inline constexpr uint32_t kEverybody = ~uint32_t{0};

template <typename Frame>
struct Outgoing {
  Frame frame;
  uint32_t to = kEverybody;  // all others
  uint64_t bytes = 0;        // on the wire
};

struct SwitchConfig {
  uint32_t nodes = 2;
  uint64_t latency_ns = 20'000;  // one way
  LineRates lines;
};

template <typename Protocol>
class SwitchedNetwork {
 public:
  using Frame = typename Protocol::Frame;

  // `protocol` outlives it.
  SwitchedNetwork(const SwitchConfig& config, Protocol& protocol)
      : config_(config), protocol_(protocol), lines_(config.nodes, config.lines) {}

  void call_at(uint32_t node, uint64_t at_ns) { events_.push(at_ns, {What::kTime, node, 0, {}}); }

  // Handles all events until that time, that time's among them.
  void run_until(uint64_t end_ns) {
    while (!events_.empty() && events_.next_ns() <= end_ns) {
      auto entry = events_.pop();
      now_ns_ = entry.at_ns;
      handle(std::move(entry.event));
    }
    now_ns_ = end_ns;
  }
  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }

 private:
  enum class What : uint8_t {
    kTime,
    kFree,     // the node's transmit line
    kArrives,  // a frame would have come, if nothing else were coming
    kReceived
  };
  struct Event {
    What what = What::kTime;
    uint32_t node = 0;
    uint64_t bytes = 0;
    Frame frame{};
  };

  void handle(Event event) {
    switch (event.what) {
      case What::kTime:
        protocol_.on_time(event.node, now_ns_);
        break;
      case What::kFree:
        break;
      case What::kArrives: {
        const uint64_t at_ns = lines_.receive(event.node, event.bytes, now_ns_);
        event.what = What::kReceived;
        events_.push(at_ns, std::move(event));
        return;
      }
      case What::kReceived:
        protocol_.on_frame(event.node, event.frame, now_ns_);
        break;
    }
    feed(event.node);
  }

  void feed(uint32_t node) {
    while (lines_.transmits_until_ns(node) <= now_ns_) {
      std::optional<Outgoing<Frame>> next = protocol_.next(node, now_ns_);
      if (!next) return;
      const uint64_t left_ns = lines_.transmit(node, next->bytes, now_ns_);
      const uint64_t at_ns = left_ns + config_.latency_ns;
      for (uint32_t to = 0; to < config_.nodes; ++to) {
        if (to == node || (next->to != kEverybody && next->to != to)) continue;
        events_.push(at_ns, {What::kArrives, to, next->bytes, next->frame});
      }
      if (left_ns > now_ns_) events_.push(left_ns, {What::kFree, node, 0, {}});
    }
  }

  const SwitchConfig config_;
  Protocol& protocol_;
  Lines lines_;
  EventQueue<Event> events_;
  uint64_t now_ns_ = 0;
};

}  // namespace lambdacast::sim::rivals
