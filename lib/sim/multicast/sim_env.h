// SPDX-License-Identifier: BSD-3-Clause
// A node's surroundings in the simulation (node/env.h): packets of a pool that knows which are in
// use, bounded queues, and a port that takes part of a burst, refuses for a while, or holds on to
// what it has sent. The stages over it are those that ship.
//
// All randomness comes from the generator that the node's scenario seeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "node/env.h"
#include "node/gap_event.h"
#include "node/view_event.h"
#include "reliability/stream_sender.h"
#include "sim/engine/broadcast_fabric.h"
#include "sim/engine/node_clock.h"
#include "sim/multicast/log.h"
#include "sim/multicast/wild.h"
#include "wire/roce/build.h"

namespace lambdacast::sim {

// A copy of a frame in front of a node.
struct Waiting {
  uint32_t frame = kNobody;  // index in Log::frames; kNobody: a control frame
  uint32_t sender = 0;       // life
  bool corrupted = false;
  FrameBytes bytes;
  uint64_t sent_ns = 0;
};

class SimPackets;

struct SimPacket {
  node::PacketInfo info;
  SimPackets* pool;
  uint32_t references;  // 0: free
  uint32_t length;
  bool received;        // it came from the port
  bool kept;            // by the keep flag
  uint64_t offered_ns;  // when the port refused it first; kNever: it has not
  Waiting arrival;
  uint8_t bytes[wire::kMaxFrameBytes];
};

// The simulation, as the surroundings of a life call it. Tests put themselves in between.
class NodeHost {
 public:
  virtual ~NodeHost() = default;
  // `offered_ns`: when the port was given it first, which may have refused it for a while.
  virtual void transmit(std::span<const uint8_t> frame, uint64_t offered_ns) = 0;
  // Tells the outcome of a frame that the node was given.
  virtual void judged(const Waiting& frame, counters::DropReason outcome) = 0;
  virtual void deliver(const node::PacketInfo& info, std::span<const uint8_t> message) = 0;
  virtual void gap(const node::GapEvent& gap) = 0;
  virtual void receiver_event(const reliability::ReceiverEvent& event) = 0;
  virtual void view_event(const node::ViewEvent& event) = 0;
  // The node has been told that this life is over.
  virtual void buried(const wire::StreamName&) {}
  // Memory used wrongly, by the code under test.
  virtual void misuse(const std::string& what) = 0;
  // A packet goes back to the pool; false: it is swallowed.
  virtual bool gives_back(const SimPacket&) { return true; }
};

// The packets of one life.
class SimPackets {
 public:
  static constexpr size_t kDescriptors = 32;

  // Frames received may take kDescriptors packets beyond the pool's bound, because the port has
  // those for itself. `keeps` says that the port knows the keep flag. `now_ns` is true time, and
  // outlives this object.
  SimPackets(NodeHost& host, const PoolWild& wild, bool keeps, uint64_t seed,
             const uint64_t& now_ns)
      : host_(host), wild_(wild), keeps_(keeps), random_(seed), now_ns_(now_ns) {}

  [[nodiscard]] SimPacket* allocate();
  [[nodiscard]] bool allocate(SimPacket** packets, uint32_t count);
  void free(SimPacket* packet);
  void free(SimPacket** packets, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) free(packets[i]);
  }
  void free_plain(SimPacket** packets, uint32_t count) { free(packets, count); }
  void add_reference(SimPacket* packet) { ++packet->references; }
  [[nodiscard]] bool shared(const SimPacket* packet) const { return packet->references != 1; }
  [[nodiscard]] bool can_keep() const { return keeps_; }
  void keep(SimPacket* packet) { packet->kept = true; }
  [[nodiscard]] bool kept(const SimPacket* packet) const { return packet->kept; }
  void share(SimPacket* packet);

  // A packet for a frame that came in; null: none left.
  [[nodiscard]] SimPacket* receive(Waiting&& waiting);
  void judged(const SimPacket& packet, counters::DropReason outcome) {
    if (packet.received) host_.judged(packet.arrival, outcome);
  }

  [[nodiscard]] size_t live() const { return live_; }
  [[nodiscard]] size_t held() const { return held_; }          // in use, of frames received
  [[nodiscard]] uint64_t refused() const { return refused_; }  // allocations, for want of packets
  [[nodiscard]] NodeHost& host() { return host_; }

 private:
  [[nodiscard]] SimPacket* take(size_t most);

  NodeHost& host_;
  const PoolWild wild_;
  const bool keeps_;
  base::SplitMix64 random_;
  const uint64_t& now_ns_;
  uint64_t refuses_until_ns_ = 0;
  std::vector<std::unique_ptr<SimPacket>> packets_;
  std::vector<SimPacket*> free_;
  size_t live_ = 0;
  size_t held_ = 0;
  uint64_t refused_ = 0;
};

// Wakes the stage that has to look at a queue that has changed.
class Waker {
 public:
  virtual ~Waker() = default;
  virtual void wake() = 0;
};

class SimQueue {
 public:
  SimQueue(uint32_t slots, Waker* producer, Waker* consumer)
      : packets_(slots), producer_(producer), consumer_(consumer) {}
  SimQueue(SimQueue&& other) noexcept
      : packets_(std::move(other.packets_)),
        first_(other.first_),
        size_(std::exchange(other.size_, 0)),
        filled_(other.filled_),
        producer_(other.producer_),
        consumer_(other.consumer_) {}
  SimQueue& operator=(SimQueue&&) = delete;
  ~SimQueue() {
    for (SimPacket* packet = nullptr; pull(&packet, 1) == 1;) packet->pool->free(packet);
  }

  void push(SimPacket* const* packets, uint32_t count) {
    if (count > room()) return overflow(packets, count);
    for (uint32_t i = 0; i < count; ++i)
      packets_[(first_ + size_++) % packets_.size()] = packets[i];
    if (count != 0 && consumer_ != nullptr) consumer_->wake();
  }
  [[nodiscard]] uint32_t pull(SimPacket** packets, uint32_t count) {
    uint32_t got = 0;
    const bool was_full = room() == 0;
    for (; got < count && size_ != 0; ++got, --size_) {
      packets[got] = packets_[first_];
      first_ = (first_ + 1) % static_cast<uint32_t>(packets_.size());
    }
    if (was_full) {
      ++filled_;
      if (got != 0 && producer_ != nullptr) producer_->wake();
    }
    return got;
  }
  [[nodiscard]] uint32_t room() const { return static_cast<uint32_t>(packets_.size()) - size_; }
  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // Times that somebody took from it when it was full.
  [[nodiscard]] uint64_t filled() const { return filled_; }

 private:
  void overflow(SimPacket* const* packets, uint32_t count);

  std::vector<SimPacket*> packets_;
  uint32_t first_ = 0;
  uint32_t size_ = 0;
  uint64_t filled_ = 0;
  Waker* producer_;
  Waker* consumer_;
};

class SimHandleQueue {
 public:
  explicit SimHandleQueue(Waker* consumer) : consumer_(consumer) {}
  void push(uint16_t handle) {
    handles_.push_back(handle);
    if (consumer_ != nullptr) consumer_->wake();
  }
  [[nodiscard]] bool pull(uint16_t& handle) {
    if (handles_.empty()) return false;
    handle = handles_.front();
    handles_.pop_front();
    return true;
  }

 private:
  std::deque<uint16_t> handles_;
  Waker* consumer_;
};

// The frames that wait in front of a node, and the burst of them that it takes.
class SimReceiver {
 public:
  SimReceiver(SimPackets& packets, const PortWild& wild, uint64_t seed)
      : packets_(packets), wild_(wild), random_(seed) {}

  void arrive(Waiting waiting) { ring_.push_back(std::move(waiting)); }
  [[nodiscard]] uint32_t receive(SimPacket** frames, uint32_t wanted);

  [[nodiscard]] size_t waiting() const { return ring_.size(); }
  [[nodiscard]] uint64_t taken() const { return taken_; }

 private:
  SimPackets& packets_;
  const PortWild wild_;
  base::SplitMix64 random_;
  std::deque<Waiting> ring_;
  uint64_t taken_ = 0;
};

// The transmitting side of the port.
class SimTransmitter {
 public:
  // `now_ns`: true time, which outlives it.
  SimTransmitter(SimPackets& packets, const PortWild& wild, uint64_t seed, const uint64_t& now_ns)
      : packets_(packets), wild_(wild), random_(seed), now_ns_(now_ns) {}
  ~SimTransmitter();

  [[nodiscard]] uint32_t transmit(SimPacket** frames, uint32_t count);
  void reclaim();
  // Gives everything back at once.
  void clear();

  // When it will have something to give back, or take frames again; kNever. What it could give back
  // already it keeps until it is asked, as a driver does: nobody has to look for that.
  [[nodiscard]] uint64_t next_event_ns() const;
  [[nodiscard]] const PortCounts& counts() const { return counts_; }

 private:
  struct Sent {
    SimPacket* packet;
    uint64_t until_ns;
    uint64_t content;  // a hash, of when it was taken
  };
  [[nodiscard]] bool wild_now() const { return now_ns_ < wild_.until_ns; }
  [[nodiscard]] bool happens(double probability) {
    return probability > 0 && base::Chance(probability).hit(random_());
  }
  // How many of them it takes now.
  [[nodiscard]] uint32_t takes(uint32_t count);
  void give_back(const Sent& sent);

  SimPackets& packets_;
  const PortWild wild_;
  base::SplitMix64 random_;
  const uint64_t& now_ns_;
  uint64_t refuses_until_ns_ = 0;
  std::deque<Sent> sent_;
  PortCounts counts_;
};

struct SimEnv {
  using Packet = SimPacket*;
  using Packets = SimPackets;
  using Queue = SimQueue;
  using HandleQueue = SimHandleQueue;
  using Receiver = SimReceiver;
  using Transmitter = SimTransmitter;

  // The producer and the consumer of a link's packets.
  struct Ends {
    Waker* producer = nullptr;
    Waker* consumer = nullptr;
  };
  using EndsOf = std::function<Ends(node::LinkId)>;

  [[nodiscard]] static node::PacketInfo& info(SimPacket* packet) { return packet->info; }
  [[nodiscard]] static uint8_t* frame(SimPacket* packet) { return packet->bytes; }
  [[nodiscard]] static size_t length(const SimPacket* packet) { return packet->length; }
  static void set_length(SimPacket* packet, size_t bytes) {
    packet->length = static_cast<uint32_t>(bytes);
  }
  [[nodiscard]] static base::PacketHandle handle(SimPacket* packet) {
    return static_cast<base::PacketHandle>(reinterpret_cast<uintptr_t>(packet));
  }
  [[nodiscard]] static SimPacket* packet(base::PacketHandle handle) {
    return reinterpret_cast<SimPacket*>(static_cast<uintptr_t>(handle));
  }
  static void prefetch(SimPacket*) {}
  static void judged(node::StageId, SimPacket* packet, counters::DropReason outcome) {
    packet->pool->judged(*packet, outcome);
  }
  static void passed(node::StageId, SimPacket* const*, uint32_t, node::Passage,
                     counters::DropReason) {}

  [[nodiscard]] base::Result<SimQueue> make_queue(node::LinkId link, uint32_t slots) {
    const Ends ends = ends_of(link);
    return SimQueue(slots, ends.producer, ends.consumer);
  }
  [[nodiscard]] base::Result<SimHandleQueue> make_handle_queue(uint32_t) {
    return SimHandleQueue(ends_of(node::LinkId::kReleased).consumer);
  }

  SimPackets& packets;
  SimReceiver& receiver;
  SimTransmitter& transmitter;
  EndsOf ends_of;
};

static_assert(node::Environment<SimEnv>);

}  // namespace lambdacast::sim
