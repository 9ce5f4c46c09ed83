// SPDX-License-Identifier: BSD-3-Clause
// (source GID, source QPN) -> a small dense index, which every per-peer table of this endpoint
// uses. A peer is learnt at its first valid frame and stays: indices are never reused, so a report
// of one run never mixes two peers. Bounded: a full table refuses newcomers (DropReason
// kPeerTableFull).
//
// A found peer costs one multiplication and, as a rule, one 32-byte slot (two a cache line): 2.1 ns
// whatever the mixture of senders. A cache of the last hit before it made bursts of one sender 0.4
// ns faster and mixtures slower, by a branch nobody can predict. The table is at most half full;
// hostile senders can lengthen probe runs only within its capacity.
//
// Not thread-safe: the lcore that runs the receive stage owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "node/gid_words.h"
#include "node/packet_info.h"
#include "wire/roce/gid.h"

namespace lambdacast::node {

struct Peer {
  static constexpr size_t kNameBytes = 32;

  wire::Gid gid;
  uint32_t qpn = 0;            // 24 bits
  uint64_t first_seen_ns = 0;  // 0: named by configuration and not heard yet
  char name[kNameBytes] = {};  // from configuration, cut at 31 bytes; empty: unnamed
};

class PeerTable {
 public:
  static constexpr size_t kMaxPeers = 0xfffe;

  explicit PeerTable(size_t max_peers);  // 1 .. kMaxPeers, clamped

  // The peer's index, or kNoPeer.
  [[nodiscard]] uint16_t find(const wire::Gid& gid, uint32_t qpn) const {
    const Key key{GidWords(gid), qpn};
    for (size_t i = home(key); slots_[i].peer != kNoPeer; i = (i + 1) & mask_) {
      if (slots_[i].matches(key)) [[likely]]
        return slots_[i].peer;
    }
    return kNoPeer;
  }

  // find, or else a new index; kNoPeer: the table is full.
  [[nodiscard]] uint16_t find_or_learn(const wire::Gid& gid, uint32_t qpn, uint64_t now_ns) {
    const uint16_t peer = find(gid, qpn);
    if (peer != kNoPeer) [[likely]] {
      if (peers_[peer].first_seen_ns == 0) [[unlikely]]
        peers_[peer].first_seen_ns = now_ns;
      return peer;
    }
    return learn(gid, qpn, now_ns);
  }

  // Configuration names a peer before (or after) it is heard; it takes an index. kNoPeer: full.
  uint16_t add(const wire::Gid& gid, uint32_t qpn, std::string_view name);

  // Peers have indices 0 .. size() - 1, in the order in which they came.
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] size_t max_peers() const { return peers_.size(); }
  [[nodiscard]] const Peer& at(size_t peer) const { return peers_[peer]; }

 private:
  struct Key {
    GidWords gid;
    uint32_t qpn;
  };

  struct alignas(32) Slot {
    GidWords gid;
    uint32_t qpn = 0;
    uint16_t peer = kNoPeer;  // kNoPeer: empty

    [[nodiscard]] bool matches(const Key& key) const { return gid == key.gid && qpn == key.qpn; }
  };

  [[nodiscard]] size_t home(const Key& key) const {
    const uint64_t mixed = key.gid.low ^ (key.gid.high * 0x9e3779b97f4a7c15u) ^ key.qpn;
    const auto product = static_cast<unsigned __int128>(mixed) * 0xbf58476d1ce4e5b9u;
    return static_cast<size_t>((product >> 64) ^ product) & mask_;
  }
  uint16_t learn(const wire::Gid& gid, uint32_t qpn, uint64_t now_ns);

  std::vector<Slot> slots_;  // a power of two, at least twice max_peers; sized once
  std::vector<Peer> peers_;  // sized once
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace lambdacast::node
