// Who is to hear that its publication is stable. Publications become stable in their order, so a
// queue of them does.
#pragma once

#include <cstdint>
#include <vector>

#include "group/handlers.h"

namespace lambdacast::group {

class Completions {
 public:
  explicit Completions(size_t most) : ring_(most) {}  // a power of two

  [[nodiscard]] bool full() const { return end_ - begin_ == ring_.size(); }
  [[nodiscard]] size_t waiting() const { return end_ - begin_; }
  // `ticket`: Carrier::published() after the publication.
  void wait(uint64_t ticket, Completion& completion, uint64_t token) {
    ring_[end_++ & (ring_.size() - 1)] = {ticket, &completion, token};
  }
  // Calls may publish, and wait, again.
  void advance(uint64_t stable) {
    while (begin_ != end_ && front().ticket <= stable) {
      const Waiting due = front();
      ++begin_;
      due.completion->stable(due.token);
    }
  }
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
