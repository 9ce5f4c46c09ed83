// SPDX-License-Identifier: BSD-3-Clause
// The end of a view and the beginning of the next one, in total order
// (doc/decisions/0011-the-end-of-a-view.md). FastCast 2013, Figure 3, delivers by hash what nobody
// marked and skips what is missing. Here it goes by rank and position, and nothing is missing.
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordering/acknowledgements.h"
#include "ordering/domain_queues.h"
#include "ordering/engines.h"
#include "ordering/held_packets.h"
#include "ordering/order_host.h"
#include "ordering/order_view.h"
#include "ordering/ordering_config.h"

namespace lambdacast::ordering {

// The end of a view in a member's stream: `position` is its last.
struct Cut {
  size_t stream = 0;
  uint64_t position = 0;
  bool stays = false;  // in the next view, or joins it
};

class ViewEnd {
 public:
  ViewEnd(const TotalOrderConfig& config, OrderView& view, Acknowledgements& acks,
          HeldPackets& held, DomainQueues& queues, Engines& engines, OrderHost& host);

  // The view ends, if there is one, as TotalOrder::install() says. True: the next one has begun.
  bool install(uint64_t epoch, std::span<const Cut> cuts, std::span<const size_t> streams,
               size_t own_rank, size_t stayed);
  // Begins it when the application has all of the one before. True: it has.
  bool try_begin();

  // Packets of departed senders, beyond the cut.
  [[nodiscard]] uint64_t discarded() const { return discarded_; }

 private:
  void end_view(std::span<const Cut> cuts);
  void mark_the_rest(const Cut& cut);
  void carry_over(size_t stream);

  const uint32_t k_;
  OrderView& view_;
  Acknowledgements& acks_;
  HeldPackets& held_;
  DomainQueues& queues_;
  Engines& engines_;
  OrderHost& host_;
  // The view that begins when this one has been delivered.
  uint64_t epoch_ = 0;
  size_t own_rank_ = 0;
  size_t stayed_ = 0;
  std::vector<size_t> streams_;          // by rank
  std::vector<uint64_t> begins_behind_;  // by stream
  uint64_t discarded_ = 0;
};

}  // namespace lambdacast::ordering
