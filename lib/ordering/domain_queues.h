// SPDX-License-Identifier: BSD-3-Clause
// The domains' orders: each message that is marked gets the next index of its domain in this view,
// and is delivered in that order when its level is reached. Source ordered content that waited
// behind it follows.
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordering/acknowledgements.h"
#include "ordering/held_packets.h"
#include "ordering/order_host.h"
#include "ordering/order_view.h"
#include "ordering/ordering_config.h"

namespace lambdacast::ordering {

class DomainQueues {
 public:
  DomainQueues(const TotalOrderConfig& config, const OrderView& view, const Acknowledgements& acks,
               HeldPackets& held, OrderHost& host);

  // Unmarked content that is its domain's next, by the mark at that position of its sequencer's
  // stream; 0: by the end of the view. What is rate control's goes to the host and waits for
  // nothing.
  void mark(uint32_t at, uint64_t position);
  // Delivers what the sequencer has marked and may go: as far as its level is reached, in a view
  // that ends all of it.
  void drain(size_t marker);
  void drain_all();
  // Marked or source ordered content, to the application, whatever it waits for. False: it refuses.
  bool deliver(uint32_t at, bool last_call = false);

  // The application has refused something: nothing goes until retry().
  [[nodiscard]] bool refused() const { return refused_; }
  void retry();
  // Is everything that is marked delivered?
  [[nodiscard]] bool idle() const;

  void begin_view() {
    for (Domain& domain : domains_) domain.next_index = 0;
  }
  // Out of every view: all that is source ordered goes, and nothing waits for the application.
  void give_up();
  // Forgets all packets, which are not held any more.
  void clear();

  [[nodiscard]] uint64_t delivered() const { return delivered_; }  // packets
  [[nodiscard]] uint64_t recovered() const { return recovered_; }  // of them, as a view ended

 private:
  struct Domain {
    uint64_t next_index = 0;
    HeldPackets::List queue;  // marked, not delivered
    bool waiting = false;     // in its marker's list
  };

  [[nodiscard]] bool drain_domain(uint32_t domain);
  void deliver_behind(uint32_t at);
  void deliver_followers(size_t stream);

  const OrderView& view_;
  const Acknowledgements& acks_;
  HeldPackets& held_;
  OrderHost& host_;
  const uint32_t rate_domain_;
  std::vector<Domain> domains_;
  std::vector<std::vector<uint32_t>> waiting_;  // by marker: domains with something in the queue
  std::vector<uint32_t> blocked_;               // by domain: the pass in which it was found so
  uint32_t pass_ = 0;
  bool refused_ = false;
  uint64_t delivered_ = 0;
  uint64_t recovered_ = 0;
};

}  // namespace lambdacast::ordering
