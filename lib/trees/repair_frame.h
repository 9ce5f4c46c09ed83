// SPDX-License-Identifier: BSD-3-Clause
// The frame of 64 bytes by which switches mend multicast trees, and the records in it.
//
// 46 bytes of payload: the flood's name 5, what is present 1, number 1, acknowledged 1, and a body
// of whole records, one behind the other. A record begins with its kind 1:
//
//   kFlood    flags 1, distance 1, failed switches 1, their numbers 3 each
//   kBits     words 1, words of 32 groups 4 each
//   kSubtree  switches 3, failed ones that live 2: bit i is the flood's i-th
//   kGo       the same
//   kRound    flags 1
//   kCluster  number 3
//   kKeep
//   kList     numbers 1, numbers 2 each
//   kRange    first number 2, bits 35: bit i is the number first + i
//   kCounts   numbers 1, number 2 and count 1 each
//   kFarthest hops 2
//   kLayers   hops 2
//   kAbove    as kBits
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "congest/graph.h"

namespace lambdacast::trees {

using congest::kNone;
using congest::NodeId;

// A flood: of several the one with the latest generation is in force, and of equal ones that of the
// detector with the least number.
struct FloodName {
  uint16_t generation = 0;
  NodeId detector = kNone;  // kNone: no flood, but what any flood of that generation beats

  bool operator==(const FloodName&) const = default;
  [[nodiscard]] bool exists() const { return detector != kNone; }
  [[nodiscard]] bool beats(const FloodName& other) const {
    return generation != other.generation ? generation > other.generation
                                          : detector < other.detector;
  }
};

inline constexpr size_t kBodyBytes = 38;
inline constexpr size_t kMostFailed = 11;  // switches in a kFlood
inline constexpr size_t kPieceWords = 9;   // of a kBits or kAbove
inline constexpr size_t kListed = 18;      // numbers in a kList
inline constexpr size_t kRangeBytes = 35;  // bits in a kRange, by eight
inline constexpr size_t kCounted = 12;     // numbers in a kCounts

enum class RecordKind : uint8_t {
  kFlood = 1,
  kBits,
  kSubtree,
  kGo,
  kRound,
  kCluster,
  kKeep,
  kList,
  kRange,
  kCounts,
  kFarthest,
  kLayers,
  kAbove,
};
inline constexpr uint8_t kIsChild = 1;    // of kFlood: the receiver is the sender's father
inline constexpr uint8_t kLastRound = 1;  // of kRound: the sender has nothing more to say

struct RepairFrame {
  FloodName name;
  bool numbered = false;      // it has a body, with that number
  bool acknowledges = false;  // `next` is there
  bool asks = false;
  bool answers = false;
  uint8_t number = 0;
  uint8_t next = 0;  // the number of the body that is expected
  uint8_t bytes = 0;
  std::array<uint8_t, kBodyBytes> body{};

  [[nodiscard]] std::span<const uint8_t> records() const { return std::span(body).first(bytes); }
};

struct Record {
  RecordKind kind = RecordKind::kFlood;
  std::span<const uint8_t> bytes;  // behind the kind
};

// Takes the first record off `body`. Nothing: what is there is no record, or there is none.
[[nodiscard]] std::optional<Record> take_record(std::span<const uint8_t>& body);

// --- Numbers in records, the most significant byte first. ---

[[nodiscard]] inline uint32_t number_at(std::span<const uint8_t> bytes, size_t at, size_t size) {
  uint32_t number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8 | bytes[at + i];
  return number;
}
inline void put_number(std::vector<uint8_t>& to, uint32_t number, size_t size) {
  for (size_t i = size; i-- > 0;) to.push_back(static_cast<uint8_t>(number >> 8 * i));
}

// A set of numbers below 2^16 in records, ascending. Each record says as many of them as it can, as
// a list or, if `ranges`, as the bits of a range.
class SetWriter {
 public:
  // `write(record)` takes each record.
  template <typename Write>
  static void write(std::span<const uint16_t> numbers, bool ranges, Write write) {
    std::vector<uint8_t> record;
    while (!numbers.empty()) {
      size_t in_range = 0;
      while (ranges && in_range < numbers.size() &&
             numbers[in_range] - numbers.front() < static_cast<int>(8 * kRangeBytes))
        ++in_range;
      record.clear();
      const size_t listed = std::min(numbers.size(), kListed);
      const size_t taken = std::max(listed, in_range);
      if (in_range > listed) {
        put_range(numbers.first(taken), record);
      } else {
        put_list(numbers.first(taken), record);
      }
      write(std::span<const uint8_t>(record));
      numbers = numbers.subspan(taken);
    }
  }
  // visit(number) for each number of a kList or kRange.
  template <typename Visit>
  static void read(const Record& record, Visit visit) {
    if (record.kind == RecordKind::kList) {
      for (size_t i = 0; i < record.bytes[0]; ++i)
        visit(static_cast<uint16_t>(number_at(record.bytes, 1 + 2 * i, 2)));
      return;
    }
    const uint32_t first = number_at(record.bytes, 0, 2);
    for (uint32_t i = 0; i < 8 * kRangeBytes; ++i)
      if ((record.bytes[2 + i / 8] >> i % 8 & 1) != 0) visit(static_cast<uint16_t>(first + i));
  }

 private:
  static void put_list(std::span<const uint16_t> numbers, std::vector<uint8_t>& record);
  static void put_range(std::span<const uint16_t> numbers, std::vector<uint8_t>& record);
};

}  // namespace lambdacast::trees
