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

struct Delivered {
  uint64_t packets = 0;
  uint64_t messages = 0;
  uint64_t bytes = 0;  // application bytes

  void add(uint64_t more_packets, uint64_t more_messages, uint64_t more_bytes) {
    packets += more_packets;
    messages += more_messages;
    bytes += more_bytes;
  }
};

struct GroupReport {
  uint32_t group = 0;
  Delivered delivered;
};

class OrderingCore {
 public:
  explicit OrderingCore(const OrderingConfig& config);

  // False: max_groups are subscribed already. Subscribing twice is once.
  bool subscribe(uint32_t group);
  // False: was not subscribed. The group's counts are forgotten; the totals stay.
  bool unsubscribe(uint32_t group);
  [[nodiscard]] bool subscribed(uint32_t group) const;

  // Does somebody here subscribe to the group? kNone, or kNotSubscribed.
  [[nodiscard]] counters::DropReason admit(uint32_t group) {
    const bool wanted = remembered(group) || find(group) != nullptr || subscribe_all_;
    return wanted ? counters::DropReason::kNone : counters::DropReason::kNotSubscribed;
  }

  // Counts what is delivered of an admitted group: packets, the messages they make up and their
  // application bytes.
  void count(uint32_t group, uint32_t packets, uint32_t messages, uint64_t bytes) {
    if (remembered(group) || find(group) != nullptr)
      slots_[last_].report.add(packets, messages, bytes);
    total_.add(packets, messages, bytes);
  }

  [[nodiscard]] size_t groups() const { return used_; }
  [[nodiscard]] const Delivered& total() const { return total_; }
  [[nodiscard]] GroupReport report(uint32_t group) const;  // zeros if not subscribed

  // visit(const GroupReport&) for each subscribed group, in no particular order.
  template <typename Visitor>
  void for_each_group(Visitor&& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.used) visit(GroupReport{slot.group, slot.report});
    }
  }

 private:
  struct Slot {  // 32 bytes; open addressing with linear probing, at most half full
    uint32_t group = 0;
    bool used = false;
    Delivered report;
  };

  [[nodiscard]] size_t home(uint32_t group) const { return base::mix64(group) & mask_; }

  [[nodiscard]] bool remembered(uint32_t group) const {
    return slots_[last_].used && slots_[last_].group == group;
  }

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
  Delivered total_;
};

}  // namespace lambdacast::ordering
