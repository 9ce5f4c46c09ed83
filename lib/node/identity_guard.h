// SPDX-License-Identifier: BSD-3-Clause
// Sees to it that of two endpoints with one address and queue pair only one speaks
// (doc/decisions/0023-one-address-one-endpoint.md).
//
//   listening --nobody else is heard for listen--> speaking --the other one stays--> lost
//       '------------- another life is heard on and on -------------------------------^
//
// An endpoint hears another one by frames of its own address that have another incarnation. A life
// of its own that was killed falls silent, and is no other one. A newcomer gives way; of two that
// have both spoken for long the one whose incarnation is newer stays, for that is the one that
// everybody follows.
//
// heard() is called on the lcore of the receive stage, take_event() by one control thread, state()
// by anybody, and all else on the lcore of the rate_control stage.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/cacheline.h"
#include "base/mailbox.h"
#include "node/double_event.h"
#include "wire/control/control.h"

namespace lambdacast::node {

struct IdentityGuardConfig {
  wire::StreamName self;
  uint64_t listen_ns = 0;    // before the first word; some heartbeats
  uint64_t patience_ns = 0;  // an endpoint is a newcomer for so long
};

class IdentityGuard {
 public:
  enum class State : uint8_t { kListening, kSpeaking, kLost };

  explicit IdentityGuard(const IdentityGuardConfig& config) : config_(config) {}

  // --- receive ----------------------------------------------------------------------------------
  // A frame of this address and of that incarnation came. It may be this one's.
  void heard(uint32_t incarnation, uint64_t now_ns) {
    if (incarnation != config_.self.incarnation) [[unlikely]]
      note(incarnation, now_ns);
  }

  // --- rate_control -----------------------------------------------------------------------------
  // May this endpoint speak now?
  [[nodiscard]] bool may_speak(uint64_t now_ns);
  // When it has to be asked again, or has a notice to say.
  [[nodiscard]] uint64_t next_deadline_ns() const;
  // Writes a notice for third parties if one is due; 0: none is.
  [[nodiscard]] size_t next_notice(uint8_t* payload, uint64_t now_ns);

  // --- any thread -------------------------------------------------------------------------------
  [[nodiscard]] State state() const { return state_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool lost() const { return state() == State::kLost; }

  // --- one control thread -----------------------------------------------------------------------
  [[nodiscard]] std::optional<DoubleEvent> take_event();

 private:
  // What the receive stage has heard.
  struct Heard {
    uint32_t incarnation = 0;
    uint64_t first_ns = 0;  // of those that came without a pause
    uint64_t last_ns = 0;   // 0: none
  };
  void note(uint32_t incarnation, uint64_t now_ns);
  [[nodiscard]] Heard heard_so_far() const;
  void listen(const Heard& other, uint64_t now_ns);
  void watch(const Heard& other, uint64_t now_ns);
  void tell(const Heard& other, uint64_t now_ns);

  static constexpr uint64_t kTellEveryNs = 10'000'000'000;
  static constexpr int kNotices = 3;

  const IdentityGuardConfig config_;
  uint64_t begin_ns_ = 0;  // of this state; 0: it has not been asked yet
  uint64_t told_ns_ = 0;   // 0: never
  uint64_t next_notice_ns_ = 0;
  int notices_left_ = 0;
  uint32_t other_ = 0;  // that the notices name
  base::Mailbox<DoubleEvent, 16> events_;
  std::atomic<State> state_{State::kListening};
  // Written by the receive stage.
  alignas(base::kCacheLinePairBytes) std::atomic<uint32_t> incarnation_{0};
  std::atomic<uint64_t> first_ns_{0};
  std::atomic<uint64_t> last_ns_{0};
};

}  // namespace lambdacast::node
