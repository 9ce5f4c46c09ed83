// SPDX-License-Identifier: BSD-3-Clause
// Frames that have their number, and so must go out: what the port refuses waits here, ahead of
// whatever is framed later. A burst at most.
//
// Not thread-safe: the lcore of rate_control owns it.
#pragma once

#include <array>
#include <cstdint>

#include "node/env.h"
#include "node/packet_info.h"
#include "reliability/stream_sender.h"

namespace lambdacast::node {

template <typename Env>
class PendingFrames {
 public:
  using Packet = typename Env::Packet;

  PendingFrames(Env& env, reliability::StreamSender& sender) : env_(env), sender_(sender) {}
  ~PendingFrames() {
    if (!empty()) env_.packets.free(frames_.data() + begin_, size());
  }

  [[nodiscard]] uint32_t size() const { return end_ - begin_; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }

  // --- a burst is framed, when all of the one before has gone -----------------------------------
  void begin() { begin_ = end_ = 0; }
  void add(Packet packet) { frames_[end_++] = packet; }
  void pull(typename Env::Queue& from, uint64_t most) {
    end_ += from.pull(frames_.data() + end_, static_cast<uint32_t>(most));
  }
  // Packets of the burst so far.
  [[nodiscard]] uint32_t framed() const { return end_; }
  [[nodiscard]] Packet operator[](uint32_t i) const { return frames_[i]; }

  // Offers them to the port; then share(), if any is left. Returns how many it took.
  uint32_t transmit(uint64_t now_ns) {
    if (refused_) [[unlikely]]
      restart_clocks(now_ns);
    const uint32_t sent = env_.transmitter.transmit(frames_.data() + begin_, size());
    // By their names alone: the port has them.
    Env::passed(StageId::kRateControl, frames_.data() + begin_, sent, Passage::kOn,
                counters::DropReason::kNone);
    begin_ += sent;
    refused_ = !empty();
    return sent;
  }
  // Takes references: a frame may be released by its stream before the port takes it.
  void share() {
    if (!env_.packets.can_keep()) return;
    for (uint32_t i = begin_; i < end_; ++i) {
      if (env_.packets.kept(frames_[i])) env_.packets.share(frames_[i]);
    }
  }

 private:
  // Nobody lags behind what has not left.
  void restart_clocks(uint64_t now_ns) {
    for (uint32_t i = begin_; i < end_; ++i) {
      const PacketInfo& info = Env::info(frames_[i]);
      if (info.qos != wire::Qos::kUnreliable) sender_.delayed(info.rel_seq, now_ns);
    }
  }
  Env& env_;
  reliability::StreamSender& sender_;
  uint32_t begin_ = 0;
  uint32_t end_ = 0;
  bool refused_ = false;  // by the port, what is here
  std::array<Packet, kMaxBurst> frames_{};
};

}  // namespace lambdacast::node
