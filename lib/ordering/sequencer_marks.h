// SPDX-License-Identifier: BSD-3-Clause
// The marks of each sequencer of the view: the content that waits for one, those that wait to be
// applied, and this node's own. wire/control/view_control.h has their format.
//
// A mark is applied when everything that it names has come: the content goes to its domains' ends
// (DomainQueues), and the mark counts as acknowledged here (Acknowledgements).
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ordering/acknowledgements.h"
#include "ordering/domain_queues.h"
#include "ordering/held_packets.h"
#include "ordering/order_host.h"
#include "ordering/order_view.h"
#include "ordering/ordering_config.h"

namespace lambdacast::ordering {

class SequencerMarks {
 public:
  SequencerMarks(const TotalOrderConfig& config, const OrderView& view, Acknowledgements& acks,
                 HeldPackets& held, DomainQueues& queues, OrderHost& host);

  // Content waits for its mark from now on, and marks wait to be applied; of members alone.
  void link(uint32_t at);
  // Nothing does.
  void unlink_all();
  // Applies what can be. In a view that ends everything counts as having come, and nothing is
  // acknowledged.
  void apply();
  // The rel_seq of the sequencer's last mark that is applied.
  [[nodiscard]] uint64_t applied(size_t marker) const { return markers_[marker].applied; }

  // Has applied() changed since it was asked last? Awaited: the others wait for that with a
  // message. What is delivered as soon as it is marked, nobody need know at once.
  enum class Progress : uint8_t { kNone, kApplied, kAwaited };
  [[nodiscard]] Progress take_progress() { return std::exchange(progress_, Progress::kNone); }

  // Content that this node has to mark waits.
  [[nodiscard]] bool due() const { return unmarked_here_ != 0; }
  [[nodiscard]] bool rates_due() const { return rates_unmarked_here_ != 0; }
  // Writes them at `payload`, at least one of them, in no more than `room` bytes; returns the
  // bytes.
  [[nodiscard]] size_t write(uint8_t* payload, size_t room);

  // A view begins: no mark is applied yet, and all members are to hear so.
  void begin_view();
  // Forgets all packets, which are not held any more.
  void clear();

  [[nodiscard]] uint64_t packets_written() const { return written_; }
  [[nodiscard]] uint64_t packets_applied() const { return packets_applied_; }

 private:
  struct Marker {
    uint64_t applied = 0;
    HeldPackets::List marks;  // packets, not applied
    uint32_t item = 0;        // of the first of them, to be applied next
    bool awaited = false;     // the acknowledgement of what is applied
    bool rates = false;       // rate control's, of the first of them
  };

  [[nodiscard]] HeldPackets::List& unmarked(size_t stream, size_t marker) {
    return unmarked_[stream * wire::kMaxMembers + marker];
  }
  void apply_of(size_t marker);
  [[nodiscard]] bool apply_packet(size_t marker, uint32_t at);

  const OrderView& view_;
  Acknowledgements& acks_;
  HeldPackets& held_;
  DomainQueues& queues_;
  OrderHost& host_;
  const uint32_t rate_domain_;
  std::vector<HeldPackets::List> unmarked_;  // [stream][marker]
  std::vector<Marker> markers_;              // by rank
  uint32_t unmarked_here_ = 0;               // that this node has to mark
  uint32_t rates_unmarked_here_ = 0;         // of those, rate control's
  uint32_t marks_waiting_ = 0;               // packets of them that are not applied
  Progress progress_ = Progress::kNone;
  uint64_t written_ = 0;
  uint64_t packets_applied_ = 0;
};

}  // namespace lambdacast::ordering
