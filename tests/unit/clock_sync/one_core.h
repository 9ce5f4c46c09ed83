// SPDX-License-Identifier: BSD-3-Clause
// One switch of a tree of clocks, whose neighbours are the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "clock_sync/clock_core.h"

namespace lambdacast::clock_sync {

// A switch 5 with neighbours 2, 7 and 9; its father is 2, and its child 7.
class Core : public ::testing::Test, protected Outlet {
 protected:
  Core() {
    settings.improvements = {.reports = true,
                             .phases = true,
                             .generations = true,
                             .suspects = true,
                             .piggyback = true,
                             .sharing = true,
                             .timed = true,
                             .direct = true};
    settings.nodes = 1000;
    settings.candidates = 0;
  }
  void start() {
    core.emplace(NodeId{5}, neighbors, settings);
    congest::TreePlace place{.parent = 0, .children = congest::Filter(3)};
    place.children.set(1);
    core->install(first, 2, place, at(0));
  }
  void send(size_t port, const Frame& frame) override { sent.emplace_back(port, frame); }
  [[nodiscard]] static Instant at(uint64_t ns) { return {ns, static_cast<double>(ns)}; }
  void come(size_t port, const Frame& frame, uint64_t ns) {
    core->on_frame(port, frame, at(ns), 620, *this);
  }
  void run_until(uint64_t ns) {
    while (core->next_deadline_ns() <= ns) core->on_timer(at(core->next_deadline_ns()), *this);
  }
  [[nodiscard]] Frame wave(double father_ns = 77'000) const {
    return {.has_time = true,
            .tag = first.tag(),
            .time_root = 2,
            .optimised = true,
            .time_ns = father_ns,
            .age_ns = 0,
            .hops = 1};
  }
  [[nodiscard]] Frame flood(const TreeName& name) const {
    return {.has_flood = true, .number = 1, .distance = 0, .tag = name.tag(), .flood = name};
  }
  template <typename Has>
  [[nodiscard]] size_t count(size_t port, Has has) const {
    return static_cast<size_t>(std::count_if(sent.begin(), sent.end(), [&](const auto& frame) {
      return frame.first == port && has(frame.second);
    }));
  }
  const std::array<NodeId, 3> neighbors{2, 7, 9};
  const TreeName first{.generation = 0, .time_ns = -1, .address = 2};
  Settings settings;
  std::optional<ClockCore> core;
  std::vector<std::pair<size_t, Frame>> sent;
};

}  // namespace lambdacast::clock_sync
