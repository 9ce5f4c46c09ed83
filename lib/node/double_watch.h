// SPDX-License-Identifier: BSD-3-Clause
// Which peers are two endpoints: two lives of one address and queue pair that are heard at a time.
// A life that was killed is heard no more once its last frames have come.
//
// Not thread-safe but for take_event(), which is one control thread's: the lcore of the reliability
// stage owns it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/mailbox.h"
#include "node/double_event.h"

namespace lambdacast::node {

class DoubleWatch {
 public:
  // `way_ns`: nothing is on its way for longer than that.
  DoubleWatch(size_t max_peers, uint64_t way_ns) : way_ns_(way_ns), peers_(max_peers) {}

  // A control frame of that life of the peer came.
  void heard(size_t peer, const wire::Gid& gid, uint32_t incarnation, uint64_t now_ns);
  // One of the two says so itself.
  void told(size_t peer, const wire::Gid& gid, uint32_t one, uint32_t other, uint64_t now_ns);

  // Another peer has the place: the lives of the one before are none of it.
  void succeed(size_t peer) { peers_[peer] = {}; }

  [[nodiscard]] uint64_t doubles() const { return doubles_; }  // events
  [[nodiscard]] std::optional<DoubleEvent> take_event();

 private:
  struct Life {
    uint32_t incarnation = 0;
    uint64_t first_ns = 0;
    uint64_t last_ns = 0;  // 0: none
  };
  struct Peer {
    std::array<Life, 2> lives;
    uint64_t told_ns = 0;  // 0: never
  };
  [[nodiscard]] static Life& life_of(Peer& peer, uint32_t incarnation, uint64_t now_ns);

  static constexpr uint64_t kTellEveryNs = 10'000'000'000;

  const uint64_t way_ns_;
  std::vector<Peer> peers_;
  uint64_t doubles_ = 0;
  base::Mailbox<DoubleEvent, 16> events_;
};

}  // namespace lambdacast::node
