// SPDX-License-Identifier: BSD-3-Clause
// The engines of a node, over the sheet that they share.
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "ordering/acknowledgements.h"
#include "ordering/domain_queues.h"
#include "ordering/engine.h"
#include "ordering/held_packets.h"
#include "ordering/mark_sheet.h"
#include "ordering/order_host.h"
#include "ordering/order_view.h"
#include "ordering/ordering_config.h"
#include "ordering/ring_engine.h"
#include "ordering/sequencer_engine.h"

namespace lambdacast::ordering {

class Engines {
 public:
  Engines(const TotalOrderConfig& config, const OrderView& view, Acknowledgements& acks,
          HeldPackets& held, DomainQueues& queues, OrderHost& host)
      : view_(view),
        held_(held),
        sheet_(config, view, acks, held, queues, host),
        sequencers_(config, view, held, sheet_, host) {
    if (config.order != Order::kSequencer) ring_.emplace(config, view, acks, held, sheet_, host);
  }

  // Content waits for its mark from now on, and marks wait to be applied; of members alone.
  void link(uint32_t at);
  // Nothing does.
  void unlink_all() {
    sheet_.unlink_all();
    sequencers_.unlink_all();
    if (ring_) ring_->unlink_all();
  }
  void apply(uint64_t now_ns) {
    sequencers_.apply(now_ns);
    if (ring_) ring_->apply(now_ns);
  }
  void begin_view() {
    sheet_.clear();
    sequencers_.begin_view();
    if (ring_) ring_->begin_view();
  }
  // Forgets all packets, which are not held any more.
  void clear() {
    sheet_.clear();
    sequencers_.unlink_all();
    if (ring_) ring_->unlink_all();
  }

  // When this node has something to mark; ~0: nothing. `room`: packets that its stream has room
  // for. Marks leave some to the token, for which all wait.
  [[nodiscard]] uint64_t due_ns(uint32_t room) const {
    return std::min(marks_due_ns(room), ring_ ? ring_->due_ns() : kNever);
  }
  // A packet that marks it, to `group`.
  struct Written {
    uint32_t group = 0;
    size_t bytes = 0;
  };
  [[nodiscard]] Written write(uint8_t* payload, size_t most, uint64_t now_ns, uint32_t room);

  [[nodiscard]] const MarkSheet& sheet() const { return sheet_; }
  [[nodiscard]] SequencerEngine& sequencers() { return sequencers_; }
  [[nodiscard]] const SequencerEngine& sequencers() const { return sequencers_; }
  // Nothing: no domain is the ring's.
  [[nodiscard]] std::optional<RingEngine>& ring() { return ring_; }
  [[nodiscard]] const std::optional<RingEngine>& ring() const { return ring_; }

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  // At most two passes of a node are not stable at a time.
  static constexpr uint32_t kPassReserve = 3;

  [[nodiscard]] uint64_t marks_due_ns(uint32_t room) const {
    return ring_ && room <= kPassReserve ? kNever : sequencers_.due_ns();
  }

  const OrderView& view_;
  HeldPackets& held_;
  MarkSheet sheet_;
  SequencerEngine sequencers_;
  std::optional<RingEngine> ring_;
};

}  // namespace lambdacast::ordering
