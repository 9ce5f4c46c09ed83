// SPDX-License-Identifier: BSD-3-Clause
// When a sender says how far it has come though it has nothing to send: a round trip after its last
// packet, then at doubling distances up to a ceiling, so that a lost tail is noticed soon and
// silence costs little. Who sends now and then is not silent yet: the second one comes only after
// twice the last pause, in which otherwise the next packet would have come after several of them.
// While data waits that may go soon there are only those of the ceiling, and urgent ones: that data
// says how far it has come.
// Urgent ones (a newcomer waits, somebody asks for what is gone) go at once, but not faster than
// `urgent_ns` apart.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lambdacast::reliability {

class HeartbeatSchedule {
 public:
  HeartbeatSchedule(uint64_t ceiling_ns, uint64_t urgent_ns)
      : ceiling_ns_(ceiling_ns), urgent_ns_(urgent_ns), interval_ns_(ceiling_ns) {}

  void packet_sent(uint64_t now_ns, uint64_t rtt_ns) {
    if (last_packet_ns_ != 0 && last_ns_ > last_packet_ns_) {
      const uint64_t pause_ns = now_ns - last_packet_ns_;
      pause_ns_ = pause_ns < ceiling_ns_ ? pause_ns : 0;  // longer: it was silent
    }
    last_packet_ns_ = now_ns;
    interval_ns_ = std::min(rtt_ns, ceiling_ns_);
  }
  void hurry() { urgent_ = true; }
  [[nodiscard]] bool due(uint64_t now_ns) const { return now_ns >= next_ns(); }
  [[nodiscard]] uint64_t next_ns(bool data_waits = false) const {
    if (last_ns_ == 0) return 0;
    const uint64_t latest_ns = last_ns_ + (urgent_ ? urgent_ns_ : ceiling_ns_);
    if (data_waits) return latest_ns;
    return std::min(std::max(last_packet_ns_, last_ns_) + interval_ns_, latest_ns);
  }
  void said(uint64_t now_ns) {
    last_ns_ = std::max<uint64_t>(now_ns, 1);
    urgent_ = false;
    interval_ns_ = std::min(2 * std::max(interval_ns_, pause_ns_), ceiling_ns_);
  }

 private:
  uint64_t ceiling_ns_;
  uint64_t urgent_ns_;
  uint64_t interval_ns_;
  uint64_t last_packet_ns_ = 0;
  uint64_t pause_ns_ = 0;  // between two packets, the last one in which a heartbeat was said
  uint64_t last_ns_ = 0;   // 0: none said yet
  bool urgent_ = false;
};

}  // namespace lambdacast::reliability
