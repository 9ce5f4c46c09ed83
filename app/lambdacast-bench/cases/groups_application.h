// SPDX-License-Identifier: BSD-3-Clause
// What runs on each node of the groups benchmark: joins as many groups as it is told to, publishes
// numbered messages to some of them in turn, and checks what each group delivers.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "../harness/sending.h"
#include "base/counter.h"
#include "dpdk/clock.h"
#include "group/handlers.h"
#include "rack/application.h"

namespace lambdacast::bench {

// Shared by the nodes; control writes. A phase begins when nothing is on its way, with a sender
// that is stored last.
struct GroupsRun {
  static constexpr uint32_t kNobody = ~0u;
  std::atomic<uint32_t> joined{0};        // groups that all should be in
  std::atomic<uint32_t> sender{kNobody};  // node
  std::atomic<uint32_t> in_turn{1};       // the first so many groups are published to
  std::atomic<wire::Qos> level{wire::Qos::kSourceOrdered};
  std::atomic<uint32_t> phase{0};
  uint64_t rate = 0;  // messages a second; 0: unlimited
  uint32_t payload_bytes = 64;
  uint32_t nodes = 0;
  uint32_t most_groups = 0;
};

// What a message begins with.
struct GroupsStamp {
  uint32_t phase = 0;
  uint32_t group = 0;     // 0: the first joined
  uint32_t sequence = 0;  // in the group, from 0 in each phase, and round again
};

[[nodiscard]] std::string bench_group_name(uint32_t group);

class GroupsApplication final : public rack::Application, private group::Handlers {
 public:
  GroupsApplication(rack::Endpoint& endpoint, GroupsRun& run, uint32_t node,
                    const dpdk::TscClock& clock);
  ~GroupsApplication() override;

  // From any thread.
  [[nodiscard]] uint64_t published() const { return published_.get(); }
  [[nodiscard]] uint64_t delivered() const { return delivered_.get(); }
  [[nodiscard]] uint64_t wrong() const { return wrong_.get(); }
  [[nodiscard]] uint64_t out_of_order() const { return out_of_order_.get(); }
  [[nodiscard]] uint64_t views() const { return views_.get(); }  // of the nodes
  // Groups that this node has seen all nodes in, and when the last became one.
  [[nodiscard]] uint64_t complete() const { return complete_.get(); }
  [[nodiscard]] uint64_t complete_ns() const {
    return complete_ns_.load(std::memory_order_relaxed);
  }

 private:
  struct Place {
    uint32_t number = 0;  // on the wire
    uint32_t next = 0;    // sequence
  };

  uint32_t tick(uint64_t now_ns) override;
  void numbered(const node::PacketInfo& info, std::span<const uint8_t> message) override;
  void node_view(const node::ViewEvent& event) override;
  // Of a group.
  void delivered(const group::Delivery& delivery, std::span<const uint8_t> message) override;
  void view(const group::GroupView& view) override;

  void join(uint32_t count);
  void follow_phase();
  [[nodiscard]] uint32_t publish(uint64_t now_ns);

  GroupsRun& run_;
  const uint32_t node_;
  const dpdk::TscClock& clock_;
  Loans loans_;
  rate_control::Pacer pacer_;
  uint32_t asked_ = 0;  // groups
  uint32_t phase_ = 0;
  uint32_t group_ = 0;  // the next message's
  uint32_t lap_ = 0;    // its sequence
  std::vector<Place> places_;
  base::Counter published_;
  base::Counter delivered_;
  base::Counter wrong_;
  base::Counter out_of_order_;
  base::Counter views_;
  base::Counter complete_;
  std::atomic<uint64_t> complete_ns_{0};
};

}  // namespace lambdacast::bench
