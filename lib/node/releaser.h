// SPDX-License-Identifier: BSD-3-Clause
// Gives the packets that StreamSender releases back to the pool, in bulk.
#pragma once

#include <cstdint>

#include "base/packet_handle.h"
#include "node/env.h"

namespace lambdacast::node {

template <typename Env>
class Releaser {
 public:
  explicit Releaser(Env& env) : env_(env) {}
  ~Releaser() { flush(); }
  void operator()(base::PacketHandle handle) {
    if (count_ == kMaxBurst) flush();
    packets_[count_++] = Env::packet(handle);
    __builtin_prefetch(packets_[count_ - 1]);
  }

 private:
  void flush() {
    if (count_ != 0) env_.packets.free_plain(packets_, count_);
    count_ = 0;
  }
  Env& env_;
  typename Env::Packet packets_[kMaxBurst];
  uint32_t count_ = 0;
};

}  // namespace lambdacast::node
