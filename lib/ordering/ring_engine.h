// SPDX-License-Identifier: BSD-3-Clause
// The engine of a rotating token site (RMP 1996, 4), for all domains that are the ring's. The
// members pass one token around, by rank; who has it, the token site, says what comes next.
//
//   site(p) = (f + p - 1) mod N     pass p = 1, 2, ... of a view; f: epoch mod the members that
//                                   stayed, of a first view all: not always the eldest, never a
//                                   newcomer
//
// A pass is a packet of its site's own stream, and whatever repairs, retains and relays those does
// so with it: a lost frame is no lost token. It is applied when the pass before is, when it is here
// and when everything that it names has come. Only who has applied pass p - 1 makes pass p, so a
// pass is its maker's cumulative acknowledgement, and no other one is needed. A dead site's
// successor is the next view alone, because two ways to make a token can make two.
//
// The token rests at a site while nothing waits for it: after N - 1 passes without items everybody
// has acknowledged everything. wire/control/pass.h has the format.
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ordering/acknowledgements.h"
#include "ordering/engine.h"
#include "ordering/held_packets.h"
#include "ordering/mark_sheet.h"
#include "ordering/order_host.h"
#include "ordering/order_view.h"
#include "ordering/ordering_config.h"

namespace lambdacast::ordering {

struct RingCounters {
  uint64_t written = 0;  // passes that this node has made
  uint64_t empty = 0;    // of them, without items
  uint64_t applied = 0;
  uint64_t refused = 0;  // of no site, or out of its order
  uint64_t holes = 0;    // views that ended with passes behind one that nobody has
};

class RingEngine final : public Engine {
 public:
  RingEngine(const TotalOrderConfig& config, const OrderView& view, const Acknowledgements& acks,
             HeldPackets& held, MarkSheet& sheet, OrderHost& host);

  void begin_view() override;
  void link(uint32_t at) override;
  void unlink_all() override;
  void apply(uint64_t now_ns) override;
  // Passes acknowledge, member frames do not.
  [[nodiscard]] Progress take_progress() override { return Progress::kNone; }

  [[nodiscard]] uint64_t due_ns() const override;
  [[nodiscard]] size_t write(uint8_t* payload, size_t room, uint64_t now_ns) override;

  // The rank of who makes that pass, in a view.
  [[nodiscard]] size_t site(uint64_t pass) const { return (first_ + pass - 1) % view_.members(); }
  // The last pass that is applied here.
  [[nodiscard]] uint64_t pass() const { return pass_; }
  // Does nothing that is known here wait for the token?
  [[nodiscard]] bool rests() const {
    return !sheet_.any_unmarked(kRing) && !awaited() && all_have_passed();
  }
  [[nodiscard]] const RingCounters& counters() const { return counters_; }

 private:
  struct Maker {
    HeldPackets::List passes;  // not applied
    uint64_t last = 0;         // the number of the last one linked; 0: none
  };

  [[nodiscard]] uint64_t first_of(size_t rank) const;
  [[nodiscard]] bool has_come(std::span<const uint8_t> payload) const;
  void apply_pass(uint32_t at, size_t maker, uint64_t now_ns);
  [[nodiscard]] bool awaited() const;
  [[nodiscard]] bool all_have_passed() const;

  const uint64_t interval_ns_;
  const OrderView& view_;
  const Acknowledgements& acks_;
  HeldPackets& held_;
  MarkSheet& sheet_;
  OrderHost& host_;
  size_t first_ = 0;           // the rank that makes pass 1
  std::vector<Maker> makers_;  // by rank
  uint32_t waiting_ = 0;       // passes that are not applied
  uint64_t pass_ = 0;          // the last one applied
  uint64_t pass_ns_ = 0;       // when it was
  uint64_t named_ = 0;         // the last one applied that has items
  uint64_t named_ns_ = 0;      // when it was
  uint64_t next_ns_ = 0;       // to make the next one at the earliest
  // By level of service: the last pass applied that has such a message.
  std::array<uint64_t, 8> level_{};
  RingCounters counters_;
};

}  // namespace lambdacast::ordering
