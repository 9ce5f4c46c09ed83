// SPDX-License-Identifier: BSD-3-Clause
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

struct SubscriptionsConfig {
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

class Subscriptions {
 public:
  explicit Subscriptions(const SubscriptionsConfig& config);

  // Returns false if there are max_groups already. Subscribing again changes nothing.
  bool subscribe(uint32_t group);
  // Returns false if there was no subscription. The group's counts are forgotten; the totals stay.
  bool unsubscribe(uint32_t group);
  [[nodiscard]] bool subscribed(uint32_t group) const;

  // Fetches the entry of a group that admit() and count() will be asked about soon. Any lcore may
  // call it.
  void prefetch(uint32_t group) const { __builtin_prefetch(&keys_[home(group)]); }

  // Does somebody here subscribe to the group? kNone, or kNotSubscribed.
  [[nodiscard]] counters::DropReason admit(uint32_t group) {
    const bool wanted = remember(group) || subscribe_all_;
    return wanted ? counters::DropReason::kNone : counters::DropReason::kNotSubscribed;
  }

  // The place of the group admitted last, if it is subscribed. It is below max_groups, and it is
  // the same until some group is left. Others use it as a hint into tables of the same groups.
  [[nodiscard]] uint32_t place() const { return last_; }

  // Counts what is delivered of an admitted group: packets, the messages they make up and their
  // application bytes.
  void count(uint32_t group, uint32_t packets, uint32_t messages, uint64_t bytes) {
    if (remember(group)) subscriptions_[last_].delivered.add(packets, messages, bytes);
    total_.add(packets, messages, bytes);
  }

  [[nodiscard]] size_t groups() const { return subscriptions_.size(); }
  // The memory of one of max_groups: in the table, of which at most three quarters are in use, and
  // in the subscriptions.
  [[nodiscard]] static constexpr size_t bytes_of_group() {
    return 2 * sizeof(Key) + sizeof(GroupReport);
  }
  [[nodiscard]] const Delivered& total() const { return total_; }
  [[nodiscard]] GroupReport report(uint32_t group) const;  // zeros if not subscribed

  // visit(const GroupReport&) for each subscribed group, in no particular order.
  template <typename Visitor>
  void for_each_group(Visitor&& visit) const {
    for (const GroupReport& each : subscriptions_) visit(each);
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  // Open addressing with linear probing. Small, so that of thousands of groups, one a packet, as
  // much as can be is in the near caches.
  struct Key {
    uint32_t group = 0;
    uint32_t place = kNone;  // in subscriptions_; kNone: free
  };

  [[nodiscard]] size_t home(uint32_t group) const { return base::mix64(group) & mask_; }
  [[nodiscard]] size_t next(size_t i) const { return (i + 1) & mask_; }
  // The group's key, or the free one where it would be.
  [[nodiscard]] size_t find(uint32_t group) const {
    size_t i = home(group);
    while (keys_[i].place != kNone && keys_[i].group != group) i = next(i);
    return i;
  }
  // Bursts of one group cost one compare each. False: not subscribed.
  [[nodiscard]] bool remember(uint32_t group) {
    if (last_ != kNone && last_group_ == group) return true;
    const Key& key = keys_[find(group)];
    if (key.place == kNone) return false;
    last_group_ = group;
    last_ = key.place;
    return true;
  }

  std::vector<Key> keys_;                   // a power of two, sized once
  std::vector<GroupReport> subscriptions_;  // capacity max_groups
  size_t mask_ = 0;
  size_t max_groups_ = 0;
  uint32_t last_group_ = 0;  // remembered
  uint32_t last_ = kNone;    // its place
  bool subscribe_all_ = false;
  Delivered total_;
};

}  // namespace lambdacast::ordering
