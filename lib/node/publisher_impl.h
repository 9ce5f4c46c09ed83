// SPDX-License-Identifier: BSD-3-Clause
// Bodies of publisher.h, for the sources that instantiate a node.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/wire_bytes.h"
#include "node/publisher.h"

namespace lambdacast::node {

template <typename Env>
Publisher<Env>::Publisher(const PublisherConfig& config, const Parts& parts, Env& env,
                          const Links& links)
    : config_(config),
      view_(parts.view),
      stable_(parts.stable),
      env_(env),
      links_(links),
      groups_(config.group_rates, parts.frames.buffer_bytes(parts.frames.room_bytes())),
      payload_offset_(parts.frames.payload_offset()),
      fragment_offset_(parts.frames.payload_offset(wire::Kind::kFragment)),
      room_bytes_(parts.frames.room_bytes()),
      fragment_bytes_(parts.frames.room_bytes(wire::Kind::kFragment)),
      coalescer_(room_bytes_, config.coalesce_ns.value_or(0)) {}

template <typename Env>
Publisher<Env>::~Publisher() {
  if (shared_ != Packet{}) env_.packets.free(shared_);
}

template <typename Env>
uint32_t Publisher<Env>::loan(std::span<Loan<Env>> loans) {
  Packet packets[kMaxBurst];
  const auto wanted = static_cast<uint32_t>(std::min<size_t>(loans.size(), kMaxBurst));
  if (!env_.packets.allocate(packets, wanted)) return 0;
  for (uint32_t i = 0; i < wanted; ++i) {
    __builtin_prefetch(&Env::info(packets[i]), 1);
    __builtin_prefetch(Env::frame(packets[i]) + payload_offset_, 1);
  }
  for (uint32_t i = 0; i < wanted; ++i) {
    loans[i].packet_ = packets[i];
    loans[i].payload_ = Env::frame(packets[i]) + payload_offset_;
    loans[i].room_bytes_ = room_bytes_;
    (void)loans[i].describe(0, 0, wire::Qos::kUnreliable);
  }
  return wanted;
}

template <typename Env>
uint32_t Publisher<Env>::publish(std::span<const Loan<Env>> loans) {
  if (shared_ != Packet{} && !close_shared()) return 0;
  Packet packets[kMaxBurst];
  const auto most = static_cast<uint32_t>(std::min<size_t>(loans.size(), kMaxBurst));
  uint32_t done = 0;
  while (done < most) {  // a run of one kind at a time; as a rule there is one
    Queue& link = link_of(Env::info(loans[done].packet_).qos);
    const uint32_t room = std::min(most - done, link.room());
    if (!takes(Env::info(loans[done].packet_).qos)) [[unlikely]]
      break;
    // Each packet of a group with a limit is charged before the next one is judged.
    const uint32_t longest_run = groups_.any() ? std::min<uint32_t>(room, 1) : room;
    if (!group_allows(Env::info(loans[done].packet_).group)) break;
    uint32_t run = 0;
    while (run < longest_run && &link_of(Env::info(loans[done + run].packet_).qos) == &link) {
      packets[run] = loans[done + run].packet_;
      ++run;
    }
    if (run == 0) break;
    push(link, packets, run);
    done += run;
  }
  return done;
}

template <typename Env>
void Publisher<Env>::give_back(std::span<const Loan<Env>> loans) {
  for (const Loan<Env>& loan : loans) env_.packets.free(loan.packet_);
}

template <typename Env>
SendResult Publisher<Env>::send(Outgoing& message, uint64_t now_ns) {
  if (message.size() > config_.max_message_bytes) return SendResult::kTooLong;
  if (message.done_) return SendResult::kSent;
  if (!takes(message.about_.qos)) return SendResult::kNotInView;
  if (message.head_.empty() && message.size() <= room_bytes_) {
    const bool request = message.kind_ == wire::Kind::kRequest;
    const SendResult result =
        request ? send_request(message.rest_, message.about_.group, message.about_.qos, now_ns)
                : send(message.rest_, message.about_.group, message.about_.qos, now_ns);
    message.done_ = result == SendResult::kSent;
    return result;
  }
  message.done_ = (shared_ == Packet{} || close_shared()) && send_fragments(message);
  return message.done_ ? SendResult::kSent : SendResult::kAgain;
}

template <typename Env>
SendResult Publisher<Env>::send(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                                uint64_t now_ns) {
  if (message.size() > config_.max_message_bytes) return SendResult::kTooLong;
  return send_one(message, group, qos, wire::Kind::kData, now_ns);
}

template <typename Env>
SendResult Publisher<Env>::send_one(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                                    wire::Kind kind, uint64_t now_ns) {
  if (message.size() > room_bytes_) return SendResult::kTooLong;
  if (!takes(qos)) return SendResult::kNotInView;
  const bool shares = config_.coalesce_ns && kind != wire::Kind::kGroup;
  if (shares && coalescer_.suits(message.size()))
    return send_shared(message, group, qos, kind, now_ns);
  return send_alone(message, group, qos, kind);
}

template <typename Env>
SendResult Publisher<Env>::send_shared(std::span<const uint8_t> message, uint32_t group,
                                       wire::Qos qos, wire::Kind kind, uint64_t now_ns) {
  if (!coalescer_.takes(message.size(), group, qos, kind)) {
    if (!group_allows(group)) return SendResult::kAgain;
    if (shared_ != Packet{} && !close_shared()) return SendResult::kAgain;
    shared_ = env_.packets.allocate();
    if (shared_ == Packet{}) return SendResult::kAgain;
    coalescer_.open(Env::frame(shared_) + payload_offset_, group, qos, kind, now_ns);
  }
  coalescer_.append(message);
  return SendResult::kSent;
}

template <typename Env>
SendResult Publisher<Env>::send_alone(std::span<const uint8_t> message, uint32_t group,
                                      wire::Qos qos, wire::Kind kind) {
  Loan<Env> packet;
  if (link_of(qos).room() == 0 || loan({&packet, 1}) == 0) return SendResult::kAgain;
  if (!message.empty()) std::memcpy(packet.payload(), message.data(), message.size());
  (void)packet.describe(message.size(), group, qos);
  Env::info(packet.packet_).kind = kind;
  if (publish({&packet, 1}) == 1) return SendResult::kSent;
  give_back({&packet, 1});
  return SendResult::kAgain;
}

// Sends as many fragments as there is room for, and no more than a few: what is published next
// waits behind them, and the lcore's other stages for the copying. True: the last one was among
// them.
template <typename Env>
bool Publisher<Env>::send_fragments(Outgoing& message) {
  // No more of its packets are in the link, or made at a time. That is enough to allocate in bulk.
  // What is published next waits at every lcore until these have been copied and checked
  // (doc/decisions/0034-long-messages-give-way.md).
  constexpr uint32_t kMostWaiting = 8;
  Queue& link = link_of(message.about_.qos);
  if (message.taken_bytes_ == 0) {
    message.about_.id = next_message_id_;
    message.about_.bytes = static_cast<uint32_t>(message.size());
    message.about_.fragment_bytes = static_cast<uint16_t>(fragment_bytes_);
  }
  while (message.taken_bytes_ < message.size()) {
    const size_t left = (message.size() - message.taken_bytes_ - 1) / fragment_bytes_ + 1;
    const uint32_t room = std::min(link.room(), kMostWaiting - std::min(kMostWaiting, link.size()));
    const auto count = static_cast<uint32_t>(std::min<size_t>(left, room));
    Packet packets[kMostWaiting];
    if (count == 0 || !group_allows(message.about_.group)) return false;
    if (!env_.packets.allocate(packets, count)) return false;
    if (message.taken_bytes_ == 0) ++next_message_id_;
    for (uint32_t i = 0; i < count; ++i) fill_fragment(packets[i], message);
    push(link, packets, count);
  }
  return true;
}

template <typename Env>
void Publisher<Env>::fill_fragment(Packet packet, Outgoing& message) {
  PacketInfo& info = Env::info(packet);
  info = fragment_info(message.about_, static_cast<uint32_t>(message.taken_bytes_));
  message.copy(Env::frame(packet) + fragment_offset_, message.taken_bytes_, info.payload_bytes);
  message.taken_bytes_ += info.payload_bytes;
}

template <typename Env>
void Publisher<Env>::charge_groups(const Packet* packets, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const PacketInfo& info = Env::info(packets[i]);
    const size_t headers = wire::is_fragment(info.kind) ? fragment_offset_ : payload_offset_;
    const size_t padded = (info.payload_bytes + wire::kMaxPadBytes) & ~wire::kMaxPadBytes;
    const size_t frame = headers + padded + wire::kIcrcBytes;
    groups_.spend(info.group, base::wire_bytes(static_cast<uint32_t>(frame)));
  }
}

template <typename Env>
bool Publisher<Env>::close_shared() {
  Queue& link = link_of(coalescer_.qos());
  if (link.room() == 0) return false;
  coalescer_.close(Env::info(shared_));
  push(link, &shared_, 1);
  shared_ = Packet{};
  return true;
}

template <typename Env>
uint32_t Publisher<Env>::poll(uint64_t now_ns) {
  now_ns_ = now_ns;
  if (!coalescer_.due(now_ns, link_of(coalescer_.qos()).empty())) return 0;
  return close_shared() ? 1 : 0;
}

}  // namespace lambdacast::node
