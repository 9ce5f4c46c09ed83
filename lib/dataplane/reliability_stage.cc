#include "dataplane/reliability_stage.h"

#include <algorithm>
#include <utility>

#include "dpdk/handle.h"
#include "endpoint/packet_run.h"

namespace lambdacast::dataplane {

using counters::DropReason;
using reliability::StreamReceiver;

static_assert(kMaxBurst <= endpoint::kMostRun);

namespace {

struct InfoAt {
  const endpoint::PacketInfo& operator()(uint32_t i) const { return info_of(packets[i]); }
  rte_mbuf* const* packets;
};

}  // namespace

// What became of a burst.
struct ReliabilityStage::Burst {
  rte_mbuf* on[kMaxBurst];
  rte_mbuf* done[kMaxBurst];
  rte_mbuf* heard[kMaxBurst];
  uint32_t on_count = 0;
  uint32_t done_count = 0;
  uint32_t heard_count = 0;
};

// Collects what the receive windows let go, up to a burst.
class ReliabilityStage::Drain {
 public:
  explicit Drain(ReliabilityStage& stage) : stage_(stage) {}
  void deliver(reliability::PacketHandle packet) {
    // It has been kept for long: the stages behind find it in the cache again.
    rte_mbuf* const m = mbuf_of(packet);
    __builtin_prefetch(m);
    __builtin_prefetch(&info_of(m));
    packets[count++] = m;
  }
  // A gap takes its place among the packets as an mbuf without a frame.
  bool gap(size_t peer, uint32_t incarnation, uint64_t first, uint64_t positions,
           reliability::LossReason reason) {
    rte_mbuf* m = rte_pktmbuf_alloc(stage_.pool_);
    if (m == nullptr) return false;
    if (stage_.view_ != nullptr) stage_.view_->lost(peer, reason);
    endpoint::PacketInfo& info = info_of(m);
    info = endpoint::PacketInfo{};
    info.peer = static_cast<uint16_t>(peer);
    info.incarnation = incarnation;
    info.rel_seq = first;
    become_gap(info, positions, reason);
    packets[count++] = m;
    stage_.tell({info.peer, incarnation, first, positions, reason});
    return true;
  }
  rte_mbuf* packets[kMaxBurst];
  uint32_t count = 0;

 private:
  ReliabilityStage& stage_;
};

ReliabilityStage::~ReliabilityStage() {
  receiver_.clear([](reliability::PacketHandle packet) { rte_pktmbuf_free(mbuf_of(packet)); });
}

uint32_t ReliabilityStage::poll(uint64_t now_ns) {
  const bool deaf = links_.out.room() == 0;
  if (deaf != this->deaf()) deaf_.store(deaf, std::memory_order_relaxed);
  receiver_.tick(now_ns, !deaf);
  uint32_t moved = receiver_.backlogged() ? drain(now_ns) : 0;
  Burst burst;
  rte_mbuf* packets[kMaxBurst];
  const uint32_t got = links_.in.pull(packets, std::min(burst_, links_.out.room()));
  endpoint::judge_burst(
      got, InfoAt{packets},
      [&](uint32_t first, uint32_t count) {
        return take_run(packets + first, count, now_ns, burst);
      },
      [&](uint32_t i) { judge(packets[i], now_ns, burst); });
  if (got != 0) {
    counters_.received += got;
    links_.out.push(burst.on, burst.on_count);
    if (burst.heard_count != 0) [[unlikely]] {
      const uint32_t room = std::min(burst.heard_count, links_.heard.room());
      links_.heard.push(burst.heard, room);
      control_overflows_ += burst.heard_count - room;
      rte_pktmbuf_free_bulk(burst.heard + room, burst.heard_count - room);
    }
    if (burst.done_count != 0) [[unlikely]]
      free_plain(pool_, burst.done, burst.done_count);
    if (receiver_.backlogged()) moved += drain(now_ns);
  }
  return moved + got + speak(now_ns);
}

uint32_t ReliabilityStage::drain(uint64_t now_ns) {
  Drain drained(*this);
  const uint32_t room = std::min(links_.out.room(), kMaxBurst);
  if (room == 0) return 0;
  const uint32_t done = receiver_.drain(room, now_ns, drained);
  links_.out.push(drained.packets, drained.count);
  return done;
}

void ReliabilityStage::tell(const endpoint::GapEvent& gap) {
  endpoint::GapEvent* slot = gaps_.begin();
  if (slot == nullptr) return gap_events_dropped_.add(1);
  *slot = gap;
  gaps_.push();
}

std::optional<endpoint::GapEvent> ReliabilityStage::take_gap() {
  const endpoint::GapEvent* front = gaps_.front();
  if (front == nullptr) return std::nullopt;
  const endpoint::GapEvent gap = *front;
  gaps_.pop();
  return gap;
}

// False: they have to be judged one by one.
bool ReliabilityStage::take_run(rte_mbuf** packets, uint32_t count, uint64_t now_ns, Burst& burst) {
  const auto disposition = endpoint::accept_run(
      frames_, receiver_, count, InfoAt{packets}, [&](uint32_t i) { return handle_of(packets[i]); },
      now_ns);
  if (!disposition) return false;
  counters_.forwarded += count;
  if (*disposition != StreamReceiver::Disposition::kDeliver) return true;
  std::copy_n(packets, count, burst.on + burst.on_count);
  burst.on_count += count;
  if (subscriptions_ != nullptr) {
    for (uint32_t i = 0; i < count; ++i) subscriptions_->prefetch(info_of(packets[i]).group);
  }
  return true;
}

void ReliabilityStage::judge(rte_mbuf* packet, uint64_t now_ns, Burst& burst) {
  const endpoint::PacketInfo& info = info_of(packet);
  if (!receiver_.knows(info.peer)) [[unlikely]] {
    receiver_.introduce(info.peer, peers_.at(info.peer).gid, peers_.at(info.peer).qpn);
  }
  if (info.kind == wire::Kind::kControl) [[unlikely]]
    return judge_control(packet, now_ns, burst);
  DropReason reason = frames_.accept(info);
  if (reason == DropReason::kNone || (info.qos != wire::Qos::kUnreliable &&
                                      receiver_.misses(info.peer, info.incarnation, info.rel_seq)))
      [[likely]] {
    const auto outcome = receiver_.accept(info, handle_of(packet), now_ns);
    if (outcome.disposition != StreamReceiver::Disposition::kDrop) [[likely]] {
      ++counters_.forwarded;
      if (outcome.disposition == StreamReceiver::Disposition::kDeliver) {
        burst.on[burst.on_count++] = packet;
        if (subscriptions_ != nullptr) subscriptions_->prefetch(info.group);
      }
      return;
    }
    reason = outcome.reason;
  }
  counters_.drops.add(reason);
  burst.done[burst.done_count++] = packet;
}

void ReliabilityStage::judge_control(rte_mbuf* packet, uint64_t now_ns, Burst& burst) {
  const endpoint::PacketInfo& info = info_of(packet);
  const uint8_t* payload = frame_of(packet) + info.payload_offset;
  const wire::ControlHeader header =
      wire::load_control_header(payload);  // FrameClassifier checked it
  bool for_sender = false;
  const uint64_t evictions = receiver_.counters().evictions;
  const DropReason reason =
      receiver_.accept_control(info.peer, payload, header, now_ns, for_sender);
  if (view_ != nullptr) {
    // What came before it counts as handed on.
    if (burst.on_count != 0) links_.out.push(burst.on, std::exchange(burst.on_count, 0));
    view_->accept_control(info, payload, header, reason == DropReason::kNone, now_ns);
  }
  if (receiver_.counters().evictions != evictions) [[unlikely]] {
    const uint64_t at = receiver_.report(info.peer).contiguous + 1;
    tell({info.peer, info.incarnation, at, 0, reliability::LossReason::kEvicted});
  }
  counters_.drops.add(reason == DropReason::kNone ? DropReason::kControlTaken : reason);
  if (for_sender) {
    burst.heard[burst.heard_count++] = packet;
  } else {
    burst.done[burst.done_count++] = packet;
  }
}

uint32_t ReliabilityStage::speak(uint64_t now_ns) {
  if (now_ns < receiver_.next_speech_ns()) return 0;
  uint8_t payload[wire::kMaxPayloadBytes];
  uint32_t said = 0;
  while (said < burst_ && links_.said.room() != 0) {
    const size_t bytes = receiver_.next_control(payload, room_bytes_, now_ns);
    if (bytes == 0) break;
    rte_mbuf* m = rte_pktmbuf_alloc(pool_);
    if (m == nullptr) {
      ++control_overflows_;
      break;
    }
    std::copy_n(payload, bytes, frame_of(m) + payload_offset_);
    info_of(m).kind = wire::Kind::kControl;
    info_of(m).payload_bytes = static_cast<uint16_t>(bytes);
    links_.said.push(&m, 1);
    ++said;
  }
  return said;
}

}  // namespace lambdacast::dataplane
