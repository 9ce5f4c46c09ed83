// SPDX-License-Identifier: BSD-3-Clause
// The way out of a node, on the application's side: from messages to packets in the publications
// links. Two ways in:
//
//   loan(), publish()  one message a packet, written in place: nothing is copied
//   send()             any message up to max_message_bytes(), copied: short ones share packets,
//                      long ones are cut into fragments
//   send_group()       the group layer's own messages (lib/group)
//   send_request()     those of the request layer, short ones; long ones are an Outgoing
//
// Messages of one QoS go out in the order in which they were published; an unreliable one may
// overtake recoverable ones.
//
// A shared packet goes out when it is full, as soon as rate control has taken all that was
// published before it (the link is idle, so waiting buys nothing), and after `coalesce_ns` at the
// latest. The publisher is polled as a stage, behind the application, to see to that.
//
// A group may have a limit of its own: what exceeds it is not taken, as if there were no room.
//
// One thread: the application's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "node/coalescer.h"
#include "node/env.h"
#include "node/frame_builder.h"
#include "node/ordered_delivery.h"
#include "node/stage.h"
#include "rate_control/group_limits.h"

namespace lambdacast::node {

template <typename Env>
class Publisher;

// A packet lent to the application to write its message into, in place.
template <typename Env>
class Loan {
 public:
  Loan() = default;
  // max_loan_bytes() of room.
  [[nodiscard]] uint8_t* payload() const { return payload_; }
  // What is published: the first `bytes` of payload(), to `group`. False, and nothing changed, if
  // that is more than max_loan_bytes(). A loan not described is an empty message to group 0.
  [[nodiscard]] bool describe(size_t bytes, uint32_t group, wire::Qos qos) {
    if (bytes > room_bytes_) return false;
    PacketInfo& info = Env::info(packet_);
    info.kind = wire::Kind::kData;
    info.payload_bytes = static_cast<uint16_t>(bytes);
    info.message_bytes = static_cast<uint32_t>(bytes);
    info.fragment_offset = 0;
    info.group = group;
    info.qos = qos;
    return true;
  }

 private:
  friend class Publisher<Env>;
  typename Env::Packet packet_{};
  uint8_t* payload_ = nullptr;
  size_t room_bytes_ = 0;
};

// A message on its way out, and how far it has come. The bytes stay the application's and must not
// change before done().
class Outgoing {
 public:
  Outgoing() = default;
  // `kind`: kData, or kRequest for a message of the request layer.
  Outgoing(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
           wire::Kind kind = wire::Kind::kData)
      : Outgoing({}, message, group, qos, kind) {}
  // A message that lies in two parts.
  Outgoing(std::span<const uint8_t> head, std::span<const uint8_t> rest, uint32_t group,
           wire::Qos qos, wire::Kind kind)
      : head_(head), rest_(rest), kind_(kind), done_(false) {
    about_.group = group;
    about_.qos = qos;
    about_.kind =
        kind == wire::Kind::kRequest ? wire::Kind::kRequestFragment : wire::Kind::kFragment;
  }
  [[nodiscard]] bool done() const { return done_; }

 private:
  template <typename Env>
  friend class Publisher;
  [[nodiscard]] size_t size() const { return head_.size() + rest_.size(); }
  // The bytes [at, at + count) of it.
  void copy(uint8_t* to, size_t at, size_t count) const {
    const size_t of_head = std::min(head_.size() - std::min(head_.size(), at), count);
    if (of_head != 0) std::memcpy(to, head_.data() + at, of_head);
    if (of_head != count)
      std::memcpy(to + of_head, rest_.data() + (at + of_head - head_.size()), count - of_head);
  }

  std::span<const uint8_t> head_;
  std::span<const uint8_t> rest_;
  LongMessage about_;  // its group, level and kind; the rest once it is begun
  size_t taken_bytes_ = 0;
  wire::Kind kind_ = wire::Kind::kData;
  bool done_ = true;
};

enum class SendResult : uint8_t {
  kSent,       // all of it is on its way
  kAgain,      // back-pressure: no room in the link or no packet in the pool; call again
  kTooLong,    // more than max_message_bytes(): never
  kNotInView,  // totally ordered, and this node is in no view (or has no membership)
};

struct PublisherConfig {
  uint32_t max_message_bytes = wire::kMaxMessageBytes;
  std::optional<uint64_t> coalesce_ns;               // nothing: a packet each
  std::vector<rate_control::GroupRate> group_rates;  // of groups that have a limit
};

template <typename Env>
class Publisher final : public Stage {
 public:
  using Packet = typename Env::Packet;
  using Queue = typename Env::Queue;

  // Unreliable messages and recoverable ones go by links of their own: only the latter wait for
  // their receivers.
  struct Links {
    Queue& unreliable;
    Queue& recoverable;
  };
  struct Parts {
    const FrameBuilder& frames;           // of another lcore perhaps: only its constants are read
    const OrderedDelivery<Env>* view;     // null: nothing totally ordered is taken
    const std::atomic<uint64_t>& stable;  // recoverable packets that are, as rate_control counts
  };
  Publisher(const PublisherConfig& config, const Parts& parts, Env& env, const Links& links);
  ~Publisher() override;

  // May messages of that level be published at all now?
  [[nodiscard]] bool takes(wire::Qos qos) const {
    return qos < wire::Qos::kTotallyOrdered || (view_ != nullptr && view_->members() != 0);
  }

  // The epoch of the view in which this endpoint is operational; 0: of none, or a ballot is under
  // way. For the ordering lcore.
  [[nodiscard]] uint64_t operational() const { return view_ == nullptr ? 0 : view_->operational(); }

  // Up to loans.size() packets to write into; fewer (0) when the pool is empty.
  [[nodiscard]] uint32_t loan(std::span<Loan<Env>> loans);
  // Hands described loans to rate control, in order. Returns how many it took: fewer is
  // back-pressure (or takes() is false of the next one), and the rest stay the caller's, to publish
  // later or to give back.
  [[nodiscard]] uint32_t publish(std::span<const Loan<Env>> loans);
  void give_back(std::span<const Loan<Env>> loans);

  // Takes as much of the message as there is room for; kAgain: call again with the same object,
  // until kSent. Other messages may be sent in between, long ones too.
  [[nodiscard]] SendResult send(Outgoing& message, uint64_t now_ns);
  // A message that fits a packet: all or nothing. kTooLong for a longer one.
  [[nodiscard]] SendResult send(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                                uint64_t now_ns);
  // A message of the group layer (wire::Kind::kGroup), behind all that was published with that QoS
  // before: a packet of its own, of max_loan_bytes() at most. kTooLong for a longer one.
  [[nodiscard]] SendResult send_group(std::span<const uint8_t> message, uint32_t group,
                                      wire::Qos qos) {
    return send_one(message, group, qos, wire::Kind::kGroup, 0);
  }

  // A message of the request layer that fits a packet. It shares one as others do.
  [[nodiscard]] SendResult send_request(std::span<const uint8_t> message, uint32_t group,
                                        wire::Qos qos, uint64_t now_ns) {
    return send_one(message, group, qos, wire::Kind::kRequest, now_ns);
  }

  [[nodiscard]] size_t max_loan_bytes() const { return room_bytes_; }
  [[nodiscard]] size_t max_message_bytes() const { return config_.max_message_bytes; }

  // Completion. A recoverable message is stable when everybody whom it is for is known to have it
  // (stability.h): the last one taken so far is as soon as stable() has come to what published() is
  // now. Both count packets; a message in an open one has the number of that. Out of the view
  // nothing more gets stable: whoever waits is told so by the view event.
  [[nodiscard]] uint64_t published() const {
    const bool open = shared_ != Packet{} && coalescer_.qos() != wire::Qos::kUnreliable;
    return published_ + (open ? 1 : 0);
  }
  // What published() will be when the rest of a message on its way has been taken too.
  [[nodiscard]] uint64_t published_with(const Outgoing& rest) const {
    const size_t bytes = rest.done_ ? 0 : rest.size() - rest.taken_bytes_;
    return published() + (bytes + fragment_bytes_ - 1) / fragment_bytes_;
  }
  [[nodiscard]] uint64_t stable() const { return stable_.load(std::memory_order_acquire); }

  // Limits what may be published to a group, on the wire; 0: no limit of its own. False: too many
  // groups have one.
  [[nodiscard]] bool limit_group(const rate_control::GroupRate& rate, uint64_t now_ns) {
    return groups_.set(rate, now_ns);
  }

  [[nodiscard]] bool shares_packets() const { return config_.coalesce_ns.has_value(); }
  // Closes a shared packet that is due.
  [[nodiscard]] const char* name() const override { return "publisher"; }
  uint32_t poll(uint64_t now_ns) override;
  [[nodiscard]] uint64_t next_deadline_ns() const override {
    if (coalescer_.empty()) return kNever;
    return link_of(coalescer_.qos()).empty() ? 0 : coalescer_.deadline_ns();
  }

 private:
  [[nodiscard]] SendResult send_shared(std::span<const uint8_t> message, uint32_t group,
                                       wire::Qos qos, wire::Kind kind, uint64_t now_ns);
  // One that fits a packet: it shares one, unless it is of the group layer or long.
  [[nodiscard]] SendResult send_one(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                                    wire::Kind kind, uint64_t now_ns);
  [[nodiscard]] SendResult send_alone(std::span<const uint8_t> message, uint32_t group,
                                      wire::Qos qos, wire::Kind kind);
  [[nodiscard]] bool send_fragments(Outgoing& message);
  void fill_fragment(Packet packet, Outgoing& message);
  [[nodiscard]] bool close_shared();
  [[nodiscard]] Queue& link_of(wire::Qos qos) const {
    return qos == wire::Qos::kUnreliable ? links_.unreliable : links_.recoverable;
  }
  // By its limit, may one more packet go to that group?
  [[nodiscard]] bool group_allows(uint32_t group) {
    return !groups_.any() || groups_.allows(group, now_ns_);
  }
  void charge_groups(const Packet* packets, uint32_t count);
  void push(Queue& link, const Packet* packets, uint32_t count) {
    if (groups_.any()) [[unlikely]]
      charge_groups(packets, count);
    Env::passed(StageId::kApplication, packets, count, Passage::kOn, counters::DropReason::kNone);
    link.push(packets, count);
    if (&link == &links_.recoverable) published_ += count;
  }

  const PublisherConfig config_;
  const OrderedDelivery<Env>* const view_;
  const std::atomic<uint64_t>& stable_;
  uint64_t published_ = 0;  // recoverable packets, in the link
  Env& env_;
  const Links links_;
  rate_control::GroupLimits groups_;
  uint64_t now_ns_ = 0;  // of the last poll
  const size_t payload_offset_;
  const size_t fragment_offset_;
  const size_t room_bytes_;
  const size_t fragment_bytes_;
  Coalescer coalescer_;
  Packet shared_{};  // the open packet
  uint32_t next_message_id_ = 1;
};

}  // namespace lambdacast::node
