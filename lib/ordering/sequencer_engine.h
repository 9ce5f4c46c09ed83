// SPDX-License-Identifier: BSD-3-Clause
// The engine of fixed sequencers (FastCast 2013, 3.3): each domain has one, a member of the view,
// which marks what comes next in it. wire/control/view_control.h has the format of marks.
//
// A mark is applied when everything that it names has come. It is due as soon as there is something
// to mark, but no sooner than an interval after the one before: they go at once after a pause, and
// under load their number does not grow with that of messages.
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ordering/engine.h"
#include "ordering/held_packets.h"
#include "ordering/mark_sheet.h"
#include "ordering/order_host.h"
#include "ordering/order_view.h"
#include "ordering/ordering_config.h"

namespace lambdacast::ordering {

class SequencerEngine final : public Engine {
 public:
  SequencerEngine(const TotalOrderConfig& config, const OrderView& view, HeldPackets& held,
                  MarkSheet& sheet, OrderHost& host);

  // All members are to hear that nothing is applied yet.
  void begin_view() override;
  void link(uint32_t at) override;
  void unlink_all() override;
  void apply(uint64_t now_ns) override;
  [[nodiscard]] Progress take_progress() override {
    return std::exchange(progress_, Progress::kNone);
  }

  [[nodiscard]] uint64_t due_ns() const override {
    return sheet_.any_unmarked(view_.own_rank()) ? next_ns_ : ~uint64_t{0};
  }
  [[nodiscard]] size_t write(uint8_t* payload, size_t room, uint64_t now_ns) override;

  [[nodiscard]] uint64_t packets_written() const { return written_; }
  [[nodiscard]] uint64_t packets_applied() const { return packets_applied_; }

 private:
  struct Marker {
    HeldPackets::List marks;  // packets, not applied
    uint32_t item = 0;        // of the first of them, to be applied next
    bool awaited = false;     // the acknowledgement of what is applied
    bool rates = false;       // rate control's, of the first of them
  };

  void apply_of(size_t marker);
  [[nodiscard]] bool apply_packet(size_t marker, uint32_t at);

  const uint64_t interval_ns_;
  const OrderView& view_;
  HeldPackets& held_;
  MarkSheet& sheet_;
  OrderHost& host_;
  std::vector<Marker> markers_;  // by rank
  uint32_t waiting_ = 0;         // packets of marks that are not applied
  Progress progress_ = Progress::kNone;
  uint64_t next_ns_ = 0;  // to be written at the earliest
  uint64_t written_ = 0;
  uint64_t packets_applied_ = 0;
};

}  // namespace lambdacast::ordering
