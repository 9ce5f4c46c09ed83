// SPDX-License-Identifier: BSD-3-Clause
// What an application should hear of the receivers of a stream. Bounded: the oldest event that
// nobody has taken gives way. Owner: the rate_control lcore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lambdacast::reliability {

struct ReceiverEvent {
  enum class What : uint8_t {
    kJoined,
    kEvictedLag,
    kEvictedSilent,
    kOnTrial,
    kRefused,
    kRestarted,
    kLeft
  };
  What what = What::kJoined;
  uint16_t peer = 0;
  uint32_t incarnation = 0;  // the one that is meant: another may have spoken since
  uint64_t position = 0;     // where it was
  uint64_t at_ns = 0;
};

class ReceiverEvents {
 public:
  void add(const ReceiverEvent& event) {
    if (told_ - taken_ == kKept) ++taken_;
    events_[told_++ % kKept] = event;
  }
  [[nodiscard]] bool any() const { return taken_ != told_; }
  // The oldest event not taken yet.
  [[nodiscard]] std::optional<ReceiverEvent> take() {
    if (!any()) return std::nullopt;
    return events_[taken_++ % kKept];
  }

 private:
  static constexpr size_t kKept = 256;
  std::vector<ReceiverEvent> events_ = std::vector<ReceiverEvent>(kKept);
  uint64_t told_ = 0;
  uint64_t taken_ = 0;
};

}  // namespace lambdacast::reliability
