// Stage `ordering`: passes subscribed groups on to delivery in the order of arrival, and puts
// fragments together. With membership what is totally ordered waits for its place
// (OrderedDelivery).
//
// A message that came in fragments is delivered as the packet that completed it, whose PacketInfo
// says where the whole message is; the application's thread hands that memory back through a ring
// of its own, because only this stage's lcore may touch the reassembly.
#pragma once

#include <rte_ring.h>

#include <array>
#include <memory>
#include <string>

#include "base/result.h"
#include "dataplane/ordered_delivery.h"
#include "dataplane/reliability_stage.h"
#include "dpdk/link.h"
#include "dpdk/packet.h"
#include "endpoint/delivery_filter.h"
#include "endpoint/stage.h"

namespace lambdacast::dataplane {

// Handles of reassembled messages on their way back: one producer, one consumer, never full.
class ReleaseRing {
 public:
  [[nodiscard]] static base::Result<ReleaseRing> create(const std::string& name,
                                                        uint16_t max_messages);
  void push(uint16_t handle) {
    rte_ring_sp_enqueue(ring_.get(), reinterpret_cast<void*>(uintptr_t{handle}));
  }
  [[nodiscard]] bool pull(uint16_t& handle) {
    void* value = nullptr;
    if (rte_ring_sc_dequeue(ring_.get(), &value) != 0) return false;
    handle = static_cast<uint16_t>(reinterpret_cast<uintptr_t>(value));
    return true;
  }

 private:
  struct Free {
    void operator()(rte_ring* ring) const { rte_ring_free(ring); }
  };
  explicit ReleaseRing(rte_ring* ring) : ring_(ring) {}
  std::unique_ptr<rte_ring, Free> ring_;
};

class OrderingStage final : public Stage {
 public:
  OrderingStage(const endpoint::DeliveryFilterConfig& config, uint32_t burst, Link& in, Link& out,
                ReleaseRing& released)
      : core_(config), burst_(burst), in_(in), out_(out), released_(released) {}
  ~OrderingStage() override;

  // Before it runs: total order, and who hears for it.
  void set_view(OrderedDelivery* view, const ReliabilityStage* hearing) {
    view_ = view;
    hearing_ = hearing;
  }
  // Likewise: the stage before is on another lcore, and fetches nothing for this one.
  void fetch_subscriptions() { fetches_ = true; }

  [[nodiscard]] const char* name() const override { return "ordering"; }
  uint32_t poll(uint64_t now_ns) override;

  [[nodiscard]] endpoint::DeliveryFilter& core() { return core_; }
  [[nodiscard]] const endpoint::DeliveryFilter& core() const { return core_; }
  [[nodiscard]] const StageCounters& counters() const { return core_.counters(); }

 private:
  // Of a packet, where its way goes on.
  enum class Way : uint8_t {
    kOn,    // to the application
    kDone,  // nowhere
    kKept,  // by total order
    kWaits  // for memory, and all behind it
  };
  [[nodiscard]] Way way_of(rte_mbuf* m, uint64_t now_ns);
  void take_back();
  [[nodiscard]] uint32_t next(rte_mbuf** packets);
  void wait(rte_mbuf** packets, uint32_t count);
  uint32_t poll_view(uint64_t now_ns);

  // Behind a message that has no memory until the application gives some back: in_'s next.
  std::array<rte_mbuf*, kMaxBurst> waiting_{};
  uint32_t waiting_count_ = 0;
  OrderedDelivery* view_ = nullptr;
  const ReliabilityStage* hearing_ = nullptr;
  bool fetches_ = false;
  endpoint::DeliveryFilter core_;
  uint32_t burst_;
  Link& in_;
  Link& out_;
  ReleaseRing& released_;
};

}  // namespace lambdacast::dataplane
