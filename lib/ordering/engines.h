// SPDX-License-Identifier: BSD-3-Clause
// The engines of a node, over the sheet that they share.
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ordering/acknowledgements.h"
#include "ordering/domain_queues.h"
#include "ordering/engine.h"
#include "ordering/held_packets.h"
#include "ordering/mark_sheet.h"
#include "ordering/order_host.h"
#include "ordering/order_view.h"
#include "ordering/ordering_config.h"
#include "ordering/sequencer_engine.h"

namespace lambdacast::ordering {

class Engines {
 public:
  Engines(const TotalOrderConfig& config, const OrderView& view, Acknowledgements& acks,
          HeldPackets& held, DomainQueues& queues, OrderHost& host)
      : view_(view),
        held_(held),
        sheet_(config, view, acks, held, queues, host),
        sequencers_(config, view, held, sheet_, host) {}

  // Content waits for its mark from now on, and marks wait to be applied; of members alone.
  void link(uint32_t at);
  // Nothing does.
  void unlink_all() {
    sheet_.unlink_all();
    sequencers_.unlink_all();
  }
  void apply(uint64_t now_ns) { sequencers_.apply(now_ns); }
  void begin_view() {
    sheet_.clear();
    sequencers_.begin_view();
  }
  // Forgets all packets, which are not held any more.
  void clear() {
    sheet_.clear();
    sequencers_.unlink_all();
  }

  [[nodiscard]] const MarkSheet& sheet() const { return sheet_; }
  [[nodiscard]] SequencerEngine& sequencers() { return sequencers_; }
  [[nodiscard]] const SequencerEngine& sequencers() const { return sequencers_; }

 private:
  const OrderView& view_;
  HeldPackets& held_;
  MarkSheet sheet_;
  SequencerEngine sequencers_;
};

}  // namespace lambdacast::ordering
