// SPDX-License-Identifier: BSD-3-Clause
#include "trees/repair_frame.h"

namespace lambdacast::trees {

namespace {

// The bytes of a record behind its kind; nothing: it has no such form.
std::optional<size_t> size_of(RecordKind kind, std::span<const uint8_t> behind) {
  const auto by_count = [&](size_t at, size_t most, size_t each) -> std::optional<size_t> {
    if (behind.size() <= at || behind[at] > most) return std::nullopt;
    return at + 1 + each * behind[at];
  };
  switch (kind) {
    case RecordKind::kFlood:
      return by_count(2, kMostFailed, 3);
    case RecordKind::kBits:
    case RecordKind::kAbove:
      return by_count(0, kPieceWords, 4);
    case RecordKind::kSubtree:
    case RecordKind::kGo:
      return 5;
    case RecordKind::kCluster:
      return 3;
    case RecordKind::kRound:
      return 1;
    case RecordKind::kKeep:
      return 0;
    case RecordKind::kList:
      return by_count(0, kListed, 2);
    case RecordKind::kRange:
      return 2 + kRangeBytes;
    case RecordKind::kCounts:
      return by_count(0, kCounted, 3);
    case RecordKind::kFarthest:
    case RecordKind::kLayers:
      return 2;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Record> take_record(std::span<const uint8_t>& body) {
  if (body.empty()) return std::nullopt;
  const auto kind = static_cast<RecordKind>(body[0]);
  const std::span<const uint8_t> behind = body.subspan(1);
  const std::optional<size_t> size = size_of(kind, behind);
  if (!size || *size > behind.size()) return std::nullopt;
  body = behind.subspan(*size);
  return Record{kind, behind.first(*size)};
}

void SetWriter::put_list(std::span<const uint16_t> numbers, std::vector<uint8_t>& record) {
  record.push_back(static_cast<uint8_t>(RecordKind::kList));
  record.push_back(static_cast<uint8_t>(numbers.size()));
  for (const uint16_t number : numbers) put_number(record, number, 2);
}

void SetWriter::put_range(std::span<const uint16_t> numbers, std::vector<uint8_t>& record) {
  record.push_back(static_cast<uint8_t>(RecordKind::kRange));
  put_number(record, numbers.front(), 2);
  record.resize(3 + kRangeBytes);
  for (const uint16_t number : numbers) {
    const auto bit = static_cast<size_t>(number - numbers.front());
    record[3 + bit / 8] = static_cast<uint8_t>(record[3 + bit / 8] | 1u << bit % 8);
  }
}

}  // namespace lambdacast::trees
