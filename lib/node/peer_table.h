// SPDX-License-Identifier: BSD-3-Clause
// (source GID, source QPN) -> a small dense index, its place, which every per-peer table of this
// endpoint uses. A peer is learnt at its first valid frame. Bounded: a full table refuses newcomers
// (DropReason kPeerTableFull), and remembers one of them until a place is found for it
// (newcomers.h). So a place has one peer after another (doc/decisions/0024-places-are-used-again).
//
// A place that may be given to another peer is withdrawn first: its peer is then a stranger to the
// fast path, and the slow one gives it its place back. So frames of other peers pay nothing for it.
//
// A found peer costs one multiplication and, as a rule, one 32-byte slot (two a cache line): 2.1 ns
// whatever the mixture of senders. A cache of the last hit before it made bursts of one sender 0.4
// ns faster and mixtures slower, by a branch nobody can predict. The table is at most half full;
// hostile senders can lengthen probe runs only within its capacity.
//
// The lcore that runs the receive stage owns it. Other lcores may ask for a peer's name. They never
// see parts of two. A packet that its peer sent before the place had another one is told by the new
// name; places are given up only when no link has any (place_offers.h), so that only who keeps an
// index of its own for longer than the peer was silent sees that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "node/gid_words.h"
#include "node/packet_info.h"
#include "wire/roce/gid.h"

namespace lambdacast::node {

// Who has a place, whatever its incarnation.
struct PeerName {
  wire::Gid gid;
  uint32_t qpn = 0;  // 24 bits
  bool operator==(const PeerName&) const = default;
};

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

  // The peer's index, or kNoPeer: it has no place, or that is withdrawn.
  [[nodiscard]] uint16_t find(const wire::Gid& gid, uint32_t qpn) const {
    const Key key{GidWords(gid), qpn};
    for (size_t i = home(key); slots_[i].peer != kNoPeer; i = (i + 1) & mask_) {
      if (slots_[i].matches(key)) [[likely]]
        return slots_[i].peer;
    }
    return kNoPeer;
  }

  // find, or else its withdrawn place again, or a new index; kNoPeer: the table is full.
  [[nodiscard]] uint16_t find_or_learn(const wire::Gid& gid, uint32_t qpn, uint64_t now_ns) {
    const uint16_t peer = find(gid, qpn);
    if (peer != kNoPeer) [[likely]] {
      if (peers_[peer].first_seen_ns == 0) [[unlikely]]
        peers_[peer].first_seen_ns = now_ns;
      return peer;
    }
    return learn(gid, qpn, now_ns);
  }

  // Configuration names a peer before (or after) it is heard; it takes an index and keeps it.
  // kNoPeer: full.
  uint16_t add(const wire::Gid& gid, uint32_t qpn, std::string_view name);

  // Peers have indices 0 .. size() - 1, in the order in which they came.
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] size_t max_peers() const { return peers_.size(); }
  [[nodiscard]] const Peer& at(size_t peer) const { return peers_[peer]; }

  // --- places that are used again ---------------------------------------------------------------
  // A peer that found no place, the first one since forget_newcomer(); null: all found one.
  [[nodiscard]] const PeerName* newcomer() const { return waits_ ? &newcomer_ : nullptr; }
  void forget_newcomer() { waits_ = false; }
  // The place may be given to another peer, unless its own one is heard again before.
  void withdraw(size_t peer);
  [[nodiscard]] bool withdrawn(size_t peer) const;
  // The newcomer has that place, which is withdrawn, from now on.
  void give_to_newcomer(size_t peer, uint64_t now_ns);

  // --- any thread -------------------------------------------------------------------------------
  [[nodiscard]] PeerName name_of(size_t peer) const { return names_[peer].load(); }
  // Configuration named it: it keeps its place.
  [[nodiscard]] bool keeps(size_t peer) const {
    return names_[peer].configured.load(std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kWithdrawn = uint32_t{1} << 31;  // in a slot's qpn: no frame has it

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

  // A name with a version, which is odd while it is written: whoever sees the same even one before
  // and behind it has a whole name. Neither side waits for a lock, and writers are rare.
  struct alignas(32) SharedName {
    std::atomic<uint32_t> version{0};
    std::atomic<uint32_t> qpn{0};
    std::atomic<uint64_t> high{0};
    std::atomic<uint64_t> low{0};
    std::atomic<bool> configured{false};

    void store(const PeerName& name);
    [[nodiscard]] PeerName load() const;
  };

  [[nodiscard]] size_t home(const Key& key) const {
    const uint64_t mixed = key.gid.low ^ (key.gid.high * 0x9e3779b97f4a7c15u) ^ key.qpn;
    const auto product = static_cast<unsigned __int128>(mixed) * 0xbf58476d1ce4e5b9u;
    return static_cast<size_t>((product >> 64) ^ product) & mask_;
  }
  [[nodiscard]] size_t home_of(const Slot& slot) const {
    return home({slot.gid, slot.qpn & ~kWithdrawn});
  }
  uint16_t learn(const wire::Gid& gid, uint32_t qpn, uint64_t now_ns);
  [[nodiscard]] size_t slot_of(size_t peer) const;
  void put(size_t peer, const Key& key);
  void erase(size_t slot);
  void rename(size_t peer, const PeerName& name, uint64_t now_ns);

  std::vector<Slot> slots_;  // a power of two, at least twice max_peers; sized once
  std::vector<Peer> peers_;  // sized once
  std::vector<SharedName> names_;
  size_t mask_ = 0;
  size_t size_ = 0;
  PeerName newcomer_;
  bool waits_ = false;  // the newcomer, for a place
};

}  // namespace lambdacast::node
