// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/mark_sheet.h"

#include <algorithm>

namespace lambdacast::ordering {

MarkSheet::MarkSheet(const TotalOrderConfig& config, const OrderView& view, Acknowledgements& acks,
                     HeldPackets& held, DomainQueues& queues, OrderHost& host)
    : view_(view),
      acks_(acks),
      held_(held),
      queues_(queues),
      host_(host),
      rate_domain_(config.domains),
      lists_((config.max_peers + 1) * kMarkers),
      unmarked_(kMarkers),
      rates_unmarked_(kMarkers),
      applied_(kMarkers) {}

void MarkSheet::link(uint32_t at) {
  Held& held = held_[at];
  held.marker = static_cast<uint8_t>(view_.marker_of(held.domain));
  held_.push(lists_[place(held.stream, held.marker)], at);
  ++unmarked_[held.marker];
  if (held.domain == rate_domain_) ++rates_unmarked_[held.marker];
}

void MarkSheet::unlink_all() {
  std::fill(lists_.begin(), lists_.end(), HeldPackets::List{});
  std::fill(unmarked_.begin(), unmarked_.end(), 0);
  std::fill(rates_unmarked_.begin(), rates_unmarked_.end(), 0);
}

void MarkSheet::clear() {
  unlink_all();
  std::fill(applied_.begin(), applied_.end(), 0);
}

MarkSheet::Marked MarkSheet::mark_through(size_t marker, size_t rank, uint64_t through,
                                          uint64_t position) {
  Marked marked;
  HeldPackets::List& list = lists_[place(view_.streams()[rank], marker)];
  while (!list.empty() && held_[list.first].rel_seq <= through) {
    --unmarked_[marker];
    const uint32_t content = held_.pop(list);
    const Held& held = held_[content];
    if (held.qos > wire::Qos::kTotallyOrdered) marked.levels |= level_bit(held.qos);
    if (held.domain == rate_domain_) {
      marked.rates = true;
      --rates_unmarked_[marker];
    }
    queues_.mark(content, position);
  }
  return marked;
}

void MarkSheet::apply(size_t marker, size_t maker, uint64_t position) {
  applied_[marker] = position;
  if (view_.ends()) return;
  acks_.begun(maker);
  acks_.acknowledge(maker, marker, position);
  acks_.acknowledge(view_.own_rank(), marker, position);
  queues_.drain(marker);
}

}  // namespace lambdacast::ordering
