// SPDX-License-Identifier: BSD-3-Clause
#include "node/peer_table.h"

#include <algorithm>
#include <bit>

namespace lambdacast::node {

PeerTable::PeerTable(size_t max_peers) {
  const size_t capacity = std::clamp<size_t>(max_peers, 1, kMaxPeers);
  peers_.resize(capacity);
  slots_.resize(std::bit_ceil(2 * capacity));
  mask_ = slots_.size() - 1;
}

uint16_t PeerTable::learn(const wire::Gid& gid, uint32_t qpn, uint64_t now_ns) {
  if (size_ == peers_.size()) return kNoPeer;
  const Key key{GidWords(gid), qpn};
  size_t i = home(key);
  while (slots_[i].peer != kNoPeer) i = (i + 1) & mask_;
  const auto peer = static_cast<uint16_t>(size_++);
  slots_[i] = Slot{key.gid, qpn, peer};
  peers_[peer].gid = gid;
  peers_[peer].qpn = qpn;
  peers_[peer].first_seen_ns = now_ns;
  return peer;
}

uint16_t PeerTable::add(const wire::Gid& gid, uint32_t qpn, std::string_view name) {
  uint16_t peer = find(gid, qpn);
  if (peer == kNoPeer) peer = learn(gid, qpn, 0);
  if (peer == kNoPeer) return kNoPeer;
  char* out = peers_[peer].name;
  const size_t bytes = std::min(name.size(), Peer::kNameBytes - 1);
  std::fill_n(std::copy_n(name.data(), bytes, out), Peer::kNameBytes - bytes, '\0');
  return peer;
}

}  // namespace lambdacast::node
