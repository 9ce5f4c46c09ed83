// SPDX-License-Identifier: BSD-3-Clause
// Which receivers a heartbeat tells what was decided about them. One that was cut off is named in
// every heartbeat until it asks to join: whichever it hears first when it wakes, it learns why it
// misses packets that are gone. Verdicts that do not fit come first in the next heartbeat. Owner:
// the rate_control lcore.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "reliability/receivers.h"
#include "wire/control/control.h"

namespace lambdacast::reliability {

class VerdictQueue {
 public:
  void owe(ReceiverState& receiver) { receiver.verdict_due = owed_ = true; }

  // Verdicts that are due have not fitted into the last heartbeat.
  [[nodiscard]] bool some_left() const { return left_; }

  // Appends verdicts to a heartbeat as far as `room` goes and returns its length. `path_mtu` is the
  // sender's, which a receiver is told that cannot take packets so long. `opening`
  // (receiver) is the first position that it is to have. `oldest` falls to what a receiver that did
  // not fit still needs, so that it does not find its packets gone without a reason.
  template <typename Opening>
  [[nodiscard]] size_t write(Receivers& receivers, uint16_t path_mtu, uint8_t* payload, size_t room,
                             wire::ControlHeader& header, uint64_t& oldest, Opening&& opening) {
    size_t bytes = wire::kHeartbeatBytes;
    if (!owed_) return bytes;
    const size_t first = next_;
    bool fits = true;
    left_ = owed_ = false;
    for (size_t i = 0; i < receivers.max_peers(); ++i) {
      const size_t peer = (first + i) % receivers.max_peers();
      ReceiverState& receiver = receivers.at(peer);
      if (!receiver.verdict_due && !receiver.cut_off()) continue;
      if (bytes + wire::kVerdictBytes > room) {
        if (fits) next_ = peer;
        fits = false;
        owed_ = true;
        left_ = left_ || receiver.verdict_due;
        if (receiver.cut_off()) oldest = std::min(oldest, receiver.contiguous + 1);
        continue;
      }
      const bool refused = receiver.verdict == wire::Verdict::kRefused;
      wire::store_verdict(
          {receiver.name, opening(receiver), receiver.verdict, refused ? path_mtu : uint16_t{0}},
          payload + bytes);
      receiver.verdict_due = false;
      owed_ = owed_ || receiver.cut_off();
      bytes += wire::kVerdictBytes;
      ++header.entries;
    }
    return bytes;
  }

 private:
  size_t next_ = 0;    // this peer first
  bool owed_ = false;  // one is due, or somebody is cut off
  bool left_ = false;
};

}  // namespace lambdacast::reliability
