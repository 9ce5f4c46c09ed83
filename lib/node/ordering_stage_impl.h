// SPDX-License-Identifier: BSD-3-Clause
// Bodies of ordering_stage.h, for the sources that instantiate a node.
#pragma once

#include <algorithm>

#include "node/ordering_stage.h"

namespace lambdacast::node {

template <typename Env>
OrderingStage<Env>::~OrderingStage() {
  env_.packets.free(waiting_.data(), waiting_count_);
}

template <typename Env>
inline typename OrderingStage<Env>::Way OrderingStage<Env>::way_of(Packet packet, uint64_t now_ns) {
  using Step = DeliveryFilter::Step;
  PacketInfo& info = Env::info(packet);
  if (info.kind == wire::Kind::kGap) [[unlikely]] {
    filter_.gap(info.peer, info.rel_seq, info.gap.positions, now_ns);
    if (view_ != nullptr) view_->take_gap(info);
    return Way::kOn;  // whatever group it would have been of
  }
  if (view_ != nullptr) {
    const auto step = view_->take(packet);
    if (step == ViewSynchrony::Step::kKeep) {
      Env::passed(StageId::kOrdering, &packet, 1, Passage::kKept, counters::DropReason::kNone);
      return Way::kKept;
    }
    if (step == ViewSynchrony::Step::kDrop) {
      filter_.refuse(counters::DropReason::kNotInView);
      Env::passed(StageId::kOrdering, &packet, 1, Passage::kDropped,
                  counters::DropReason::kNotInView);
      return Way::kDone;
    }
  }
  const auto [step, reason] = filter_.accept(info, Env::frame(packet), now_ns);
  if (step == Step::kDeliver) [[likely]]
    return Way::kOn;
  if (step == Step::kWait) return Way::kWaits;
  Env::passed(StageId::kOrdering, &packet, 1,
              step == Step::kHold ? Passage::kTaken : Passage::kDropped, reason);
  if (step != Step::kLost) return Way::kDone;
  become_gap(info, 1, reliability::LossReason::kReassembly);
  return Way::kOn;
}

template <typename Env>
uint32_t OrderingStage<Env>::poll(uint64_t now_ns) {
  take_back();
  filter_.expire(now_ns);
  if (view_ != nullptr && view_->holds_back()) return poll_view(now_ns);
  Packet packets[kMaxBurst];
  const uint32_t got = next(packets);
  if (got == 0) return view_ == nullptr ? 0 : poll_view(now_ns);

  Packet done[kMaxBurst];
  uint32_t on_count = 0;
  uint32_t done_count = 0;
  uint32_t taken = 0;
  if (prefetches_) {
    for (uint32_t i = 0; i < got; ++i)
      filter_.subscriptions().prefetch(Env::info(packets[i]).group);
  }
  for (; taken < got; ++taken) {
    const Packet packet = packets[taken];
    const Way way = way_of(packet, now_ns);
    if (way == Way::kOn) [[likely]] {
      if (view_ != nullptr && view_->waits()) [[unlikely]]
        view_->hand_on_late(packet);
      else
        packets[on_count++] = packet;
    } else if (way == Way::kDone) {
      done[done_count++] = packet;
    } else if (way == Way::kWaits) {
      wait(packets + taken, got - taken);
      break;
    }
  }
  Env::passed(StageId::kOrdering, packets, on_count, Passage::kOn, counters::DropReason::kNone);
  links_.out.push(packets, on_count);
  if (done_count != 0) [[unlikely]]
    env_.packets.free(done, done_count);
  if (view_ != nullptr) (void)poll_view(now_ns);
  return taken;
}

// A message that waits for memory waits for kReleased; what total order has for a full link waits
// for that link.
template <typename Env>
uint64_t OrderingStage<Env>::next_deadline_ns() const {
  const uint64_t expiry_ns = filter_.next_expiry_ns();
  return view_ == nullptr ? expiry_ns : std::min(expiry_ns, view_->next_deadline_ns());
}

// Takes as many packets as there is room for: those that wait, then what the stage before handed
// on.
template <typename Env>
uint32_t OrderingStage<Env>::next(Packet* packets) {
  const uint32_t most = std::min(burst_, links_.out.room());
  if (waiting_count_ == 0) [[likely]]
    return links_.in.pull(packets, most);
  const uint32_t got = std::min(most, waiting_count_);
  std::copy_n(waiting_.begin(), got, packets);
  std::copy(waiting_.begin() + got, waiting_.begin() + waiting_count_, waiting_.begin());
  waiting_count_ -= got;
  if (view_ != nullptr) view_->stall(waiting_count_ != 0);
  return got;
}

// Ahead of what waits already.
template <typename Env>
void OrderingStage<Env>::wait(Packet* packets, uint32_t count) {
  std::copy_backward(waiting_.begin(), waiting_.begin() + waiting_count_,
                     waiting_.begin() + waiting_count_ + count);
  std::copy_n(packets, count, waiting_.begin());
  waiting_count_ += count;
  if (view_ != nullptr) view_->stall(true);
}

// What is ordered goes out behind what was passed on.
template <typename Env>
uint32_t OrderingStage<Env>::poll_view(uint64_t now_ns) {
  const uint32_t room = links_.out.room();
  view_->poll(now_ns, !rx_blocked_.get());
  return room - std::min(room, links_.out.room());
}

template <typename Env>
void OrderingStage<Env>::take_back() {
  if (filter_.reassembly().completed_outstanding() == 0) return;
  uint16_t handle = 0;
  while (links_.released.pull(handle)) filter_.release(handle);
}

}  // namespace lambdacast::node
