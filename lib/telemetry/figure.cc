// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/figure.h"

#include <map>

namespace lambdacast::telemetry {
namespace {

using Labels = std::vector<Value>;

Labels labels_of(const Table& table, const std::vector<Value>& row) {
  Labels labels;
  for (size_t i = 0; i < row.size(); ++i) {
    if (table.figures[i].kind == Kind::kLabel) labels.push_back(row[i]);
  }
  return labels;
}

}  // namespace

const char* name(Kind kind) {
  switch (kind) {
    case Kind::kLabel:
      return "label";
    case Kind::kText:
      return "text";
    case Kind::kCounter:
      return "counter";
    case Kind::kGauge:
      return "gauge";
  }
  return "";
}

const char* name(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "";
    case Unit::kPackets:
      return "packets";
    case Unit::kFrames:
      return "frames";
    case Unit::kMessages:
      return "messages";
    case Unit::kBytes:
      return "bytes";
    case Unit::kNanoseconds:
      return "ns";
    case Unit::kMicroseconds:
      return "us";
    case Unit::kPacketsPerSecond:
      return "packets/s";
    case Unit::kBitsPerSecond:
      return "bit/s";
    case Unit::kGigahertz:
      return "GHz";
    case Unit::kPicometres:
      return "pm";
    case Unit::kMillidecibels:
      return "mdB";
    case Unit::kMillidecibelMilliwatts:
      return "mdBm";
    case Unit::kPermille:
      return "permille";
    case Unit::kThousandths:
      return "milli";
    case Unit::kPpb:
      return "ppb";
  }
  return "";
}

Table since(const Table& now, const Table& then) {
  std::map<Labels, const std::vector<Value>*> earlier;
  for (const auto& row : then.rows) earlier.emplace(labels_of(then, row), &row);
  Table result = now;
  for (auto& row : result.rows) {
    const auto found = earlier.find(labels_of(now, row));
    if (found == earlier.end()) continue;
    for (size_t i = 0; i < row.size() && i < found->second->size(); ++i) {
      if (now.figures[i].kind != Kind::kCounter) continue;
      auto* value = std::get_if<uint64_t>(&row[i]);
      const auto* before = std::get_if<uint64_t>(&(*found->second)[i]);
      if (value != nullptr && before != nullptr) *value -= *before;
    }
  }
  return result;
}

}  // namespace lambdacast::telemetry
