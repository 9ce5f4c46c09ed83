// The ordering stage of *unreliable* QoS: it keeps the order of arrival, passes what somebody here
// subscribes to and counts it. It holds nothing back and reorders nothing.
//
// Groups are filtered here, after sequence accounting: on an ODBSS every node hears every group,
// and one sequence serves them all, so a frame of a foreign group still fills its place in the
// stream. Group numbers are fabric-wide, 32 bits, any value.
//
// Not thread-safe: the lcore that runs the stage owns it, changes of the subscription included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "counters/drop_reason.h"

namespace lambdacast::ordering {

struct OrderingConfig {
  size_t max_groups = 1024;    // subscriptions at a time
  bool subscribe_all = false;  // deliver every group (per-group counts for subscribed ones only)
};

struct GroupReport {
  uint32_t group = 0;
  uint64_t delivered_packets = 0;
  uint64_t delivered_bytes = 0;  // application bytes
};

class OrderingCore {
 public:
  explicit OrderingCore(const OrderingConfig& config);

  // False: max_groups are subscribed already. Subscribing twice is once.
  bool subscribe(uint32_t group);
  // False: was not subscribed. The group's counts are forgotten; the totals stay.
  bool unsubscribe(uint32_t group);
  [[nodiscard]] bool subscribed(uint32_t group) const;

  // Packet: endpoint::PacketInfo, or anything with its fields group and payload_bytes.
  template <typename Packet>
  [[nodiscard]] counters::DropReason accept(const Packet& packet) {
    return accept(packet.group, packet.payload_bytes);
  }

  // kNone: deliver it, now and in this order. kNotSubscribed: refused.
  [[nodiscard]] counters::DropReason accept(uint32_t group, uint32_t application_bytes) {
    Slot& last = slots_[last_];
    Slot* slot = last.used && last.group == group ? &last : find(group);
    if (slot != nullptr) {
      ++slot->packets;
      slot->bytes += application_bytes;
    } else if (!subscribe_all_) {
      return counters::DropReason::kNotSubscribed;
    }
    ++delivered_packets_;
    delivered_bytes_ += application_bytes;
    return counters::DropReason::kNone;
  }

  [[nodiscard]] size_t groups() const { return used_; }
  [[nodiscard]] uint64_t delivered_packets() const { return delivered_packets_; }
  [[nodiscard]] uint64_t delivered_bytes() const { return delivered_bytes_; }
  [[nodiscard]] GroupReport report(uint32_t group) const;  // zeros if not subscribed

  // visit(const GroupReport&) for each subscribed group, in no particular order.
  template <typename Visitor>
  void for_each_group(Visitor&& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.used) visit(GroupReport{slot.group, slot.packets, slot.bytes});
    }
  }

 private:
  struct Slot {  // 24 bytes; open addressing with linear probing, at most half full
    uint32_t group = 0;
    bool used = false;
    uint64_t packets = 0;
    uint64_t bytes = 0;
  };

  [[nodiscard]] size_t home(uint32_t group) const { return base::mix64(group) & mask_; }

  // Remembers the hit: bursts of one group cost one compare each.
  [[nodiscard]] Slot* find(uint32_t group) {
    for (size_t i = home(group); slots_[i].used; i = (i + 1) & mask_) {
      if (slots_[i].group == group) {
        last_ = i;
        return &slots_[i];
      }
    }
    return nullptr;
  }

  std::vector<Slot> slots_;  // a power of two, sized once
  size_t mask_ = 0;
  size_t last_ = 0;  // slot of the last hit
  size_t used_ = 0;
  size_t max_groups_ = 0;
  bool subscribe_all_ = false;
  uint64_t delivered_packets_ = 0;
  uint64_t delivered_bytes_ = 0;
};

}  // namespace lambdacast::ordering
