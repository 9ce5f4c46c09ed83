// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/sim_env.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lambdacast::sim {

namespace {

uint64_t hash_of(const SimPacket& packet) {
  uint64_t hash = packet.length;
  for (uint32_t at = 0; at < packet.length; ++at) hash = hash * 0x100000001b3u ^ packet.bytes[at];
  return hash;
}

}  // namespace

SimPacket* SimPackets::allocate() {
  if (wild_.refusal > 0 && now_ns_ < wild_.until_ns) {
    if (now_ns_ >= refuses_until_ns_ && base::Chance(wild_.refusal).hit(random_()))
      refuses_until_ns_ = now_ns_ + 1 + random_.below(wild_.refusal_ns);
    if (now_ns_ < refuses_until_ns_) {
      ++refused_;
      return nullptr;
    }
  }
  return take(wild_.packets);
}

SimPacket* SimPackets::take(size_t most) {
  if (most != 0 && live_ >= most) {
    ++refused_;
    return nullptr;
  }
  if (free_.empty()) {
    // Not value-initialised: the bytes are written before they are read.
    packets_.push_back(std::unique_ptr<SimPacket>(new SimPacket));
    free_.push_back(packets_.back().get());
  }
  SimPacket* packet = free_.back();
  free_.pop_back();
  packet->pool = this;
  packet->references = 1;
  packet->length = 0;
  packet->received = packet->kept = false;
  packet->offered_ns = kNever;
  ++live_;
  return packet;
}

bool SimPackets::allocate(SimPacket** packets, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    packets[i] = allocate();
    if (packets[i] != nullptr) continue;
    free(packets, i);
    return false;
  }
  return true;
}

void SimPackets::free(SimPacket* packet) {
  if (packet->references == 0) return host_.misuse("gave a packet back twice");
  if (packet->references == 1 && !host_.gives_back(*packet)) return;
  if (--packet->references != 0) return;
  held_ -= packet->received ? 1 : 0;
  packet->arrival.bytes.reset();
  free_.push_back(packet);
  --live_;
}

void SimPackets::share(SimPacket* packet) {
  if (packet->references != 1) host_.misuse("shares a packet that somebody else has");
  packet->kept = false;
  packet->references = 2;
}

SimPacket* SimPackets::receive(Waiting&& waiting) {
  SimPacket* packet = take(wild_.packets == 0 ? 0 : wild_.packets + kDescriptors);
  if (packet == nullptr) return nullptr;
  packet->received = true;
  ++held_;
  packet->length = static_cast<uint32_t>(waiting.bytes->size());
  std::memcpy(packet->bytes, waiting.bytes->data(), waiting.bytes->size());
  packet->arrival = std::move(waiting);
  return packet;
}

void SimQueue::overflow(SimPacket* const* packets, uint32_t count) {
  packets[0]->pool->host().misuse("pushes more into a link than it has room for");
  for (uint32_t i = 0; i < count; ++i) packets[i]->pool->free(packets[i]);
}

uint32_t SimReceiver::receive(SimPacket** frames, uint32_t wanted) {
  if (wild_.short_burst > 0 && wanted > 1 && base::Chance(wild_.short_burst).hit(random_()))
    wanted = 1 + static_cast<uint32_t>(random_.below(wanted));
  uint32_t got = 0;
  while (got < wanted && !ring_.empty()) {
    SimPacket* packet = packets_.receive(std::move(ring_.front()));
    if (packet == nullptr) break;  // it waits for memory
    ring_.pop_front();
    frames[got++] = packet;
  }
  taken_ += got;
  return got;
}

SimTransmitter::~SimTransmitter() { clear(); }

void SimTransmitter::clear() {
  for (const Sent& sent : sent_) packets_.free(sent.packet);
  sent_.clear();
}

uint32_t SimTransmitter::takes(uint32_t count) {
  if (now_ns_ < refuses_until_ns_) return 0;
  if (wild_now() && happens(wild_.refusal)) {
    ++counts_.refusals;
    refuses_until_ns_ = now_ns_ + 1 + random_.below(wild_.refusal_ns);
    return 0;
  }
  if (wild_now() && count > 1 && happens(wild_.partial_burst)) {
    ++counts_.partial_bursts;
    count = 1 + static_cast<uint32_t>(random_.below(count - 1));
  }
  return count;
}

uint32_t SimTransmitter::transmit(SimPacket** frames, uint32_t count) {
  if (!sent_.empty()) reclaim();
  const uint32_t taken = takes(count);
  for (uint32_t i = taken; i < count; ++i)
    frames[i]->offered_ns = std::min(frames[i]->offered_ns, now_ns_);
  for (uint32_t i = 0; i < taken; ++i) {
    SimPacket* packet = frames[i];
    if (packet->references == 0)
      packets_.host().misuse("transmits a packet that it has given back");
    packets_.host().transmit({packet->bytes, packet->length},
                             std::min(std::exchange(packet->offered_ns, kNever), now_ns_));
    if (packet->kept) continue;
    if (wild_now() && wild_.late_free_ns != 0) {
      sent_.push_back({packet, now_ns_ + random_.below(wild_.late_free_ns), hash_of(*packet)});
    } else {
      packets_.free(packet);
    }
  }
  return taken;
}

void SimTransmitter::reclaim() {
  while (!sent_.empty() && (sent_.front().until_ns <= now_ns_ || !wild_now())) {
    const Sent sent = sent_.front();
    sent_.pop_front();
    give_back(sent);
  }
  counts_.late_frees += sent_.empty() ? 0 : 1;
}

// What a port sends it reads when it likes.
void SimTransmitter::give_back(const Sent& sent) {
  if (sent.packet->references == 0 || hash_of(*sent.packet) != sent.content)
    packets_.host().misuse("changes a packet that the port still has");
  packets_.free(sent.packet);
}

uint64_t SimTransmitter::next_event_ns() const {
  uint64_t next_ns = now_ns_ < refuses_until_ns_ ? refuses_until_ns_ : kNever;
  if (!sent_.empty()) {
    const uint64_t free_ns = std::min(sent_.front().until_ns, wild_.until_ns);
    if (now_ns_ < free_ns) next_ns = std::min(next_ns, free_ns);
  }
  return next_ns;
}

}  // namespace lambdacast::sim
