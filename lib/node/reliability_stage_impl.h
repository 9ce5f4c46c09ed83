// SPDX-License-Identifier: BSD-3-Clause
// Bodies of reliability_stage.h, for the sources that instantiate a node.
#pragma once

#include <algorithm>
#include <utility>

#include "base/wire_bytes.h"
#include "node/packet_run.h"
#include "node/reliability_stage.h"

namespace lambdacast::node {

static_assert(kMaxBurst <= kMostRun);

// What became of a burst.
template <typename Env>
struct ReliabilityStage<Env>::Burst {
  Packet on[kMaxBurst];
  Packet done[kMaxBurst];
  uint32_t on_count = 0;
  uint32_t done_count = 0;
};

// Collects what the receive windows let go, up to a burst.
template <typename Env>
class ReliabilityStage<Env>::Drain {
 public:
  explicit Drain(ReliabilityStage& stage) : stage_(stage) {}
  void deliver(base::PacketHandle handle) {
    // It has been kept for long: the stages behind find it in the cache again.
    const Packet packet = Env::packet(handle);
    Env::prefetch(packet);
    packets[count++] = packet;
    Env::passed(StageId::kReliability, &packet, 1, Passage::kOn, counters::DropReason::kNone);
  }
  // A gap takes its place among the packets as one without a frame.
  bool gap(size_t peer, uint32_t incarnation, uint64_t first, uint64_t positions,
           reliability::LossReason reason) {
    const Packet packet = stage_.env_.packets.allocate();
    if (packet == Packet{}) return false;
    PacketInfo& info = Env::info(packet);
    info = PacketInfo{};
    info.peer = static_cast<uint16_t>(peer);
    info.incarnation = incarnation;
    info.rel_seq = first;
    become_gap(info, positions, reason);
    packets[count++] = packet;
    stage_.tell({info.peer, incarnation, first, positions, reason});
    return true;
  }
  Packet packets[kMaxBurst];
  uint32_t count = 0;

 private:
  ReliabilityStage& stage_;
};

template <typename Env>
ReliabilityStage<Env>::~ReliabilityStage() {
  half_.receiver.clear([&](base::PacketHandle handle) { env_.packets.free(Env::packet(handle)); });
  env_.packets.free(heard_.data(), heard_count_);
}

template <typename Env>
uint32_t ReliabilityStage<Env>::poll(uint64_t now_ns) {
  if (heard_count_ != 0) [[unlikely]]
    hand_over_heard();
  const bool blocked = links_.out.room() == 0 || heard_count_ != 0;
  rx_blocked_.set(blocked);
  half_.receiver.tick(now_ns, !blocked);
  if (places_.has_turn()) [[unlikely]]
    offer_places(now_ns);
  uint32_t moved = half_.receiver.backlogged() ? drain(now_ns) : 0;
  if (heard_count_ != 0) [[unlikely]]
    return moved + speak(now_ns);
  Burst burst;
  Packet packets[kMaxBurst];
  const uint32_t got = links_.in.pull(packets, std::min(burst_, links_.out.room()));
  if (watch_.on()) [[unlikely]]
    count_bytes(packets, got);
  judge_burst(
      got, [&](uint32_t i) -> const PacketInfo& { return Env::info(packets[i]); },
      [&](uint32_t first, uint32_t count) {
        return take_run(packets + first, count, now_ns, burst);
      },
      [&](uint32_t i) { judge(packets[i], now_ns, burst); });
  if (got != 0) {
    counters_.received += got;
    links_.out.push(burst.on, burst.on_count);
    if (heard_count_ != 0) [[unlikely]]
      hand_over_heard();
    if (burst.done_count != 0) [[unlikely]]
      env_.packets.free_plain(burst.done, burst.done_count);
    if (half_.receiver.backlogged()) moved += drain(now_ns);
  }
  return moved + got + speak(now_ns);
}

template <typename Env>
void ReliabilityStage<Env>::count_bytes(const Packet* packets, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const auto frame_bytes = static_cast<uint32_t>(Env::length(packets[i]));
    watch_.heard(Env::info(packets[i]).peer, base::wire_bytes(frame_bytes));
  }
}

template <typename Env>
void ReliabilityStage<Env>::hand_over_heard() {
  const uint32_t room = std::min(heard_count_, links_.heard.room());
  if (room != heard_count_) rx_blocked_.set(true);  // before rate_control finds the link empty
  links_.heard.push(heard_.data(), room);
  heard_count_ -= room;
  std::copy_n(heard_.begin() + room, heard_count_, heard_.begin());
}

// What waits behind a full link waits for that link, and so does the flag that says so.
template <typename Env>
uint64_t ReliabilityStage<Env>::next_deadline_ns() const {
  const bool out_full = links_.out.room() == 0;
  if (heard_count_ != 0 && links_.heard.room() != 0) return 0;
  if ((out_full || heard_count_ != 0) != rx_blocked_.get()) return 0;
  if (half_.receiver.backlogged() && !out_full) return 0;
  return std::min(half_.receiver.next_deadline_ns(), places_.next_deadline_ns());
}

// Packets that were judged before have been handed over, and those that wait for it are none of a
// peer that is gone.
template <typename Env>
void ReliabilityStage<Env>::offer_places(uint64_t now_ns) {
  places_.poll(now_ns, {.judged = counters_.received,
                        .waiting = links_.in.size(),
                        .handed_over = links_.out.empty() && links_.heard.empty(),
                        .delivered = links_.deliveries.empty()});
}

// Before the first packet of a peer, and before the next one of a place that was given up.
template <typename Env>
void ReliabilityStage<Env>::meet(uint16_t peer) {
  const PeerName name = peers_.name_of(peer);
  if (!half_.receiver.introduce(peer, name.gid, name.qpn)) return;
  half_.frames.succeed(peer);
  half_.doubles.succeed(peer);
  if (view_ != nullptr) view_->succeed(peer);
}

template <typename Env>
uint32_t ReliabilityStage<Env>::drain(uint64_t now_ns) {
  Drain drained(*this);
  const uint32_t room = std::min(links_.out.room(), kMaxBurst);
  if (room == 0) return 0;
  const uint32_t done = half_.receiver.drain(room, now_ns, drained);
  links_.out.push(drained.packets, drained.count);
  return done;
}

template <typename Env>
void ReliabilityStage<Env>::tell(const GapEvent& gap) {
  GapEvent* slot = gaps_.begin();
  if (slot == nullptr) return gap_events_dropped_.add(1);
  *slot = gap;
  gaps_.push();
}

template <typename Env>
std::optional<GapEvent> ReliabilityStage<Env>::take_gap() {
  return gaps_.take();
}

// False: they have to be judged one by one.
template <typename Env>
bool ReliabilityStage<Env>::take_run(Packet* packets, uint32_t count, uint64_t now_ns,
                                     Burst& burst) {
  const auto disposition = accept_run(
      half_.frames, half_.receiver, count,
      [&](uint32_t i) -> const PacketInfo& { return Env::info(packets[i]); },
      [&](uint32_t i) { return Env::handle(packets[i]); }, now_ns);
  if (!disposition) return false;
  for (uint32_t i = 0; i < count; ++i)
    Env::judged(StageId::kReliability, packets[i], counters::DropReason::kNone);
  counters_.forwarded += count;
  in_runs_ += count;
  const bool goes_on = *disposition == reliability::StreamReceiver::Disposition::kDeliver;
  Env::passed(StageId::kReliability, packets, count, goes_on ? Passage::kOn : Passage::kKept,
              counters::DropReason::kNone);
  if (!goes_on) return true;
  std::copy_n(packets, count, burst.on + burst.on_count);
  burst.on_count += count;
  if (subscriptions_ != nullptr) {
    for (uint32_t i = 0; i < count; ++i) subscriptions_->prefetch(Env::info(packets[i]).group);
  }
  return true;
}

template <typename Env>
void ReliabilityStage<Env>::judge(Packet packet, uint64_t now_ns, Burst& burst) {
  using Disposition = reliability::StreamReceiver::Disposition;
  using counters::DropReason;
  const PacketInfo& info = Env::info(packet);
  reliability::StreamReceiver& receiver = half_.receiver;
  if (!receiver.knows(info.peer)) [[unlikely]]
    meet(info.peer);
  if (info.kind == wire::Kind::kControl) [[unlikely]]
    return judge_control(packet, now_ns, burst);
  DropReason reason = half_.frames.accept(info);
  if (reason == DropReason::kStaleIncarnation && receiver.came_back(info.peer, info.incarnation))
      [[unlikely]] {
    half_.frames.follow(info.peer, info.incarnation);
    reason = half_.frames.accept(info);
  }
  if (reason == DropReason::kNone && view_ != nullptr && receiver.begins_another(info))
      [[unlikely]] {
    receiver.refuse_another(info.peer);  // it may be a relay of a life that is over
    reason = DropReason::kStaleIncarnation;
  }
  if (reason == DropReason::kNone || (info.qos != wire::Qos::kUnreliable &&
                                      receiver.misses(info.peer, info.incarnation, info.rel_seq)))
      [[likely]] {
    const auto outcome = receiver.accept(info, Env::handle(packet), now_ns);
    if (outcome.disposition != Disposition::kDrop) [[likely]] {
      Env::judged(StageId::kReliability, packet, DropReason::kNone);
      ++counters_.forwarded;
      const bool goes_on = outcome.disposition == Disposition::kDeliver;
      Env::passed(StageId::kReliability, &packet, 1, goes_on ? Passage::kOn : Passage::kKept,
                  DropReason::kNone);
      if (goes_on) {
        burst.on[burst.on_count++] = packet;
        if (subscriptions_ != nullptr) subscriptions_->prefetch(info.group);
      }
      return;
    }
    reason = outcome.reason;
  }
  Env::judged(StageId::kReliability, packet, reason);
  Env::passed(StageId::kReliability, &packet, 1, Passage::kDropped, reason);
  counters_.drops.add(reason);
  burst.done[burst.done_count++] = packet;
}

template <typename Env>
void ReliabilityStage<Env>::judge_control(Packet packet, uint64_t now_ns, Burst& burst) {
  using counters::DropReason;
  const PacketInfo& info = Env::info(packet);
  const uint8_t* payload = Env::frame(packet) + info.payload_offset;
  const wire::ControlHeader header = control_header(info);
  reliability::StreamReceiver& receiver = half_.receiver;
  if (is_about_doubles(info, payload, now_ns)) [[unlikely]] {
    Env::judged(StageId::kReliability, packet, DropReason::kControlTaken);
    counters_.drops.add(DropReason::kControlTaken);
    burst.done[burst.done_count++] = packet;
    return;
  }
  bool for_sender = false;
  const uint64_t evictions = receiver.counters().evictions;
  const uint64_t refusals = receiver.counters().refusals;
  const DropReason reason = receiver.accept_control(info.peer, payload, header, now_ns, for_sender);
  if (view_ != nullptr) {
    // What came before it counts as handed on.
    if (burst.on_count != 0) links_.out.push(burst.on, std::exchange(burst.on_count, 0));
    view_->accept_control(info, payload, header, reason == DropReason::kNone, now_ns);
  }
  if (receiver.counters().evictions != evictions) [[unlikely]] {
    const uint64_t at = receiver.report(info.peer).contiguous + 1;
    tell({info.peer, info.incarnation, at, 0, reliability::LossReason::kEvicted, 0});
  }
  if (receiver.counters().refusals != refusals) [[unlikely]] {
    const uint16_t path_mtu = receiver.report(info.peer).refused_path_mtu;
    tell({info.peer, info.incarnation, 0, 0, reliability::LossReason::kRefused, path_mtu});
  }
  const DropReason taken = reason == DropReason::kNone ? DropReason::kControlTaken : reason;
  Env::judged(StageId::kReliability, packet, taken);
  Env::passed(StageId::kReliability, &packet, 1,
              reason == DropReason::kNone ? Passage::kTaken : Passage::kDropped, taken);
  counters_.drops.add(taken);
  if (for_sender) {
    heard_[heard_count_++] = packet;
  } else {
    burst.done[burst.done_count++] = packet;
  }
}

// A notice is no sign of life: whoever says it may be about to end.
template <typename Env>
bool ReliabilityStage<Env>::is_about_doubles(const PacketInfo& info, const uint8_t* payload,
                                             uint64_t now_ns) {
  const wire::Gid gid = peers_.name_of(info.peer).gid;
  const bool is_notice = info.control.kind == wire::ControlKind::kDouble;
  if (is_notice) {
    half_.doubles.told(info.peer, gid, wire::load_double(payload), info.incarnation, now_ns);
  } else {
    half_.doubles.heard(info.peer, gid, info.incarnation, now_ns);
  }
  return is_notice;
}

template <typename Env>
uint32_t ReliabilityStage<Env>::speak(uint64_t now_ns) {
  if (now_ns < half_.receiver.next_speech_ns()) return 0;
  uint8_t payload[wire::kMaxPayloadBytes];
  uint32_t said = 0;
  while (said < burst_ && links_.said.room() != 0) {
    // The packet first: what has been said to nobody is not said again.
    const Packet packet = env_.packets.allocate();
    if (packet == Packet{}) break;
    const size_t bytes = half_.receiver.next_control(payload, room_bytes_, now_ns);
    if (bytes == 0) {
      env_.packets.free(packet);
      break;
    }
    std::copy_n(payload, bytes, Env::frame(packet) + payload_offset_);
    PacketInfo& info = Env::info(packet);
    info.kind = wire::Kind::kControl;
    info.payload_bytes = static_cast<uint16_t>(bytes);
    links_.said.push(&packet, 1);
    ++said;
  }
  return said;
}

template <typename Env>
void ReliabilityStage<Env>::report(size_t peers, ReliabilityReport& out) const {
  out.counters = counters_;
  out.sequences = half_.frames.total();
  out.receiver = half_.receiver.counters();
  out.doubles = half_.doubles.doubles();
  out.kept = half_.receiver.kept();
  out.peers.resize(peers);
  for (size_t i = 0; i < peers; ++i)
    out.peers[i] = {half_.frames.report(i), half_.receiver.report(i)};
}

}  // namespace lambdacast::node
