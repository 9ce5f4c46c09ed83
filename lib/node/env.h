// SPDX-License-Identifier: BSD-3-Clause
// What a node needs of its surroundings: the template parameter `Env` of every stage. The data path
// instantiates the stages with mbufs, rte_rings and ethdev ports (dpdk/mbuf_env.h), the simulator
// with packets, queues and a port of its own (sim/multicast/sim_env.h). So a stage exists once, and
// what the simulator proves is what ships.
//
//   Packet       a handle, trivially copyable; Packet{} is none
//   Packets      one endpoint's pool of them
//   Queue        a bounded queue of packets: one producer, one consumer
//   HandleQueue  the ring by which memory of reassembled messages comes back
//   Receiver     the port as the receive stage sees it
//   Transmitter  the port as the rate_control stage sees it
//
// A packet is one frame and its PacketInfo. It is shared when somebody else holds a reference too:
// the port that is still reading it, an application it was delivered to, a relay.
#pragma once

#include <concepts>
#include <cstdint>

#include "base/packet_handle.h"
#include "base/result.h"
#include "counters/drop_reason.h"
#include "node/packet_info.h"

namespace lambdacast::node {

// Stages move at most this many packets at a time (configuration: burst).
inline constexpr uint32_t kMaxBurst = 256;

// The stages of a node, in the order in which a packet passes them.
enum class StageId : uint8_t {
  kReceive,
  kNeighbor,
  kReliability,
  kOrdering,
  kApplication,
  kRateControl
};

// The links between them: producer -> consumer.
enum class LinkId : uint8_t {
  kReceived,     // receive -> reliability
  kAccepted,     // reliability -> ordering
  kDeliveries,   // ordering -> application
  kUnreliable,   // application -> rate_control: publications
  kRecoverable,  // application -> rate_control: publications that wait for receivers' windows
  kHeard,        // reliability -> rate_control: control frames about this node's own stream
  kSaid,         // reliability -> rate_control: control payloads to be framed
  kNeighbor,     // neighbor -> rate_control: frames as they are
  kReleased      // application -> ordering: memory of reassembled messages
};

// What a stage did with packets that it had, for whoever follows packets through the stages.
enum class Passage : uint8_t {
  kOn,       // handed them on
  kKept,     // has them until something else comes
  kTaken,    // they end here, as they should
  kDropped,  // they end here, for a reason
};

template <typename Env>
concept Environment = requires(Env& env, typename Env::Packet packet, typename Env::Packet* packets,
                               uint32_t count) {
  // A packet's parts. frame() has room for a frame of the path MTU; length() is the frame's bytes.
  { Env::info(packet) } -> std::same_as<PacketInfo&>;
  { Env::frame(packet) } -> std::same_as<uint8_t*>;
  { Env::length(packet) } -> std::convertible_to<size_t>;
  Env::set_length(packet, size_t{});
  { Env::handle(packet) } -> std::same_as<base::PacketHandle>;
  { Env::packet(base::PacketHandle{}) } -> std::same_as<typename Env::Packet>;
  Env::prefetch(packet);
  // What a stage made of a packet that came in: kNone, it goes on or is kept. For whoever follows
  // packets through the stages; nothing on the data path.
  Env::judged(StageId{}, packet, counters::DropReason{});
  // What a stage did with packets, told before they leave it: one branch a burst on the data path.
  Env::passed(StageId{}, packets, count, Passage{}, counters::DropReason{});

  // The pool. allocate(): none left is Packet{}, or false and none taken of a bulk. free() gives
  // up one reference each; free_plain() is for packets that as a rule nobody shares.
  { env.packets.allocate() } -> std::same_as<typename Env::Packet>;
  { env.packets.allocate(packets, count) } -> std::same_as<bool>;
  env.packets.free(packet);
  env.packets.free(packets, count);
  env.packets.free_plain(packets, count);
  env.packets.add_reference(packet);
  { env.packets.shared(packet) } -> std::same_as<bool>;
  // A packet that goes to the port and stays the sender's: for a port that knows the keep flag
  // (fabric/keep_flag.h) by that, which costs nothing; share() by a second reference, which the
  // port drops when it has the frame.
  { env.packets.can_keep() } -> std::same_as<bool>;
  env.packets.keep(packet);
  { env.packets.kept(packet) } -> std::same_as<bool>;
  env.packets.share(packet);

  { env.receiver.receive(packets, count) } -> std::convertible_to<uint32_t>;
  // Frames that wait in the port, those included that it does not give yet.
  { env.receiver.waiting() } -> std::convertible_to<uint64_t>;
  // Takes so many of the first packets, and a reference of each with them.
  { env.transmitter.transmit(packets, count) } -> std::convertible_to<uint32_t>;
  // Makes the port give back what it has sent: some look only when they are asked.
  env.transmitter.reclaim();

  { env.make_queue(LinkId{}, count) } -> std::same_as<base::Result<typename Env::Queue>>;
  { env.make_handle_queue(count) } -> std::same_as<base::Result<typename Env::HandleQueue>>;
};

}  // namespace lambdacast::node
