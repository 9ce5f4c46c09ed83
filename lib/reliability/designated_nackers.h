// SPDX-License-Identifier: BSD-3-Clause
// The receivers that ask at once when a transmitter itself has lost a packet and all receivers miss
// it: for each sender and block of positions the kFirstAskers with the smallest hash. Every
// receiver computes the same answer from the names alone, and blocks share the work out
// (doc/decisions/0007-eight-receivers-ask-first.md). The others listen for as long as a NACK of a
// designated one takes to reach them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.h"
#include "wire/control/control.h"

namespace lambdacast::reliability {

inline constexpr size_t kFirstAskers = 8;
inline constexpr uint64_t kAskerBlock = 1024;  // positions

// Hash of a stream's source, the same for all its incarnations.
[[nodiscard]] inline uint64_t name_hash(const wire::StreamName& name) {
  return base::mix64(wire::hash(name.gid) ^ name.qpn);
}

[[nodiscard]] inline uint64_t asker_rank(uint64_t receiver_hash, uint64_t sender_hash,
                                         uint64_t position) {
  return base::mix64(receiver_hash ^ base::mix64(sender_hash ^ (position / kAskerBlock)));
}

// The receivers that ask first for the positions of one block: the peers with the smallest ranks,
// ourselves left out.
class DesignatedNackers {
 public:
  void clear() { count_ = 0; }
  void consider(uint64_t rank, uint16_t peer) {
    if (count_ == kFirstAskers && rank > askers_[count_ - 1].rank) return;
    size_t at = count_ == kFirstAskers ? count_ - 1 : count_++;
    for (; at > 0 && askers_[at - 1].rank > rank; --at) askers_[at] = askers_[at - 1];
    askers_[at] = {rank, peer};
  }
  // Does a receiver of that rank ask first?
  [[nodiscard]] bool include(uint64_t rank) const {
    return count_ < kFirstAskers || rank < askers_[count_ - 1].rank;
  }
  // The time by which all but two of them had last asked, by nack_heard_ns(peer); 0: never. As all
  // miss a transmitter's losses alike they ask together, and of one or two the NACK may be lost.
  template <typename NackHeard>
  [[nodiscard]] uint64_t all_asked_ns(NackHeard&& nack_heard_ns) const {
    constexpr size_t kNacksLost = 2;
    std::array<uint64_t, kFirstAskers> heard_ns{};
    for (size_t i = 0; i < count_; ++i) heard_ns[i] = nack_heard_ns(askers_[i].peer);
    std::nth_element(heard_ns.begin(), heard_ns.begin() + kNacksLost, heard_ns.end());
    return heard_ns[kNacksLost];
  }

 private:
  struct Asker {
    uint64_t rank;
    uint16_t peer;
  };
  std::array<Asker, kFirstAskers> askers_{};  // by rank
  size_t count_ = 0;
};

// How long the others wait for a NACK of the designated ones: it takes half a round trip, and those
// may have seen the gap a little later. Where round trips vary they wait for a whole one.
[[nodiscard]] inline uint64_t listening_ns(uint64_t rtt_ns, uint64_t variation_ns) {
  return std::clamp(rtt_ns / 2 + variation_ns, rtt_ns - rtt_ns / 4, rtt_ns);
}

}  // namespace lambdacast::reliability
