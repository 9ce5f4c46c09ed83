// SPDX-License-Identifier: BSD-3-Clause
// Endpoints whose frames have a version of the protocol that this program does not know. They are
// dropped and counted. An operator is told of one such endpoint at most every ten seconds.
// Producer: the receive lcore. Consumer: one control thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/mailbox.h"
#include "wire/roce/gid.h"

namespace lambdacast::node {

struct VersionEvent {
  wire::Gid gid;
  uint8_t version = 0;   // 0 .. 15, of its frame
  bool control = false;  // it was a control frame; else data
};

class VersionWatch {
 public:
  void heard(const VersionEvent& stranger, uint64_t now_ns) {
    if (told_ns_ != 0 && now_ns - told_ns_ < kTellEveryNs) return;
    VersionEvent* const slot = events_.begin();
    if (slot == nullptr) return;
    told_ns_ = std::max<uint64_t>(now_ns, 1);
    *slot = stranger;
    events_.push();
  }

  [[nodiscard]] std::optional<VersionEvent> take_event() { return events_.take(); }

 private:
  static constexpr uint64_t kTellEveryNs = 10'000'000'000;
  uint64_t told_ns_ = 0;  // 0: never
  base::Mailbox<VersionEvent, 16> events_;
};

}  // namespace lambdacast::node
