// SPDX-License-Identifier: BSD-3-Clause
// One switch that mends trees, whose neighbours are played by the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "trees/tree_core.h"

namespace lambdacast::trees {

// Switch 0 has neighbours 1, 2 and 3, at ports 0, 1 and 2; two groups pass through 3.
class OneSwitch : public ::testing::Test, protected RepairOutlet {
 protected:
  OneSwitch() { settings.improvements = {.asks = true, .piggyback = true, .sharing = true}; }

  // Until then the neighbours of `alive` speak all the time, and acknowledge what they have got.
  void run_until(uint64_t end_ns, const std::vector<size_t>& alive) {
    while (now_ns < end_ns) {
      now_ns += 5'000;
      for (const size_t port : alive) acknowledge(port);
      if (core.next_deadline_ns() <= now_ns) core.on_timer(now_ns, *this);
    }
  }
  void give(size_t port, const FloodName& name, std::vector<uint8_t> records) {
    RepairFrame frame{.name = name, .numbered = true, .number = numbers[{port, name.generation}]++};
    frame.bytes = static_cast<uint8_t>(records.size());
    std::copy(records.begin(), records.end(), frame.body.begin());
    core.on_frame(port, frame, now_ns += 5'000, *this);
    run_until(now_ns + 50'000, {0, 1, 2});
  }
  void acknowledge(size_t port) {
    RepairFrame frame{.name = core.name(), .acknowledges = true};
    for (const auto& [at, sent] : out)
      if (at == port && sent.numbered && sent.name == core.name())
        frame.next = static_cast<uint8_t>(sent.number + 1);
    core.on_frame(port, frame, now_ns, *this);
  }
  // The kinds of all records that have gone by that port under that flood, without repetitions.
  [[nodiscard]] std::vector<RecordKind> said(size_t port, const FloodName& name) const {
    std::map<uint8_t, RepairFrame> bodies;
    for (const auto& [at, frame] : out)
      if (at == port && frame.numbered && frame.name == name) bodies[frame.number] = frame;
    std::vector<RecordKind> kinds;
    for (const auto& [number, frame] : bodies) {
      auto body = frame.records();
      while (const auto record = take_record(body)) kinds.push_back(record->kind);
    }
    return kinds;
  }
  [[nodiscard]] size_t probes(size_t port) const {
    return static_cast<size_t>(std::count_if(out.begin(), out.end(), [&](const auto& each) {
      return each.first == port && each.second.asks;
    }));
  }

  static std::vector<uint8_t> flood_of(NodeId failed, bool child) {
    return {1, child ? kIsChild : uint8_t{0}, 0, 1, 0, 0, static_cast<uint8_t>(failed)};
  }
  const congest::Graph graph{5, {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {3, 4}}};
  const InstalledGroups installed{{{3, {1, {0, 2}}}, {3, {2, {4}}}}};
  const InstalledGroups none{{}};
  RepairSettings settings;
  TreeCore core{graph, 0, settings, installed};
  uint64_t now_ns = 0;
  std::vector<std::pair<size_t, RepairFrame>> out;
  std::map<std::pair<size_t, uint16_t>, uint8_t> numbers;
  void send(size_t port, const RepairFrame& frame) override { out.emplace_back(port, frame); }
};

}  // namespace lambdacast::trees
