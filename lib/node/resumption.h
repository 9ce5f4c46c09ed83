// SPDX-License-Identifier: BSD-3-Clause
// Long messages of this endpoint's own that a view has cut in two: what was sent of them before
// goes out once more, ahead of the rest.
//
// The fragments of a totally ordered message have their places in the order each, and the last one
// is the message's. Who joins meanwhile begins behind the first ones and would lack a message that
// all others deliver in its view. Nothing ordered of a member that stays is behind the cut of its
// stream (it sends nothing from its promise on), so all of it has come back to it when the next
// view begins: what it holds of the message is what it has sent. Members of the view before hold
// those fragments and drop them.
//
// Not thread-safe: the lcore of the view owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "node/delivery_filter.h"
#include "node/packet_info.h"
#include "node/view_event.h"

namespace lambdacast::node {

class Resumption {
 public:
  explicit Resumption(const DeliveryFilter& delivery) : delivery_(delivery) {}

  // Comes in the order of deliveries, when what the view before ended with has been delivered.
  void view_event(const ViewEvent& event);

  // Nothing else that is ordered goes out while this is so.
  [[nodiscard]] bool pending() const { return message_ != ordering::Reassembly::kNoMessage; }
  // The next fragment, described in `info`; its bytes. Again the same until sent().
  [[nodiscard]] std::span<const uint8_t> next(PacketInfo& info) const;
  void sent();

  [[nodiscard]] uint64_t fragments() const { return fragments_; }  // sent once more

 private:
  void seek(uint16_t from) {
    message_ = delivery_.reassembly().next_ordered(kNoPeer, from);
    fragment_ = 0;
  }

  const DeliveryFilter& delivery_;
  uint16_t message_ = ordering::Reassembly::kNoMessage;
  uint32_t fragment_ = 0;
  uint64_t fragments_ = 0;
};

}  // namespace lambdacast::node
