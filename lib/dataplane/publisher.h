// The way out of an endpoint, on the application's side: from messages to packets in the
// publications link. Two ways in:
//
//   loan(), publish()  one message a packet, written in place: nothing is copied
//   send()             any message up to max_message_bytes(), copied: short ones share packets,
//                      long ones are cut into fragments
//   send_group()       the group layer's own messages (lib/group)
//
// Messages of one QoS go out in the order in which they were published; an unreliable one may
// overtake recoverable ones.
//
// A shared packet goes out when it is full, as soon as rate control has taken all that was
// published before it (the link is idle, so waiting buys nothing), and after `coalesce_us` at the
// latest. The publisher is polled as a stage, behind the application, to see to that.
//
// One thread: the application's.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/ordered_delivery.h"
#include "dpdk/link.h"
#include "dpdk/packet.h"
#include "endpoint/coalescer.h"
#include "endpoint/frame_builder.h"
#include "endpoint/stage.h"

namespace lambdacast::dataplane {

// A packet lent to the application to write its message into, in place.
class Loan {
 public:
  Loan() = default;
  // max_loan_bytes() of room.
  [[nodiscard]] uint8_t* payload() const { return payload_; }
  // What is published: the first `bytes` of payload(), to `group`. False, and nothing changed, if
  // that is more than max_loan_bytes(). A loan not described is an empty message to group 0.
  [[nodiscard]] bool describe(size_t bytes, uint32_t group, wire::Qos qos) {
    if (bytes > room_bytes_) return false;
    endpoint::PacketInfo& info = info_of(packet_);
    info.kind = wire::Kind::kData;
    info.payload_bytes = static_cast<uint16_t>(bytes);
    info.message_bytes = static_cast<uint32_t>(bytes);
    info.fragment_offset = 0;
    info.group = group;
    info.qos = qos;
    return true;
  }

 private:
  friend class Publisher;
  rte_mbuf* packet_ = nullptr;
  uint8_t* payload_ = nullptr;
  size_t room_bytes_ = 0;
};

// A message on its way out, and how far it has come. The bytes stay the application's and must not
// change before done().
class Outgoing {
 public:
  Outgoing() = default;
  Outgoing(std::span<const uint8_t> message, uint32_t group, wire::Qos qos)
      : message_(message), about_{group, qos, 0, 0, 0}, done_(false) {}
  [[nodiscard]] bool done() const { return done_; }

 private:
  friend class Publisher;
  std::span<const uint8_t> message_;
  endpoint::LongMessage about_;  // its group and level; the rest once it is begun
  size_t taken_bytes_ = 0;
  bool done_ = true;
};

enum class SendResult : uint8_t {
  kSent,       // all of it is on its way
  kAgain,      // back-pressure: no room in the link or no packet in the pool; call again
  kTooLong,    // more than max_message_bytes(): never
  kNotInView,  // totally ordered, and this endpoint is in no view (or has no membership)
};

struct PublisherConfig {
  uint32_t max_message_bytes = wire::kMaxMessageBytes;
  std::optional<uint64_t> coalesce_ns;  // nothing: a packet each
};

class Publisher final : public Stage {
 public:
  // `transmit` frames the packets, on another lcore perhaps: only its constants are read here.
  // Unreliable messages and recoverable ones go by links of their own: only the latter wait for
  // their receivers.
  Publisher(const PublisherConfig& config, const endpoint::FrameBuilder& transmit,
            rte_mempool* pool, Link& unreliable, Link& recoverable);
  ~Publisher() override;

  // Before it runs: membership, without which nothing totally ordered is taken.
  void set_view(const OrderedDelivery* view) { view_ = view; }
  // Likewise: how many recoverable packets are stable, as rate control counts them.
  void set_stable(const std::atomic<uint64_t>* stable) { stable_ = stable; }
  // May messages of that level be published at all now?
  [[nodiscard]] bool takes(wire::Qos qos) const {
    return qos < wire::Qos::kTotallyOrdered || (view_ != nullptr && view_->members() != 0);
  }

  // Up to loans.size() packets to write into; fewer (0) when the pool is empty.
  [[nodiscard]] uint32_t loan(std::span<Loan> loans);
  // Hands described loans to rate control, in order. Returns how many it took: fewer is
  // back-pressure (or takes() is false of the next one), and the rest stay the caller's, to publish
  // later or to give back.
  [[nodiscard]] uint32_t publish(std::span<const Loan> loans);
  void give_back(std::span<const Loan> loans);

  // Takes as much of the message as there is room for; kAgain: call again with the same object,
  // until kSent. Other messages may be sent in between, long ones too.
  [[nodiscard]] SendResult send(Outgoing& message, uint64_t now_ns);
  // A message that fits a packet: all or nothing. kTooLong for a longer one.
  [[nodiscard]] SendResult send(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                                uint64_t now_ns);
  // A message of the group layer (wire::Kind::kGroup), behind all that was published with that QoS
  // before: a packet of its own, of max_loan_bytes() at most. kTooLong for a longer one.
  [[nodiscard]] SendResult send_group(std::span<const uint8_t> message, uint32_t group,
                                      wire::Qos qos);

  [[nodiscard]] size_t max_loan_bytes() const { return room_bytes_; }
  [[nodiscard]] size_t max_message_bytes() const { return config_.max_message_bytes; }

  // Completion. A recoverable message is stable when everybody whom it is for is known to have it
  // (endpoint/stability.h): the last one taken so far is as soon as stable() has come to what
  // published() is now. Both count packets; a message in an open one has the number of that. Out
  // of the view nothing more gets stable: whoever waits is told so by the view event.
  [[nodiscard]] uint64_t published() const {
    const bool open = shared_ != nullptr && coalescer_.qos() != wire::Qos::kUnreliable;
    return published_ + (open ? 1 : 0);
  }
  // And when the rest of a message on its way has been taken too.
  [[nodiscard]] uint64_t published_with(const Outgoing& rest) const {
    const size_t bytes = rest.done_ ? 0 : rest.message_.size() - rest.taken_bytes_;
    return published() + (bytes + fragment_bytes_ - 1) / fragment_bytes_;
  }
  [[nodiscard]] uint64_t stable() const {
    return stable_ == nullptr ? 0 : stable_->load(std::memory_order_acquire);
  }

  [[nodiscard]] bool shares_packets() const { return config_.coalesce_ns.has_value(); }
  // Closes a shared packet that is due.
  [[nodiscard]] const char* name() const override { return "publisher"; }
  uint32_t poll(uint64_t now_ns) override;

 private:
  [[nodiscard]] SendResult send_shared(std::span<const uint8_t> message, uint32_t group,
                                       wire::Qos qos, uint64_t now_ns);
  [[nodiscard]] SendResult send_alone(std::span<const uint8_t> message, uint32_t group,
                                      wire::Qos qos, wire::Kind kind);
  [[nodiscard]] bool send_fragments(Outgoing& message);
  void fill_fragment(rte_mbuf* packet, Outgoing& message);
  [[nodiscard]] bool close_shared();
  [[nodiscard]] Link& link_of(wire::Qos qos) {
    return qos == wire::Qos::kUnreliable ? unreliable_ : recoverable_;
  }
  void push(Link& link, rte_mbuf* const* packets, uint32_t count) {
    link.push(packets, count);
    if (&link == &recoverable_) published_ += count;
  }

  const PublisherConfig config_;
  const OrderedDelivery* view_ = nullptr;
  const std::atomic<uint64_t>* stable_ = nullptr;
  uint64_t published_ = 0;  // recoverable packets, in the link
  rte_mempool* pool_;
  Link& unreliable_;
  Link& recoverable_;
  size_t payload_offset_;
  size_t fragment_offset_;
  size_t room_bytes_;
  size_t fragment_bytes_;
  endpoint::Coalescer coalescer_;
  rte_mbuf* shared_ = nullptr;  // the open packet
  uint32_t next_message_id_ = 1;
};

}  // namespace lambdacast::dataplane
