// What an endpoint of reliable multicast sends: publications, and at each poll control, marks,
// repairs, what is said once more for newcomers, and data, in that order.
#include <algorithm>

#include "node/multicast_core.h"

namespace lambdacast::node {

namespace {

bool is_ordered(wire::Qos qos) { return qos >= wire::Qos::kTotallyOrdered; }

}  // namespace

bool MulticastCore::publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                            wire::Kind kind) {
  const bool whole = message.size() <= transmit_.room_bytes();
  if (!whole && (kind != wire::Kind::kData || message.size() > max_message_bytes_)) {
    ++counters_.refused_too_long;
    return false;
  }
  if (is_ordered(qos) && (!view_ || !view_->may_publish())) return false;
  if (!whole) return cut(message, group, qos);
  auto& queue = qos == wire::Qos::kUnreliable ? unreliable_ : recoverable_;
  if (queue.size() >= max_publications_) return false;
  const PacketHandle packet = host_.allocate();
  if (packet == PacketHandle::kNone) return false;
  PacketInfo& info = host_.info(packet);
  info = PacketInfo{};
  info.kind = kind;
  info.qos = qos;
  info.group = group;
  info.payload_bytes = static_cast<uint16_t>(message.size());
  info.message_bytes = info.payload_bytes;
  std::copy(message.begin(), message.end(), host_.frame(packet) + transmit_.payload_offset());
  queue.push_back(packet);
  if (qos != wire::Qos::kUnreliable) ++published_;
  return true;
}

// Into fragments.
bool MulticastCore::cut(std::span<const uint8_t> message, uint32_t group, wire::Qos qos) {
  auto& queue = qos == wire::Qos::kUnreliable ? unreliable_ : recoverable_;
  const size_t each = transmit_.room_bytes(wire::Kind::kFragment);
  const size_t count = (message.size() - 1) / each + 1;
  if (queue.size() + count > max_publications_) return false;
  const LongMessage whole{group, qos, next_message_id_, static_cast<uint32_t>(message.size()),
                          static_cast<uint16_t>(each)};
  for (size_t i = 0; i < count; ++i) {
    const PacketHandle packet = host_.allocate();
    if (packet == PacketHandle::kNone) {
      for (; i != 0; --i, queue.pop_back()) host_.free(queue.back());
      return false;
    }
    PacketInfo& info = host_.info(packet);
    info = fragment_info(whole, static_cast<uint32_t>(i * each));
    std::copy_n(message.begin() + info.fragment_offset, info.payload_bytes,
                host_.frame(packet) + transmit_.payload_offset(wire::Kind::kFragment));
    queue.push_back(packet);
  }
  ++next_message_id_;
  if (qos != wire::Qos::kUnreliable) published_ += count;
  return true;
}

void MulticastCore::send_control(uint64_t now_ns) {
  uint8_t* const payload = control_frame_.data() + control_.payload_offset();
  for (;;) {
    size_t bytes = view_speaks() ? view_->next_control(payload, control_.room_bytes(), now_ns) : 0;
    if (bytes == 0) bytes = receiver_.next_control(payload, control_.room_bytes(), now_ns);
    if (bytes == 0 && !sender_.said_the_end()) {
      bytes = sender_.next_control(payload, control_.room_bytes(),
                                   transmit_.sequencer().next_frame_seq(), now_ns);
    }
    if (bytes == 0) return;
    host_.transmit({control_frame_.data(), control_.finish(control_frame_.data(), bytes, now_ns)});
  }
}

void MulticastCore::send_repairs(uint64_t now_ns, bool data_waits) {
  while (pacer_.allowance(now_ns) != 0) {
    const auto repair = sender_.next_repair(data_waits);
    if (!repair) return;
    uint8_t* const frame = host_.frame(repair->packet);
    const size_t bytes =
        transmit_.lay_repair(frame, host_.info(repair->packet), repair->position, now_ns);
    transmit_.seal(frame, bytes);
    pacer_.spend(1);
    ++counters_.transmitted_packets;
    host_.transmit({frame, bytes});
    sender_.repaired(repair->position, now_ns);
  }
}

// Ahead of data, in the part of the window that data leaves free.
void MulticastCore::send_marks(uint64_t now_ns) {
  while (view_->marks_due() && sender_.allowance() != 0 && pacer_.allowance(now_ns) != 0) {
    const PacketHandle packet = host_.allocate();
    if (packet == PacketHandle::kNone) return;
    const PacketHandle copy = host_.allocate();
    if (copy == PacketHandle::kNone) return host_.free(packet);
    const size_t bytes = view_->write_marks(host_.frame(packet) + transmit_.payload_offset(),
                                            transmit_.room_bytes());
    ViewSynchrony::describe_marks(host_.info(packet), bytes);
    send_packet(packet, now_ns, copy, false);
    view_->poll(now_ns);
  }
}

bool MulticastCore::may_send_recoverable() const {
  if (recoverable_.empty() || stability_.room(sender_.window().last()) == 0) return false;
  if (!view_) return sender_.allowance() != 0;
  return sender_.allowance() > ViewSynchrony::kMarksReserve &&
         (!is_ordered(host_.info(recoverable_.front()).qos) ||
          (view_->may_send() && !resumption_.pending()));
}

bool MulticastCore::may_resume() const {
  return resumption_.pending() && view_->may_send() &&
         sender_.allowance() > ViewSynchrony::kMarksReserve &&
         stability_.room(sender_.window().last()) != 0;
}

void MulticastCore::send_resumed(uint64_t now_ns) {
  while (may_resume() && pacer_.allowance(now_ns) != 0) {
    const PacketHandle packet = host_.allocate();
    if (packet == PacketHandle::kNone) return;
    const PacketHandle copy = host_.allocate();
    if (copy == PacketHandle::kNone) return host_.free(packet);
    const auto bytes = resumption_.next(host_.info(packet));
    std::copy(bytes.begin(), bytes.end(),
              host_.frame(packet) + transmit_.payload_offset(wire::Kind::kFragment));
    send_packet(packet, now_ns, copy, false);
    resumption_.sent();
  }
}

void MulticastCore::send_data(uint64_t now_ns) {
  for (uint64_t left = pacer_.allowance(now_ns); left != 0; --left) {
    if (!unreliable_.empty()) {
      const PacketHandle packet = unreliable_.front();
      unreliable_.pop_front();
      send_packet(packet, now_ns, PacketHandle::kNone);
      host_.free(packet);
    } else if (!recoverable_.empty()) {
      if (!may_send_recoverable()) {
        sender_.note_closed();
        return;
      }
      const PacketHandle packet = recoverable_.front();
      PacketHandle own_copy = PacketHandle::kNone;
      if (is_ordered(host_.info(packet).qos)) {
        own_copy = host_.allocate();
        if (own_copy == PacketHandle::kNone) return;
      }
      recoverable_.pop_front();
      send_packet(packet, now_ns, own_copy);
    } else {
      return;
    }
  }
}

// `own_copy`: of what comes back to this endpoint in its order. `counts`: among what was published.
void MulticastCore::send_packet(PacketHandle packet, uint64_t now_ns, PacketHandle own_copy,
                                bool counts) {
  PacketInfo& info = host_.info(packet);
  uint8_t* const frame = host_.frame(packet);
  const size_t bytes = transmit_.lay(frame, info, now_ns);
  transmit_.seal(frame, bytes);
  pacer_.spend(1);
  ++counters_.transmitted_packets;
  if (counts) counters_.transmitted_bytes += application_bytes(info);
  if (own_copy != PacketHandle::kNone) {
    std::copy_n(frame, bytes, host_.frame(own_copy));
    PacketInfo& own = host_.info(own_copy);
    own = info;
    own.peer = kNoPeer;
    own.payload_offset = static_cast<uint8_t>(transmit_.payload_offset(info.kind));
    own.timestamp_ns = own.received_ns = now_ns;
  }
  if (info.qos != wire::Qos::kUnreliable) {
    const uint64_t rel_seq = sender_.sent(packet, static_cast<uint32_t>(bytes), now_ns,
                                          [&](PacketHandle old) { host_.free(old); });
    if (counts) stability_.sent(rel_seq, is_ordered(info.qos));
    if (own_copy != PacketHandle::kNone) {
      host_.info(own_copy).rel_seq = rel_seq;
      view_->sent(rel_seq, own_copy);
    }
  }
  sender_.sent_data(1);
  host_.transmit({frame, bytes});
}

}  // namespace lambdacast::node
