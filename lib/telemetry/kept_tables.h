// SPDX-License-Identifier: BSD-3-Clause
// Tables that are being read in parts: one is made of one snapshot, however many answers it takes.
// Bounded: kMostTables, of kMostRows together unless a single one has more, each for kKeepNs since
// a part of it was last asked for. Whose table has gone begins anew. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "telemetry/figure.h"

namespace lambdacast::telemetry {

class KeptTables {
 public:
  static constexpr size_t kMostTables = 4;
  static constexpr size_t kMostRows = size_t{1} << 18;
  static constexpr uint64_t kKeepNs = 10'000'000'000;

  using Shared = std::shared_ptr<const Table>;
  struct Kept {
    uint64_t id = 0;    // never 0 for one that is kept, never given twice
    std::string whose;  // subject and endpoint
    Shared table;       // null: gone
    uint64_t asked_ns = 0;
  };

  // Keeps a table to be asked for, and returns its number. Others make room.
  uint64_t keep(const std::string& whose, Shared table, uint64_t now_ns);
  // The table of that number; of number 0, the newest of those.
  [[nodiscard]] Kept find(const std::string& whose, uint64_t id, uint64_t now_ns);
  void drop(uint64_t id);
  void expire(uint64_t now_ns);
  void clear() { kept_.clear(); }

  [[nodiscard]] size_t tables() const { return kept_.size(); }
  [[nodiscard]] size_t rows() const;

 private:
  std::list<Kept> kept_;  // whose part was asked for last is first
  uint64_t last_id_ = 0;
};

}  // namespace lambdacast::telemetry
