// SPDX-License-Identifier: BSD-3-Clause
#include "node/peer_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lambdacast::node {

// Release stores behind the odd version, and acquire loads before the second look at it: who sees a
// word of the new name sees at least that version.
void PeerTable::SharedName::store(const PeerName& name) {
  const GidWords words(name.gid);
  const uint32_t before = version.load(std::memory_order_relaxed);
  version.store(before + 1, std::memory_order_relaxed);
  qpn.store(name.qpn, std::memory_order_release);
  high.store(words.high, std::memory_order_release);
  low.store(words.low, std::memory_order_release);
  version.store(before + 2, std::memory_order_release);
}

PeerName PeerTable::SharedName::load() const {
  for (;;) {
    const uint32_t before = version.load(std::memory_order_acquire);
    const uint32_t number = qpn.load(std::memory_order_acquire);
    const uint64_t words[] = {high.load(std::memory_order_acquire),
                              low.load(std::memory_order_acquire)};
    if (before % 2 != 0 || version.load(std::memory_order_relaxed) != before) continue;
    PeerName name{{}, number};
    static_assert(sizeof words == sizeof name.gid.bytes);
    std::memcpy(&name.gid.bytes[0], words, sizeof words);
    return name;
  }
}

PeerTable::PeerTable(size_t max_peers)
    : peers_(std::clamp<size_t>(max_peers, 1, kMaxPeers)), names_(peers_.size()) {
  slots_.resize(std::bit_ceil(2 * peers_.size()));
  mask_ = slots_.size() - 1;
}

uint16_t PeerTable::learn(const wire::Gid& gid, uint32_t qpn, uint64_t now_ns) {
  const Key withdrawn{GidWords(gid), qpn | kWithdrawn};
  for (size_t i = home({withdrawn.gid, qpn}); slots_[i].peer != kNoPeer; i = (i + 1) & mask_) {
    if (!slots_[i].matches(withdrawn)) continue;
    slots_[i].qpn = qpn;
    return slots_[i].peer;
  }
  if (size_ == peers_.size()) {
    if (!waits_) newcomer_ = {gid, qpn};
    waits_ = true;
    return kNoPeer;
  }
  const auto peer = static_cast<uint16_t>(size_++);
  rename(peer, {gid, qpn}, now_ns);
  return peer;
}

uint16_t PeerTable::add(const wire::Gid& gid, uint32_t qpn, std::string_view name) {
  uint16_t peer = find(gid, qpn);
  if (peer == kNoPeer) peer = learn(gid, qpn, 0);
  if (peer == kNoPeer) return kNoPeer;
  names_[peer].configured.store(true, std::memory_order_relaxed);
  char* out = peers_[peer].name;
  const size_t bytes = std::min(name.size(), Peer::kNameBytes - 1);
  std::fill_n(std::copy_n(name.data(), bytes, out), Peer::kNameBytes - bytes, '\0');
  return peer;
}

// --- places that are used again ------------------------------------------------------------------

void PeerTable::withdraw(size_t peer) { slots_[slot_of(peer)].qpn |= kWithdrawn; }

bool PeerTable::withdrawn(size_t peer) const {
  return (slots_[slot_of(peer)].qpn & kWithdrawn) != 0;
}

void PeerTable::give_to_newcomer(size_t peer, uint64_t now_ns) {
  erase(slot_of(peer));
  rename(peer, newcomer_, now_ns);
  forget_newcomer();
}

// The peer has one: it was learnt.
size_t PeerTable::slot_of(size_t peer) const {
  size_t i = home({GidWords(peers_[peer].gid), peers_[peer].qpn});
  while (slots_[i].peer != peer) i = (i + 1) & mask_;
  return i;
}

void PeerTable::put(size_t peer, const Key& key) {
  size_t i = home(key);
  while (slots_[i].peer != kNoPeer) i = (i + 1) & mask_;
  slots_[i] = Slot{key.gid, key.qpn, static_cast<uint16_t>(peer)};
}

// Whatever probing went past the slot to find moves up, so that no run has a hole.
void PeerTable::erase(size_t slot) {
  for (size_t i = (slot + 1) & mask_; slots_[i].peer != kNoPeer; i = (i + 1) & mask_) {
    const size_t from_home = (i - home_of(slots_[i])) & mask_;
    if (from_home < ((i - slot) & mask_)) continue;
    slots_[slot] = slots_[i];
    slot = i;
  }
  slots_[slot] = Slot{};
}

void PeerTable::rename(size_t peer, const PeerName& name, uint64_t now_ns) {
  put(peer, {GidWords(name.gid), name.qpn});
  peers_[peer].gid = name.gid;
  peers_[peer].qpn = name.qpn;
  peers_[peer].first_seen_ns = now_ns;
  names_[peer].store(name);
}

}  // namespace lambdacast::node
