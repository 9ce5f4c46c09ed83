// SPDX-License-Identifier: BSD-3-Clause
// What the ordering stage decides about a packet: is its group subscribed, and is it, or does it
// complete, something to deliver?
//
// Not thread-safe: the lcore that runs the ordering stage owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/counter.h"
#include "base/uptime_clock.h"
#include "counters/drop_reason.h"
#include "node/packet_info.h"
#include "node/stage_counters.h"
#include "ordering/reassembly.h"
#include "ordering/subscriptions.h"

namespace lambdacast::node {

struct DeliveryFilterConfig {
  ordering::SubscriptionsConfig ordering;
  ordering::ReassemblyConfig reassembly;  // its memory is touched only as messages need it
  // Messages of the group layer (wire::Kind::kGroup) go on whatever is subscribed to: whoever is in
  // the view has to know who is in which group. False: they are like any others of their group.
  bool all_group_messages = false;
  // What the request layer says to this endpoint alone comes to this number. 0: nothing does.
  uint32_t personal_group = 0;
  size_t max_peers = 0;  // whose losses are counted
};

class DeliveryFilter {
 public:
  explicit DeliveryFilter(const DeliveryFilterConfig& config);

  // Where the packet's way goes on.
  enum class Step : uint8_t {
    kDeliver,  // to the application, now and in this order
    kHold,     // a fragment: its bytes have been copied, the packet is not needed any more
    kDrop,     // counted
    kWait,     // again, when the application has given messages back: their memory is wanted
    kLost,     // dropped, and recoverable: the application has to be told (LossReason::kReassembly)
  };
  struct Outcome {
    Step step = Step::kDeliver;
    counters::DropReason reason = counters::DropReason::kNone;  // with kDrop, kWait and kLost

    // True if the message is lost for want of room here, so that others can deliver it.
    [[nodiscard]] bool lost_here_alone() const {
      return step == Step::kLost && (reason == counters::DropReason::kReassemblyMemory ||
                                     reason == counters::DropReason::kMessageTooLong);
    }
  };

  // `frame`: the packet's first byte. kDeliver of a fragment: `info` says where the message is
  // (message, message_bytes), until release(info.reassembly).
  [[nodiscard]] Outcome accept(PacketInfo& info, const uint8_t* frame, uint64_t now_ns) {
    ++counters_.received;
    const auto reason = subscriptions_.admit(info.group);
    info.place = subscriptions_.place();
    if (wire::is_fragment(info.kind)) [[unlikely]]
      return accept_fragment(info, frame + info.payload_offset, reason, now_ns);
    if (reason != counters::DropReason::kNone && !goes_on(info)) return drop(reason);
    ++counters_.forwarded;
    subscriptions_.count(info.group, 1, messages_begun(info), application_bytes(info));
    return {};
  }

  // A packet that did not get as far as accept().
  void refuse(counters::DropReason reason) {
    ++counters_.received;
    counters_.drops.add(reason);
  }

  // Gives up fragments whose message did not come together in time.
  // Time in which this endpoint did not run does not count: the rest may wait in its port.
  void expire(uint64_t now_ns) {
    if (reassembly_.counters().held_fragments == 0) return;
    reassembly_.expire(clock_.advance(now_ns));
    count_given_up();
  }
  // When to call expire() next, if no fragment comes before.
  [[nodiscard]] uint64_t next_expiry_ns() const {
    return clock_.wake_ns(reassembly_.next_expiry_ns());
  }
  void release(uint16_t reassembly) { reassembly_.release(reassembly); }
  // Positions of the peer's stream were declared lost.
  void gap(uint16_t peer, uint64_t first, uint64_t count, uint64_t now_ns) {
    reassembly_.doom(peer, first, count, clock_.advance(now_ns));
  }
  // A view begins, or this endpoint is out of it: stays(peer, incarnation) says whose totally
  // ordered messages go on.
  template <typename Stays>
  void view(uint64_t now_ns, Stays&& stays) {
    reassembly_.doom_ordered(clock_.advance(now_ns), [&](const ordering::Fragment& about) {
      return !stays(about.peer, about.incarnation);
    });
  }

  // Recoverable packets of the peer that came and are lost for all that (Step::kLost). Any thread.
  [[nodiscard]] uint64_t lost(size_t peer) const { return lost_[peer].get(); }
  // received = forwarded + dropped + held()
  [[nodiscard]] const StageCounters& counters() const { return counters_; }
  [[nodiscard]] uint64_t held() const { return reassembly_.counters().held_fragments; }
  [[nodiscard]] ordering::Subscriptions& subscriptions() { return subscriptions_; }
  [[nodiscard]] const ordering::Subscriptions& subscriptions() const { return subscriptions_; }
  [[nodiscard]] const ordering::Reassembly& reassembly() const { return reassembly_; }

 private:
  // Does it go on although nobody here subscribes to its group? A caller has to know the places of
  // its requests.
  [[nodiscard]] bool goes_on(const PacketInfo& info) const {
    if (info.kind == wire::Kind::kGroup) return all_group_messages_;
    if (!wire::is_request(info.kind) || personal_group_ == 0) return false;
    return info.peer == kNoPeer || info.group == personal_group_ ||
           (info.group == wire::kFindGroup && all_group_messages_);
  }
  [[nodiscard]] Outcome drop(counters::DropReason reason) {
    counters_.drops.add(reason);
    return {Step::kDrop, reason};
  }
  [[nodiscard]] Outcome accept_fragment(PacketInfo& info, const uint8_t* bytes,
                                        counters::DropReason unwanted, uint64_t now_ns);
  [[nodiscard]] Outcome refuse_fragment(const PacketInfo& info, counters::DropReason reason);
  void count_given_up();

  std::unique_ptr<uint8_t[]> memory_;
  ordering::Subscriptions subscriptions_;
  ordering::Reassembly reassembly_;
  base::UptimeClock clock_;  // of the reassembly
  const bool all_group_messages_;
  const uint32_t personal_group_;
  uint64_t given_up_ = 0;  // fragments counted as dropped so far
  StageCounters counters_;
  std::vector<base::Counter> lost_;  // by peer
};

}  // namespace lambdacast::node
