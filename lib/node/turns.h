// SPDX-License-Identifier: BSD-3-Clause
// Kinds of frames that take turns while there is not enough for all: whoever was refused first goes
// first. Not thread-safe: one lcore owns it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace lambdacast::node {

// `Kind`: an enumeration of at most kKinds values.
template <typename Kind, size_t kKinds>
class Turns {
 public:
  // One of that kind wants to go. True: it is its turn, and `allowed` says that one may go.
  [[nodiscard]] bool may_go(Kind kind, bool allowed) {
    const bool first = waiting_ == 0 || order_[0] == kind;
    if (first && allowed) {
      withdraw(kind);
      return true;
    }
    if (!waits(kind)) order_[waiting_++] = kind;
    return false;
  }
  // There is none of that kind any more.
  void withdraw(Kind kind) {
    const auto end = order_.begin() + waiting_;
    waiting_ = static_cast<size_t>(std::remove(order_.begin(), end, kind) - order_.begin());
  }

 private:
  [[nodiscard]] bool waits(Kind kind) const {
    const auto end = order_.begin() + waiting_;
    return std::find(order_.begin(), end, kind) != end;
  }
  std::array<Kind, kKinds> order_{};  // those that were refused, the first one first
  size_t waiting_ = 0;
};

}  // namespace lambdacast::node
