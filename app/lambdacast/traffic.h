// SPDX-License-Identifier: BSD-3-Clause
// The built-in application of an endpoint ([traffic] in the configuration): takes what is
// delivered, and publishes messages of one size at one rate. And the console's hand in it: single
// messages go out and come in through mailboxes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter.h"
#include "base/mailbox.h"
#include "calls.h"
#include "config/config.h"
#include "node/stage.h"
#include "rack/endpoint.h"
#include "rate_control/pacer.h"

namespace lambdacast::appliance {

// A message of the console: sent from it, or heard for it.
struct Note {
  static constexpr size_t kTextBytes = 1024;

  uint32_t group = 0;
  wire::Qos qos = wire::Qos::kUnreliable;
  wire::StreamName from;                                  // heard
  std::array<char, wire::kMaxGroupNameBytes + 1> name{};  // heard: of the group, if it has one
  uint32_t bytes = 0;  // of the message; text has the first kTextBytes at most
  uint8_t text[kTextBytes];

  [[nodiscard]] std::span<const uint8_t> shown() const {
    return {text, std::min<size_t>(bytes, kTextBytes)};
  }
};

// A view event of an endpoint (node::ViewEvent); with kView the members by rank.
struct ViewNews {
  node::ViewEvent::What what = node::ViewEvent::What::kView;
  wire::ViewId id;
  size_t members = 0;
  std::array<wire::StreamName, wire::kMaxMembers> member;
};

// What becomes of a group that this endpoint has joined by its name.
struct GroupNews {
  std::array<char, wire::kMaxGroupNameBytes + 1> name{};
  std::optional<group::End> end;  // it is out
  bool state_lost = false;
  std::optional<group::HandlerEvent> lock;  // without the name
  size_t members = 0;
  std::array<wire::StreamName, wire::kMaxMembers> member;
};

class Traffic final : public node::Stage {
 public:
  Traffic(const config::Traffic& config, rack::Endpoint& endpoint);
  ~Traffic() override;

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override;

  // From any thread: begin no more messages; deliveries are still taken.
  void quiesce() { set_publishing(false); }
  void set_publishing(bool on) { publishing_.store(on, std::memory_order_relaxed); }

  // One control thread: a message of kTextBytes at most. False: too many are waiting already.
  [[nodiscard]] bool send_note(uint32_t group, wire::Qos qos, std::string_view text);
  // The same thread: what has been heard since.
  [[nodiscard]] const Note* heard() { return heard_.front(); }
  void pop_heard() { heard_.pop(); }
  [[nodiscard]] uint64_t unheard() const { return unheard_.get(); }  // of heard_, had it had room

  // The same thread: of the groups joined by name.
  [[nodiscard]] const GroupNews* group_news() { return group_news_.front(); }
  void pop_group_news() { group_news_.pop(); }

  // The same thread: views that have begun, and ended for this endpoint.
  [[nodiscard]] const ViewNews* view_news() { return views_.front(); }
  void pop_view_news() { views_.pop(); }

  // Calls of the console's, and of others to the groups joined by name.
  [[nodiscard]] Calls& calls() { return calls_; }

  // Any thread. Messages of source order and above carry their numbers, if they have room: those of
  // each sender must come in their order, and in total order the indices of each domain in theirs.
  struct Ordered {
    base::Counter messages;
    base::Counter out_of_order;
  };
  [[nodiscard]] const Ordered& source_ordered() const { return source_ordered_; }
  [[nodiscard]] const Ordered& totally_ordered() const { return totally_ordered_; }

  // On the application's lcore (LcoreLoop::run_here), or while that does not run.
  void set_rate_pps(uint64_t rate_pps, uint64_t now_ns);
  [[nodiscard]] bool listen(uint32_t group);  // false: to kMaxListened groups already
  void listen_off() { listened_count_ = 0; }
  // By name, with membership: what becomes of it group_news() tells.
  [[nodiscard]] group::Result join(std::string_view name);
  [[nodiscard]] group::Result leave(std::string_view name);
  // A lock of a group: group_news() tells as well. What it holds it gives back, what it waits for
  // it gives up.
  [[nodiscard]] group::Result acquire(std::string_view name, uint32_t handler);
  [[nodiscard]] group::Result release(std::string_view name, uint32_t handler);

 private:
  friend class NamedGroup;
  struct Sink;
  static constexpr size_t kMaxListened = 8;
  static constexpr uint32_t kSendBatch = 256;  // messages a poll that share packets

  uint32_t take(uint64_t now_ns);
  [[nodiscard]] wire::StreamName source_of(const node::PacketInfo& info) const;
  [[nodiscard]] bool listens_to(uint32_t group) const;
  void audit(const node::PacketInfo& info, std::span<const uint8_t> message);
  void note_view(const node::ViewEvent& event);
  void hear(uint32_t group, const wire::StreamName& from, std::string_view name,
            std::span<const uint8_t> message);
  uint32_t send_notes(uint64_t now_ns);
  uint32_t publish(uint64_t now_ns);
  uint32_t send(uint64_t allowed, uint64_t now_ns);
  void refill();

  const config::Traffic config_;
  rack::Endpoint& endpoint_;
  rate_control::Pacer pacer_;
  uint32_t burst_;
  uint64_t next_message_ = 0;  // written into each message, as far as it has room
  std::array<dpdk::Loan, node::kMaxBurst> loans_{};  // lent, not yet published
  uint32_t loans_count_ = 0;
  std::vector<uint8_t> message_;  // in place of loans: for messages that share or fill packets
  node::Outgoing outgoing_;       // of message_
  std::atomic<bool> publishing_;
  std::array<uint32_t, kMaxListened> listened_{};  // groups
  size_t listened_count_ = 0;
  node::Outgoing note_;  // of notes_.front()
  base::Mailbox<Note, 16> notes_;
  base::Mailbox<Note, 256> heard_;
  base::Counter unheard_;

  struct Heard {
    uint32_t incarnation = 0;
    uint64_t number = 0;
  };
  const wire::Qos qos_;
  std::vector<Heard> last_;  // by peer, behind them this endpoint: of source order and above
  struct Place {
    uint64_t epoch = 0;
    uint64_t index = 0;
  };
  std::vector<Place> place_;  // by order domain
  Ordered source_ordered_;
  Ordered totally_ordered_;
  base::Mailbox<ViewNews, 16> views_;
  std::map<std::string, std::unique_ptr<group::Handlers>, std::less<>> named_;
  base::Mailbox<GroupNews, 64> group_news_;
  Calls calls_;
};

}  // namespace lambdacast::appliance
