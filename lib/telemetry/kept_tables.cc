// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/kept_tables.h"

#include <algorithm>
#include <utility>

namespace lambdacast::telemetry {

size_t KeptTables::rows() const {
  size_t sum = 0;
  for (const Kept& each : kept_) sum += each.table->rows.size();
  return sum;
}

uint64_t KeptTables::keep(const std::string& whose, Shared table, uint64_t now_ns) {
  expire(now_ns);
  kept_.push_front({++last_id_, whose, std::move(table), now_ns});
  while (kept_.size() > 1 && (kept_.size() > kMostTables || rows() > kMostRows)) kept_.pop_back();
  return last_id_;
}

KeptTables::Kept KeptTables::find(const std::string& whose, uint64_t id, uint64_t now_ns) {
  expire(now_ns);
  auto found = kept_.end();
  for (auto each = kept_.begin(); each != kept_.end(); ++each) {
    if (each->whose != whose || (id != 0 && each->id != id)) continue;
    if (found == kept_.end() || each->id > found->id) found = each;
  }
  if (found == kept_.end()) return {};
  found->asked_ns = now_ns;
  kept_.splice(kept_.begin(), kept_, found);
  return *found;
}

void KeptTables::drop(uint64_t id) {
  std::erase_if(kept_, [&](const Kept& each) { return each.id == id; });
}

void KeptTables::expire(uint64_t now_ns) {
  std::erase_if(kept_, [&](const Kept& each) { return now_ns - each.asked_ns > kKeepNs; });
}

}  // namespace lambdacast::telemetry
