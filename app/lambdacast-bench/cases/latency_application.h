// SPDX-License-Identifier: BSD-3-Clause
// What runs on the two nodes of the latency benchmark, each polled on the lcore of its endpoint's
// ordering stage; control gives its orders there, between two polls (LcoreLoop::run_here).
#pragma once

#include <cstdint>

#include "../harness/window.h"
#include "bare_port.h"
#include "base/counter.h"
#include "latency_recorder.h"
#include "node/stage.h"
#include "rack/endpoint.h"

namespace lambdacast::bench {

// Where a message's way ends: at the receiver, or for a round trip back at the sender. In a flood
// it is counted only, and gives the sender credit.
class LatencyEnd {
 public:
  LatencyEnd(LatencyRecorder& recorder, Credit& credit) : recorder_(recorder), credit_(credit) {}

  void flood(bool on) { flooding_ = on; }
  uint32_t take(rack::Endpoint& endpoint, uint32_t burst);
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
                const Credit& credit, LatencyEnd* end);
  ~LatencySender() override;

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override;

  // Orders, on its lcore.
  void begin(const Schedule& schedule);
  void begin_flood();  // as fast as the window lets it, until stop()
  void begin_bare(BareSlice& slice, LatencyRecorder* answers);
  void stop();

  [[nodiscard]] uint64_t sent() const { return sent_.get(); }  // in all; from any thread
  [[nodiscard]] BarePort& bare() { return bare_; }

 private:
  uint32_t send_due();
  uint32_t send_flood(uint64_t now_ns);
  [[nodiscard]] bool has_loan();
  [[nodiscard]] bool send_one(uint64_t sequence, uint64_t now_tsc);

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
  LatencyReceiver(rack::Endpoint& endpoint, uint32_t payload_bytes, wire::Qos qos, LatencyEnd* end);

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override;

  void begin_bare(BareSlice& slice, LatencyRecorder* recorder);  // on its lcore

 private:
  uint32_t answer();

  rack::Endpoint& endpoint_;
  const wire::Qos qos_;
  const uint32_t burst_;
  LatencyEnd* const end_;
  BarePort bare_;
  BareSlice* bare_slice_ = nullptr;
  LatencyRecorder* bare_recorder_ = nullptr;
};

}  // namespace lambdacast::bench
