// SPDX-License-Identifier: BSD-3-Clause
// The applications of the latency benchmark's two nodes, each polled on the lcore of its endpoint's
// ordering stage; control gives its orders there, between two polls (LcoreLoop::run_here).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "../harness/rack_plan.h"
#include "../harness/sending.h"
#include "../harness/window.h"
#include "bare_port.h"
#include "base/counter.h"
#include "dpdk/clock.h"
#include "latency_recorder.h"
#include "node/stage.h"
#include "rack/endpoint.h"
#include "wire/roce/icrc.h"

namespace lambdacast::bench {

// Of a message's frame, pad and ICRC included.
inline size_t frame_bytes(rack::Endpoint& endpoint, size_t payload_bytes) {
  return endpoint.payload_offset() + (payload_bytes + 3) / 4 * 4 + wire::kIcrcBytes;
}

// Where a message's way ends: at the receiver, or for a round trip back at the sender. In a flood
// it is counted only, and gives the sender credit.
class LatencyEnd {
 public:
  LatencyEnd(LatencyRecorder& recorder, Credit& credit) : recorder_(recorder), credit_(credit) {}

  void flood(bool on) { flooding_ = on; }
  uint32_t take(rack::Endpoint& endpoint, uint32_t burst) {
    const uint32_t got = endpoint.take_deliveries(
        burst, node::MessageSink([&](const node::PacketInfo&, std::span<const uint8_t> message) {
          const uint64_t now_tsc = dpdk::fenced_tsc();
          if (!flooding_) recorder_.record(message, now_tsc);
        }));
    if (flooding_ && got != 0) {
      flooded_.add(got);
      credit_.taken(kReceiverNode, kSenderNode, flooded_.get());
    }
    return got;
  }
  [[nodiscard]] uint64_t flooded() const { return flooded_.get(); }  // in all; from any thread

 private:
  LatencyRecorder& recorder_;
  Credit& credit_;
  bool flooding_ = false;
  base::Counter flooded_;
};

class LatencySender final : public node::Stage {
 public:
  // end: of a round trip; null for one way.
  LatencySender(rack::Endpoint& endpoint, uint32_t payload_bytes, wire::Qos qos,
                const Credit& credit, LatencyEnd* end)
      : endpoint_(endpoint),
        payload_bytes_(payload_bytes),
        qos_(qos),
        burst_(burst_of(endpoint)),
        end_(end),
        window_(credit, kSenderNode),
        bare_(endpoint, frame_bytes(endpoint, payload_bytes)) {}
  ~LatencySender() override {
    if (loaned_) endpoint_.give_back({&loan_, 1});
  }

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override {
    if (bare_slice_ != nullptr) [[unlikely]] {
      bare_.send(*std::exchange(bare_slice_, nullptr), bare_answers_);
      return 0;
    }
    const uint32_t got = end_ != nullptr ? end_->take(endpoint_, burst_) : 0;
    return got + (flooding_ ? send_flood(now_ns) : send_due());
  }

  // Orders, on its lcore.
  void begin(const Schedule& schedule) {
    schedule_ = schedule;
    next_ = schedule.first;
  }
  void begin_flood() { flooding_ = true; }  // as fast as the window lets it, until stop()
  void begin_bare(BareSlice& slice, LatencyRecorder* answers) {
    bare_slice_ = &slice;
    bare_answers_ = answers;
  }
  void stop() {
    flooding_ = false;
    schedule_.count = next_ - schedule_.first;
  }

  [[nodiscard]] uint64_t sent() const { return sent_.get(); }  // in all; from any thread
  [[nodiscard]] BarePort& bare() { return bare_; }

 private:
  // Whatever is due by now, the late ones at once: a schedule knows no pause.
  uint32_t send_due() {
    uint32_t sent = 0;
    while (next_ != schedule_.end() && sent < burst_ && has_loan()) {
      const uint64_t now_tsc = dpdk::fenced_tsc();
      if (now_tsc < schedule_.due_tsc(next_) || !send_one(next_, now_tsc)) break;
      ++next_;
      ++sent;
    }
    if (sent != 0) sent_.add(sent);
    return sent;
  }
  uint32_t send_flood(uint64_t now_ns) {
    const uint64_t most = std::min<uint64_t>(burst_, window_.allowance(flooded_, now_ns));
    uint32_t sent = 0;
    while (sent < most && has_loan() && send_one(flooded_, dpdk::fenced_tsc())) {
      ++flooded_;
      ++sent;
    }
    return sent;
  }
  // Borrowed before it is due: that is the application's time, not the message's.
  [[nodiscard]] bool has_loan() {
    if (loaned_) return true;
    loaned_ = endpoint_.loan({&loan_, 1}) == 1;
    // The options have been checked: it fits.
    if (loaned_) (void)loan_.describe(payload_bytes_, kMessageGroup, qos_);
    return loaned_;
  }
  [[nodiscard]] bool send_one(uint64_t sequence, uint64_t now_tsc) {
    Stamp{sequence, now_tsc}.write(loan_.payload());
    loaned_ = endpoint_.publish({&loan_, 1}) == 0;
    return !loaned_;
  }

  rack::Endpoint& endpoint_;
  const uint32_t payload_bytes_;
  const wire::Qos qos_;
  const uint32_t burst_;
  LatencyEnd* const end_;
  Window window_;
  BarePort bare_;
  Schedule schedule_;
  uint64_t next_ = 0;  // of the schedule
  bool flooding_ = false;
  uint64_t flooded_ = 0;  // sent in floods, in all
  BareSlice* bare_slice_ = nullptr;
  LatencyRecorder* bare_answers_ = nullptr;
  dpdk::Loan loan_;
  bool loaned_ = false;
  base::Counter sent_;
};

class LatencyReceiver final : public node::Stage {
 public:
  // end: of one way; null to answer every message.
  LatencyReceiver(rack::Endpoint& endpoint, uint32_t payload_bytes, wire::Qos qos, LatencyEnd* end)
      : endpoint_(endpoint),
        qos_(qos),
        burst_(burst_of(endpoint)),
        end_(end),
        bare_(endpoint, frame_bytes(endpoint, payload_bytes)) {}

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t) override {
    if (bare_slice_ != nullptr) [[unlikely]] {
      bare_.receive(*std::exchange(bare_slice_, nullptr), bare_recorder_);
      return 0;
    }
    return end_ != nullptr ? end_->take(endpoint_, burst_) : answer();
  }

  // On its lcore.
  void begin_bare(BareSlice& slice, LatencyRecorder* recorder) {
    bare_slice_ = &slice;
    bare_recorder_ = recorder;
  }

 private:
  // A message that finds no room to be answered is lost to the sender, and counted there.
  uint32_t answer() {
    const auto answer = [&](const node::PacketInfo&, std::span<const uint8_t> message) {
      dpdk::Loan loan;
      if (endpoint_.loan({&loan, 1}) == 0) return;
      std::memcpy(loan.payload(), message.data(), message.size());
      if (!loan.describe(message.size(), kAnswerGroup, qos_) ||
          endpoint_.publish({&loan, 1}) == 0) {
        endpoint_.give_back({&loan, 1});
      }
    };
    return endpoint_.take_deliveries(burst_, node::MessageSink(answer));
  }

  rack::Endpoint& endpoint_;
  const wire::Qos qos_;
  const uint32_t burst_;
  LatencyEnd* const end_;
  BarePort bare_;
  BareSlice* bare_slice_ = nullptr;
  LatencyRecorder* bare_recorder_ = nullptr;
};

}  // namespace lambdacast::bench
