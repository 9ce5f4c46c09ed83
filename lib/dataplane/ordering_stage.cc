#include "dataplane/ordering_stage.h"

#include <rte_errno.h>
#include <rte_lcore.h>

#include <algorithm>

namespace lambdacast::dataplane {

base::Result<ReleaseRing> ReleaseRing::create(const std::string& name, uint16_t max_messages) {
  rte_ring* ring = rte_ring_create(name.c_str(), max_messages, static_cast<int>(rte_socket_id()),
                                   RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
  if (ring == nullptr) {
    return base::fail("cannot make the ring " + name + ": " + rte_strerror(rte_errno));
  }
  return ReleaseRing(ring);
}

OrderingStage::~OrderingStage() { rte_pktmbuf_free_bulk(waiting_.data(), waiting_count_); }

inline OrderingStage::Way OrderingStage::way_of(rte_mbuf* m, uint64_t now_ns) {
  using Step = endpoint::DeliveryFilter::Step;
  if (const endpoint::PacketInfo& info = info_of(m); info.kind == wire::Kind::kGap) [[unlikely]] {
    core_.gap(info.peer, info.rel_seq, info.frame_seq, now_ns);
    return Way::kOn;  // of whatever group it would have been
  }
  if (view_ != nullptr) {
    const auto step = view_->take(m);
    if (step == endpoint::ViewSynchrony::Step::kKeep) return Way::kKept;
    if (step == endpoint::ViewSynchrony::Step::kDrop) {
      core_.refuse(counters::DropReason::kNotInView);
      return Way::kDone;
    }
  }
  const Step step = core_.accept(info_of(m), frame_of(m), now_ns).step;
  if (step == Step::kDeliver) [[likely]]
    return Way::kOn;
  if (step == Step::kWait) return Way::kWaits;
  if (step != Step::kLost) return Way::kDone;
  become_gap(info_of(m), 1, reliability::LossReason::kReassembly);
  return Way::kOn;
}

uint32_t OrderingStage::poll(uint64_t now_ns) {
  take_back();
  core_.expire(now_ns);
  if (view_ != nullptr && view_->holds_back()) return poll_view(now_ns);
  rte_mbuf* packets[kMaxBurst];
  const uint32_t got = next(packets);
  if (got == 0) return view_ == nullptr ? 0 : poll_view(now_ns);

  rte_mbuf* done[kMaxBurst];
  uint32_t on_count = 0;
  uint32_t done_count = 0;
  uint32_t taken = 0;
  if (fetches_) {
    for (uint32_t i = 0; i < got; ++i) core_.ordering().prefetch(info_of(packets[i]).group);
  }
  for (; taken < got; ++taken) {
    rte_mbuf* m = packets[taken];
    const Way way = way_of(m, now_ns);
    if (way == Way::kOn) [[likely]] {
      if (view_ != nullptr && view_->waits()) [[unlikely]]
        view_->hand_on_late(m);
      else
        packets[on_count++] = m;
    } else if (way == Way::kDone) {
      done[done_count++] = m;
    } else if (way == Way::kWaits) {
      wait(packets + taken, got - taken);
      break;
    }
  }
  out_.push(packets, on_count);
  if (done_count != 0) [[unlikely]]
    rte_pktmbuf_free_bulk(done, done_count);
  if (view_ != nullptr) (void)poll_view(now_ns);
  return taken;
}

// As many as there is room for: what waits, then what the stage before has handed on.
uint32_t OrderingStage::next(rte_mbuf** packets) {
  const uint32_t most = std::min(burst_, out_.room());
  if (waiting_count_ == 0) [[likely]]
    return in_.pull(packets, most);
  const uint32_t got = std::min(most, waiting_count_);
  std::copy_n(waiting_.begin(), got, packets);
  std::copy(waiting_.begin() + got, waiting_.begin() + waiting_count_, waiting_.begin());
  waiting_count_ -= got;
  if (view_ != nullptr) view_->stall(waiting_count_ != 0);
  return got;
}

// Ahead of what waits already.
void OrderingStage::wait(rte_mbuf** packets, uint32_t count) {
  std::copy_backward(waiting_.begin(), waiting_.begin() + waiting_count_,
                     waiting_.begin() + waiting_count_ + count);
  std::copy_n(packets, count, waiting_.begin());
  waiting_count_ += count;
  if (view_ != nullptr) view_->stall(true);
}

// What is ordered goes out behind what was passed on.
uint32_t OrderingStage::poll_view(uint64_t now_ns) {
  const uint32_t room = out_.room();
  view_->poll(now_ns, !hearing_->deaf());
  return room - std::min(room, out_.room());
}

void OrderingStage::take_back() {
  if (core_.reassembly().completed_outstanding() == 0) return;
  uint16_t handle = 0;
  while (released_.pull(handle)) core_.release(handle);
}

}  // namespace lambdacast::dataplane
