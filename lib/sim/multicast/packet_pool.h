// The packets of one life of a node. Knows which are in use, so that a packet given back twice, or
// never, is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/packet_handle.h"
#include "node/packet_info.h"
#include "wire/roce/build.h"

namespace lambdacast::sim {

using base::PacketHandle;

class PacketPool {
 public:
  struct Packet {
    bool used = false;
    bool received = false;
    node::PacketInfo info;
    uint8_t bytes[wire::kMaxFrameBytes];
  };

  PacketHandle allocate() {
    if (free_.empty()) {
      // Not value-initialised: the bytes are written before they are read.
      packets_.push_back(std::unique_ptr<Packet>(new Packet));
      free_.push_back(packets_.back().get());
    }
    Packet* packet = free_.back();
    free_.pop_back();
    packet->used = true;
    packet->received = receiving_;
    held_ += receiving_ ? 1 : 0;
    if (++live_ > most_) most_ = live_;
    return static_cast<PacketHandle>(reinterpret_cast<uintptr_t>(packet));
  }
  // False: it is not in use.
  [[nodiscard]] bool free(PacketHandle handle) {
    Packet& packet = at(handle);
    if (!packet.used) return false;
    packet.used = false;
    free_.push_back(&packet);
    held_ -= packet.received ? 1 : 0;
    --live_;
    return true;
  }
  [[nodiscard]] static Packet& at(PacketHandle handle) {
    return *reinterpret_cast<Packet*>(static_cast<uintptr_t>(handle));
  }
  // What is allocated from now on takes up frames received, or not.
  void set_receiving(bool receiving) { receiving_ = receiving; }
  [[nodiscard]] size_t held() const { return held_; }  // in use, of frames received
  [[nodiscard]] size_t live() const { return live_; }
  [[nodiscard]] size_t most() const { return most_; }  // at a time

 private:
  std::vector<std::unique_ptr<Packet>> packets_;
  std::vector<Packet*> free_;
  bool receiving_ = false;
  size_t held_ = 0;
  size_t live_ = 0;
  size_t most_ = 0;
};

}  // namespace lambdacast::sim
