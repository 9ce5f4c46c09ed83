#include "ordering/held_packets.h"

namespace lambdacast::ordering {

uint32_t HeldPackets::add(const Held& held) {
  const uint32_t at = free_.empty() ? used_++ : pop(free_);
  ++held_;
  pool_[at] = held;
  append(at);
  if (held.waits()) ++waiting_[held.stream * config_.domains + held.domain];
  if (held.state == Held::State::kFollows) ++streams_[held.stream].following;
  return at;
}

void HeldPackets::settle(uint32_t at) {
  Held& held = pool_[at];
  forget(held);
  held.state = held.state == Held::State::kMarks ? Held::State::kApplied : Held::State::kDelivered;
  settled_ = true;
}

void HeldPackets::append(uint32_t at) {
  Stream& of = streams_[pool_[at].stream];
  pool_[at].next_in_stream = kNone;
  (of.list.empty() ? of.list.first : pool_[of.list.last].next_in_stream) = at;
  of.list.last = at;
  ++of.held;
}

void HeldPackets::drop_first(size_t stream) {
  Stream& of = streams_[stream];
  const uint32_t at = of.list.first;
  of.list.first = pool_[at].next_in_stream;
  if (of.list.empty()) of.list.last = kNone;
  --of.held;
  give_back(at);
}

void HeldPackets::give_back(uint32_t at) {
  forget(pool_[at]);
  host_.release(pool_[at].packet);
  --held_;
  push(free_, at);
}

// It waits no longer, if it did.
void HeldPackets::forget(const Held& held) {
  if (held.waits()) --waiting_[held.stream * config_.domains + held.domain];
  if (held.state == Held::State::kFollows) --streams_[held.stream].following;
}

}  // namespace lambdacast::ordering
