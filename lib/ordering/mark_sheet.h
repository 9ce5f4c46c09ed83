// SPDX-License-Identifier: BSD-3-Clause
// The content that waits for its marks, by who marks it and who sent it, and what engines may do to
// the order: ask what has come, mark content through a position, and say that a mark is applied.
// Then the content goes to its domains' ends (DomainQueues), and the mark counts as acknowledged
// here (Acknowledgements).
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordering/acknowledgements.h"
#include "ordering/domain_queues.h"
#include "ordering/held_packets.h"
#include "ordering/order_host.h"
#include "ordering/order_view.h"
#include "ordering/ordering_config.h"

namespace lambdacast::ordering {

class MarkSheet {
 public:
  MarkSheet(const TotalOrderConfig& config, const OrderView& view, Acknowledgements& acks,
            HeldPackets& held, DomainQueues& queues, OrderHost& host);

  // Content of a member, held, waits for its mark from now on.
  void link(uint32_t at);
  // Nothing does.
  void unlink_all();
  // Nothing does, and no mark is applied yet.
  void clear();

  // --- what engines ask ------------------------------------------------------------------------
  // Has everything of that member's stream come, through the position? In a view that ends what has
  // not come never will.
  [[nodiscard]] bool holds(size_t rank, uint64_t through) const {
    return view_.ends() || host_.taken_through(view_.streams()[rank]) >= through;
  }
  // The position of that member's last packet that waits for the marker; 0: none does.
  [[nodiscard]] uint64_t unmarked(size_t marker, size_t rank) const {
    const HeldPackets::List& list = lists_[place(view_.streams()[rank], marker)];
    return list.empty() ? 0 : held_[list.last].rel_seq;
  }
  // Does anything wait for the marker? Rate control's?
  [[nodiscard]] bool any_unmarked(size_t marker) const { return unmarked_[marker] != 0; }
  [[nodiscard]] bool rates_unmarked(size_t marker) const { return rates_unmarked_[marker] != 0; }
  // The position of the marker's last mark that is applied; 0: none.
  [[nodiscard]] uint64_t applied(size_t marker) const { return applied_[marker]; }

  // --- what they do ----------------------------------------------------------------------------
  struct Marked {
    uint8_t levels = 0;  // level_bit() of each above totally ordered
    bool rates = false;  // some of it was rate control's
  };
  [[nodiscard]] static constexpr uint8_t level_bit(wire::Qos qos) {
    return static_cast<uint8_t>(1u << static_cast<uint8_t>(qos));
  }
  // What that member has sent up to the position and waits for the marker comes next, by the mark
  // at `position`.
  Marked mark_through(size_t marker, size_t rank, uint64_t through, uint64_t position);
  // Everything up to this mark is applied: its maker holds it, and so does this node.
  void apply(size_t marker, size_t maker, uint64_t position);

 private:
  [[nodiscard]] static size_t place(size_t stream, size_t marker) {
    return stream * kMarkers + marker;
  }

  const OrderView& view_;
  Acknowledgements& acks_;
  HeldPackets& held_;
  DomainQueues& queues_;
  OrderHost& host_;
  const uint32_t rate_domain_;
  std::vector<HeldPackets::List> lists_;  // [stream][marker]
  // By marker:
  std::vector<uint32_t> unmarked_;  // packets that wait for it
  std::vector<uint32_t> rates_unmarked_;
  std::vector<uint64_t> applied_;
};

}  // namespace lambdacast::ordering
