// SPDX-License-Identifier: BSD-3-Clause
// Publications whose stability is to be told. They become stable in their order, so a queue is
// enough. Not thread-safe. Allocates at construction only.
#pragma once

#include <cstdint>
#include <vector>

#include "group/handlers.h"

namespace lambdacast::group {

class Completions {
 public:
  // `most`: a power of two.
  explicit Completions(size_t most) : ring_(most) {}

  [[nodiscard]] bool full() const { return end_ - begin_ == ring_.size(); }
  [[nodiscard]] size_t waiting() const { return end_ - begin_; }
  // `completion` is called when `ticket` publications are stable: Carrier::published() behind the
  // one that it belongs to. Needs !full().
  void wait(uint64_t ticket, Completion& completion, uint64_t token) {
    ring_[end_++ & (ring_.size() - 1)] = {ticket, &completion, token};
  }
  // Tells those that are stable. They may publish, and wait(), again.
  void advance(uint64_t stable) {
    while (begin_ != end_ && front().ticket <= stable) {
      const Waiting due = front();
      ++begin_;
      due.completion->stable(due.token);
    }
  }
  // Tells all that it is not known.
  void give_up() {
    for (const uint64_t end = end_; begin_ != end;) {
      const Waiting due = front();
      ++begin_;
      due.completion->unknown(due.token);
    }
  }

 private:
  struct Waiting {
    uint64_t ticket = 0;
    Completion* completion = nullptr;
    uint64_t token = 0;
  };
  [[nodiscard]] const Waiting& front() const { return ring_[begin_ & (ring_.size() - 1)]; }

  std::vector<Waiting> ring_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
};

}  // namespace lambdacast::group
