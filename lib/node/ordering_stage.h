// SPDX-License-Identifier: BSD-3-Clause
// Stage `ordering`: passes subscribed groups on to delivery in the order of arrival, and puts
// fragments together. With membership what is totally ordered waits for its place
// (OrderedDelivery).
//
//   outcome of a packet                       goes to
//   of a subscribed group, or a gap           kDeliveries
//   completes a message of several packets    kDeliveries, for all of it
//   a fragment before that                    freed: its bytes are in reassembly
//   ordered content, marks                    total order, which delivers them later
//   no memory for its message                 waits here, with all behind it, until some comes back
//   lost for want of room, recoverable        kDeliveries, as a gap
//   not subscribed, not of the view           freed (counters)
//
// A message that came in fragments is delivered as the packet that completed it, whose PacketInfo
// says where the whole message is. The application hands that memory back through kReleased,
// because only this stage's lcore may touch the reassembly.
#pragma once

#include <array>

#include "node/delivery_filter.h"
#include "node/env.h"
#include "node/ordered_delivery.h"
#include "node/rx_blocked.h"
#include "node/stage.h"
#include "node/stage_counters.h"

namespace lambdacast::node {

struct OrderingReport {
  StageCounters counters;
  ordering::Delivered delivered;  // its packets are counters.forwarded
  uint64_t held = 0;              // fragments in reassembly
  uint64_t reassembly_free_bytes = 0;
};

template <typename Env>
class OrderingStage final : public Stage {
 public:
  using Packet = typename Env::Packet;
  using Queue = typename Env::Queue;

  struct Links {
    Queue& in;
    Queue& out;
    typename Env::HandleQueue& released;
  };
  struct Parts {
    DeliveryFilter& filter;
    const RxBlocked& rx_blocked;
    OrderedDelivery<Env>* view;  // total order; null: none
    bool prefetches;             // the stage before is on another lcore, and cannot for this one
  };
  OrderingStage(const Parts& parts, uint32_t burst, Env& env, const Links& links)
      : filter_(parts.filter),
        rx_blocked_(parts.rx_blocked),
        view_(parts.view),
        prefetches_(parts.prefetches),
        burst_(burst),
        env_(env),
        links_(links) {}
  ~OrderingStage() override;

  [[nodiscard]] const char* name() const override { return "ordering"; }
  uint32_t poll(uint64_t now_ns) override;
  [[nodiscard]] uint64_t next_deadline_ns() const override;

  [[nodiscard]] const StageCounters& counters() const { return filter_.counters(); }
  void report(OrderingReport& out) const {
    out = {filter_.counters(), filter_.subscriptions().total(), filter_.held(),
           filter_.reassembly().free_bytes()};
  }

 private:
  // Where a packet goes on.
  enum class Way : uint8_t {
    kOn,    // to the application
    kDone,  // nowhere
    kKept,  // by total order
    kWaits  // for memory, and all behind it
  };
  [[nodiscard]] Way way_of(Packet packet, uint64_t now_ns);
  void take_back();
  [[nodiscard]] uint32_t next(Packet* packets);
  void wait(Packet* packets, uint32_t count);
  uint32_t poll_view(uint64_t now_ns);

  DeliveryFilter& filter_;
  const RxBlocked& rx_blocked_;
  OrderedDelivery<Env>* const view_;
  const bool prefetches_;
  const uint32_t burst_;
  Env& env_;
  const Links links_;
  // The next packets of `in`, behind a message that waits for memory from the application.
  std::array<Packet, kMaxBurst> waiting_{};
  uint32_t waiting_count_ = 0;
};

}  // namespace lambdacast::node
