// (source GID, source QPN) -> a small dense index, which every per-peer table of this endpoint
// uses. A peer is learnt at its first valid frame and stays: indices are never reused, so a report
// of one run never mixes two peers. Bounded: a full table refuses newcomers (DropReason
// kPeerTableFull).
//
// A found peer costs one compare if it is the last one seen (bursts), else one hash and, as a rule,
// one 32-byte slot (two a cache line). The table is at most half full; hostile senders can lengthen
// probe runs only within its capacity.
//
// Not thread-safe: the lcore that runs the receive stage owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"
#include "endpoint/packet_info.h"
#include "wire/gid.h"

namespace lambdacast::endpoint {

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
  [[nodiscard]] uint16_t find(const wire::Gid& gid, uint32_t qpn) {
    const Key key = make_key(gid, qpn);
    if (slots_[last_].matches(key)) [[likely]]
      return slots_[last_].peer;
    return probe(key);
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
    uint64_t gid_high;
    uint64_t gid_low;
    uint32_t qpn;
  };

  struct alignas(32) Slot {
    uint64_t gid_high = 0;
    uint64_t gid_low = 0;
    uint32_t qpn = 0;
    uint16_t peer = kNoPeer;  // kNoPeer: empty

    [[nodiscard]] bool matches(const Key& key) const {
      return gid_low == key.gid_low && qpn == key.qpn && gid_high == key.gid_high &&
             peer != kNoPeer;
    }
  };

  [[nodiscard]] static Key make_key(const wire::Gid& gid, uint32_t qpn) {
    return {base::load_raw<uint64_t>(&gid.bytes[0]), base::load_raw<uint64_t>(&gid.bytes[8]), qpn};
  }
  [[nodiscard]] size_t home(const Key& key) const {
    return base::mix64(key.gid_low ^ base::mix64(key.gid_high + key.qpn)) & mask_;
  }
  [[nodiscard]] uint16_t probe(const Key& key) {
    for (size_t i = home(key); slots_[i].peer != kNoPeer; i = (i + 1) & mask_) {
      if (slots_[i].matches(key)) {
        last_ = i;
        return slots_[i].peer;
      }
    }
    return kNoPeer;
  }
  uint16_t learn(const wire::Gid& gid, uint32_t qpn, uint64_t now_ns);

  std::vector<Slot> slots_;  // a power of two, at least twice max_peers; sized once
  std::vector<Peer> peers_;  // sized once
  size_t mask_ = 0;
  size_t last_ = 0;  // slot of the last hit
  size_t size_ = 0;
};

}  // namespace lambdacast::endpoint
