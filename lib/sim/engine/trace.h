// SPDX-License-Identifier: BSD-3-Clause
// The trace of a run: a hash of whatever happens, in order, by which equal runs are told from
// others, and a line of text for each thing if somebody listens.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/random.h"

namespace lambdacast::sim {

class Trace {
 public:
  using Listener = std::function<void(const std::string& line)>;

  // `now_ns`: true time, which outlives it.
  Trace(const uint64_t& now_ns, uint64_t seed) : now_ns_(now_ns), hash_(seed) {}

  void listen(Listener listener) { listener_ = std::move(listener); }
  // Does anybody listen? Who makes up long lines asks first.
  [[nodiscard]] bool heard() const { return listener_ != nullptr; }
  void say(const std::string& what) const {
    if (!heard()) return;
    const std::string at = std::to_string(now_ns_);
    listener_(std::string(at.size() < 10 ? 10 - at.size() : 0, ' ') + at + " ns  " + what);
  }
  void add(uint64_t value) { hash_ = base::mix64(hash_ ^ value); }
  [[nodiscard]] uint64_t hash() const { return hash_; }

 private:
  const uint64_t& now_ns_;
  uint64_t hash_;
  Listener listener_;
};

}  // namespace lambdacast::sim
