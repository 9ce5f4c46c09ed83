// SPDX-License-Identifier: BSD-3-Clause
// The frame of 64 bytes that switches of a tree of clocks exchange. Its parts are present or not,
// and those present fit the 46 bytes of payload.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "congest/graph.h"

namespace lambdacast::clock_sync {

using congest::kNone;
using congest::NodeId;

// A tree that a flood has built: who began it, and when by the time that it kept.
struct TreeName {
  uint32_t generation = 0;
  int64_t time_ns = 0;
  NodeId address = 0;
  NodeId failed = kNone;  // the switch that was found silent; kNone: none

  [[nodiscard]] bool same(const TreeName& other) const {
    return generation == other.generation && time_ns == other.time_ns && address == other.address;
  }
  // Stands for the name in frames that are of this tree.
  [[nodiscard]] uint32_t tag() const {
    const auto time = static_cast<uint64_t>(time_ns);
    return static_cast<uint32_t>(
        base::mix64(base::mix64(time) ^ uint64_t{generation} << 32 ^ address));
  }
};

enum class ItemKind : uint8_t {
  kWave,    // a candidate's tree has reached the sender
  kEcho,    // all below the sender has been reached
  kMove,    // the root of the candidate's tree moves to the receiver
  kResult,  // the candidate's tree has that height
};

struct Item {
  ItemKind kind = ItemKind::kWave;
  bool flag = false;   // kWave: the receiver is the father; kResult: the root moves to the receiver
  NodeId root = 0;     // the candidate
  uint16_t first = 0;  // kWave: distance; kEcho: depth; kMove, kResult: height
  uint16_t second = 0;  // kEcho: longest path below; kMove, kResult: depth beside the receiver
};

inline constexpr size_t kMostItems = 6;

struct Frame {
  // The parts of the frame that are present.
  bool has_flood = false;
  bool has_time = false;
  bool acknowledges = false;
  bool asks = false;
  bool answers = false;
  bool reports = false;
  bool leaf = false;  // of kReports: nothing hangs below the sender
  uint8_t items = 0;

  uint8_t number = 0;     // of a frame with a flood or items, among those of this direction
  uint8_t last = 0;       // acknowledged number
  uint8_t earlier = 0;    // bit i: the one i + 1 before it is acknowledged, too
  bool child = false;     // of a flood: the receiver is the sender's father
  uint16_t distance = 0;  // of a flood: the sender's from its root

  uint32_t tag = 0;  // of the sender's tree
  TreeName flood{};
  NodeId time_root = 0;    // of the tree that the time has come by
  bool optimised = false;  // that tree is
  double time_ns = 0;      // the sender's, when the frame was sent
  double age_ns = 0;       // since it left its root
  uint16_t hops = 0;       // from its root to the receiver
  uint16_t rank = 0;       // of the receiver among its siblings
  std::array<Item, kMostItems> item{};

  [[nodiscard]] bool numbered() const { return has_flood || items != 0; }
};

// Bytes of payload.
inline constexpr size_t kPayload = 46;
inline constexpr size_t kHeaderBytes = 2 + 1 + 2 + 2;  // what is present, number, tag, acknowledged
inline constexpr size_t kFloodBytes = 1 + 6 + 2 + 2 + 1;  // a generation, 48 bits of time, ...
inline constexpr size_t kTimeBytes = 6 + 3 + 1 + 1 + 2;   // 48 bits of time, 24 of age, ...
inline constexpr size_t kItemBytes = 6;
static_assert(kHeaderBytes + kMostItems * kItemBytes <= kPayload);
static_assert(kHeaderBytes + kFloodBytes + kTimeBytes + 2 * kItemBytes <= kPayload);

}  // namespace lambdacast::clock_sync
