// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/ring_engine.h"

#include <algorithm>

#include "wire/control/pass.h"

namespace lambdacast::ordering {

namespace {

constexpr uint64_t kNever = ~uint64_t{0};

}  // namespace

RingEngine::RingEngine(const TotalOrderConfig& config, const OrderView& view,
                       const Acknowledgements& acks, HeldPackets& held, MarkSheet& sheet,
                       OrderHost& host)
    : interval_ns_(config.marks_every_ns),
      view_(view),
      acks_(acks),
      held_(held),
      sheet_(sheet),
      host_(host),
      makers_(wire::kMaxMembers) {}

void RingEngine::begin_view() {
  std::fill(makers_.begin(), makers_.end(), Maker{});
  const size_t stayed = view_.stayed() == 0 ? view_.members() : view_.stayed();
  first_ = view_.epoch() % stayed;
  waiting_ = 0;
  pass_ = pass_ns_ = named_ = named_ns_ = next_ns_ = 0;
  level_ = {};
}

// The first pass that the member of that rank makes.
uint64_t RingEngine::first_of(size_t rank) const {
  return (rank + view_.members() - first_) % view_.members() + 1;
}

// Of an earlier view it orders nothing; of a later one it waits for that.
void RingEngine::link(uint32_t at) {
  Held& held = held_[at];
  const size_t rank = view_.rank_of(held.stream);
  const std::span<const uint8_t> payload = host_.payload(held.packet);
  held.mark = 0;  // as long as it is not one of this view: nobody needs it
  const bool valid = wire::valid_pass(payload);
  const wire::Pass pass = valid ? wire::load_pass(payload) : wire::Pass{};
  if (valid && pass.epoch > view_.epoch()) return;
  Maker& maker = makers_[rank];
  const uint64_t expected = maker.last == 0 ? first_of(rank) : maker.last + view_.members();
  if (!valid || pass.epoch < view_.epoch() || pass.number != expected) {
    if (!valid || pass.epoch == view_.epoch()) ++counters_.refused;
    return held_.settle(at);
  }
  held.mark = maker.last = pass.number;
  held_.push(maker.passes, at);
  ++waiting_;
  if (rank != view_.own_rank() || view_.ends()) return;
  ++counters_.written;
  if (wire::count_pass_items(payload) == 0) ++counters_.empty;
}

void RingEngine::unlink_all() {
  waiting_ = 0;
  for (size_t rank = 0; rank < view_.members(); ++rank) {
    const uint64_t first = first_of(rank);
    makers_[rank].passes = {};
    makers_[rank].last = pass_ < first ? 0 : pass_ - (pass_ - first) % view_.members();
  }
}

// Up to the first that is not here. At the end of a view nobody who goes on has that one, and those
// behind it order nothing.
void RingEngine::apply(uint64_t now_ns) {
  while (waiting_ != 0) {
    const size_t maker = site(pass_ + 1);
    const HeldPackets::List& passes = makers_[maker].passes;
    if (passes.empty() || !has_come(host_.payload(held_[passes.first].packet))) break;
    apply_pass(passes.first, maker, now_ns);
  }
  if (waiting_ != 0 && view_.ends()) ++counters_.holes;
}

bool RingEngine::has_come(std::span<const uint8_t> payload) const {
  for (size_t i = 0; i < wire::count_pass_items(payload); ++i) {
    const wire::Mark item = wire::load_pass_item(payload, i);
    if (item.rank < view_.members() && !sheet_.holds(item.rank, item.through)) return false;
  }
  return true;
}

void RingEngine::apply_pass(uint32_t at, size_t maker, uint64_t now_ns) {
  const std::span<const uint8_t> payload = host_.payload(held_[at].packet);
  const size_t items = wire::count_pass_items(payload);
  ++pass_;
  pass_ns_ = now_ns;
  if (items != 0) {
    named_ = pass_;
    named_ns_ = now_ns;
  }
  for (size_t i = 0; i < items; ++i) {
    const wire::Mark item = wire::load_pass_item(payload, i);
    if (item.rank >= view_.members()) continue;
    const uint8_t levels = sheet_.mark_through(kRing, item.rank, item.through, pass_).levels;
    for (size_t level = 0; level < level_.size(); ++level) {
      if ((levels >> level & 1) != 0) level_[level] = pass_;
    }
  }
  (void)held_.pop(makers_[maker].passes);
  held_.settle(at);
  --waiting_;
  ++counters_.applied;
  sheet_.apply(kRing, maker, pass_);
}

// Does anybody wait for more makers of passes, with a message? It is not enough that this node
// knows of so many holders, of which it is one: the others do not know of it before it passes.
bool RingEngine::awaited() const {
  for (const wire::Qos qos :
       {wire::Qos::kKResilient, wire::Qos::kMajority, wire::Qos::kTotallyResilient}) {
    const uint64_t named = level_[static_cast<size_t>(qos)];
    if (named != 0 && pass_ + 1 < named + acks_.holders(kRing, qos)) return true;
  }
  return false;
}

// Have all members made a pass since the last one with items?
bool RingEngine::all_have_passed() const {
  return named_ == 0 || pass_ + 1 >= named_ + view_.members();
}

// Passes do not grow in number with messages: a site makes one in an interval at most, and so does
// the ring of those that name something, unless others wait for acknowledgements.
uint64_t RingEngine::due_ns() const {
  const size_t own_rank = view_.own_rank();
  if (site(pass_ + 1) != own_rank || makers_[own_rank].last > pass_) return kNever;
  uint64_t due_ns = kNever;
  if (sheet_.any_unmarked(kRing)) due_ns = named_ == 0 ? 0 : named_ns_ + interval_ns_;
  if (!all_have_passed()) due_ns = std::min(due_ns, pass_ns_ + interval_ns_);
  if (awaited()) due_ns = 0;
  return due_ns == kNever ? kNever : std::max(due_ns, next_ns_);
}

// Begins with its own stream, so that those that do not fit are not always the same ones.
size_t RingEngine::write(uint8_t* payload, size_t room, uint64_t now_ns) {
  next_ns_ = now_ns + interval_ns_;
  wire::store_pass({view_.epoch(), pass_ + 1}, payload);
  const size_t most = (room - wire::kPassHeaderBytes) / wire::kMarkBytes;
  size_t items = 0;
  for (size_t i = 0; i < view_.members() && items < most; ++i) {
    const size_t rank = (view_.own_rank() + i) % view_.members();
    const uint64_t through = sheet_.unmarked(kRing, rank);
    if (through == 0) continue;
    wire::store_pass_item({static_cast<uint16_t>(rank), through}, payload, items++);
  }
  return wire::pass_bytes(items);
}

}  // namespace lambdacast::ordering
