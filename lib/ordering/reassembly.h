// SPDX-License-Identifier: BSD-3-Clause
// Fragments of messages, in any order and of many messages at a time, back into whole messages in
// contiguous memory. Bounded: so many bytes, so many messages; nothing is allocated after the
// start.
//
// - A message is known by (peer, incarnation, message_id). Every fragment says how long the message
//   and each fragment is, so any may come first. Of a stream that keeps its order the first one
//   does: another one's message began before this endpoint took part, or was given up.
// - What is recoverable comes whole, however long its sender is held up: it is not given up for a
//   few ms of silence, nor for another message. One that a packet is lost of is as mortal as an
//   unreliable one from then on (doom()).
// - A fragment whose message finds no memory is refused, unless a mortal message of the same peer
//   has been waiting: a sender's older messages are the likeliest to have lost a fragment, so the
//   one that has been silent longest makes room. For a recoverable message any peer's mortal ones
//   do. Otherwise no peer can push another's messages out.
// - A mortal message that hears nothing for `timeout_ns` is given up, a recoverable one after
//   `recoverable_timeout_ns`: its sender is gone. A totally ordered one ends with its sender's
//   membership, not by time. Their fragments are counted, so that
//   received = completed + given up + refused + held holds in packets at any time.
//
// Packets that arrive here have passed sequence accounting: duplicates of a frame are gone. A
// fragment that was sent under two sequence numbers is still written once only.
// Not thread-safe: the lcore that runs the ordering stage owns it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counters/drop_reason.h"
#include "ordering/buddy_arena.h"
#include "ordering/ordering_config.h"
#include "wire/control/transport.h"

namespace lambdacast::ordering {

struct Fragment {
  uint64_t rel_seq = 0;  // its position; of a message they follow one another
  uint32_t incarnation = 0;
  uint32_t group = 0;
  uint32_t message_id = 0;
  uint32_t message_bytes = 0;
  uint32_t fragment_offset = 0;  // a multiple of fragment_bytes
  uint16_t fragment_bytes = 0;   // not 0, less than message_bytes
  uint16_t peer = 0;
  wire::Qos qos = wire::Qos::kUnreliable;
  wire::Kind kind = wire::Kind::kFragment;
};

struct ReassemblyCounters {
  uint64_t completed_messages = 0;
  uint64_t given_up_messages = 0;  // by timeout, or to make room
  uint64_t given_up_fragments = 0;
  uint64_t held_fragments = 0;  // now
};

class Reassembly {
 public:
  static constexpr uint16_t kNoMessage = 0xffff;

  // `memory`: as BuddyArena wants it.
  Reassembly(const ReassemblyConfig& config, std::span<uint8_t> memory);

  struct Outcome {
    counters::DropReason reason = counters::DropReason::kNone;  // else the fragment is refused
    uint16_t message = kNoMessage;  // the fragment completed it: release() when done with it
    uint32_t fragments = 0;         // of the completed message, this one included
  };

  // `bytes`: the fragment's, as wire::load_transport has checked them: fragment_bytes, or what the
  // message has left.
  [[nodiscard]] Outcome accept(const Fragment& fragment, const uint8_t* bytes, uint64_t now_ns);

  // The bytes of a completed message; they are valid until release().
  [[nodiscard]] std::span<const uint8_t> content(uint16_t message) const {
    return {messages_[message].memory, messages_[message].about.message_bytes};
  }
  void release(uint16_t message);

  // The first incomplete totally ordered message of the peer, from number `from` on; kNoMessage:
  // there is none.
  [[nodiscard]] uint16_t next_ordered(uint16_t peer, uint16_t from) const;
  // An incomplete message: the description that its first fragment gave, the number of its
  // fragments that have come, and its memory, in which they lie where they belong.
  struct Part {
    const Fragment& about;
    uint32_t received = 0;
    const uint8_t* bytes = nullptr;
  };
  [[nodiscard]] Part part(uint16_t message) const {
    const Message& of = messages_[message];
    return {of.about, of.received, of.memory};
  }
  [[nodiscard]] uint16_t completed_outstanding() const { return outstanding_; }  // not released yet

  // Gives up what has timed out. Cheap if nothing has.
  void expire(uint64_t now_ns) {
    expire(kMortal, now_ns, config_.timeout_ns);
    expire(kRecoverable, now_ns, config_.recoverable_timeout_ns);
  }
  // When expire() has something to give up, if no fragment comes before; ~0: never.
  [[nodiscard]] uint64_t next_expiry_ns() const {
    return std::min(expiry_ns(kMortal, config_.timeout_ns),
                    expiry_ns(kRecoverable, config_.recoverable_timeout_ns));
  }
  // `count` positions of the peer's stream are lost from `first` on: messages that had a part there
  // will not be whole. All others may be, however late, and nobody has been told that they are
  // lost; of totally ordered ones the view says what becomes of them.
  void doom(uint16_t peer, uint64_t first, uint64_t count, uint64_t now_ns);
  // Makes mortal the totally ordered messages for which gone(const Fragment&) is true: the view
  // goes on without their senders.
  template <typename Gone>
  void doom_ordered(uint64_t now_ns, Gone&& gone) {
    doom_list(kOrdered, now_ns, gone);
  }

  [[nodiscard]] const ReassemblyCounters& counters() const { return counters_; }
  [[nodiscard]] size_t free_bytes() const { return arena_.free_bytes(); }
  [[nodiscard]] size_t total_bytes() const { return arena_.total_bytes(); }

 private:
  // How an incomplete message may end.
  enum Ending : uint8_t { kMortal, kRecoverable, kOrdered, kEndings };
  struct Message {
    Fragment about;  // of the first one heard
    uint32_t fragments = 0;
    uint32_t received = 0;
    uint64_t heard_ns = 0;
    uint8_t* memory = nullptr;    // null: free
    uint8_t* seen = nullptr;      // a bit a fragment, while incomplete
    uint16_t older = kNoMessage;  // among the incomplete of its ending, by heard_ns
    uint16_t newer = kNoMessage;
    Ending ending = kMortal;
  };
  struct List {
    uint16_t oldest = kNoMessage;
    uint16_t newest = kNoMessage;
  };

  [[nodiscard]] static Ending ending_of(wire::Qos qos) {
    if (qos == wire::Qos::kUnreliable) return kMortal;
    return qos < wire::Qos::kTotallyOrdered ? kRecoverable : kOrdered;
  }
  [[nodiscard]] uint64_t expiry_ns(Ending ending, uint64_t timeout_ns) const {
    const uint16_t oldest = lists_[ending].oldest;
    return oldest == kNoMessage ? ~uint64_t{0} : messages_[oldest].heard_ns + timeout_ns + 1;
  }
  void expire(Ending ending, uint64_t now_ns, uint64_t timeout_ns) {
    const List& list = lists_[ending];
    while (list.oldest != kNoMessage && now_ns > messages_[list.oldest].heard_ns + timeout_ns)
      give_up(list.oldest);
  }
  template <typename Doomed>
  void doom_list(Ending ending, uint64_t now_ns, const Doomed& doomed) {
    for (uint16_t i = lists_[ending].oldest; i != kNoMessage;) {
      const uint16_t next = messages_[i].newer;
      if (doomed(messages_[i].about)) move_to(kMortal, i, now_ns);
      i = next;
    }
  }

  [[nodiscard]] size_t home(const Fragment& fragment) const;
  [[nodiscard]] uint16_t find(const Fragment& fragment);
  [[nodiscard]] uint16_t open(const Fragment& fragment);
  [[nodiscard]] bool make_room(const Fragment& fragment);
  [[nodiscard]] Outcome complete(uint16_t message);
  void give_up(uint16_t message);
  void free(uint16_t message);
  void index(uint16_t message);
  void unindex(uint16_t message);
  void move_to(Ending ending, uint16_t message, uint64_t now_ns);
  void unlink(uint16_t message);

  ReassemblyConfig config_;
  BuddyArena arena_;
  std::vector<Message> messages_;
  std::vector<uint16_t> free_;
  std::vector<uint16_t> slots_;  // open addressing over incomplete messages, at most half full
  size_t mask_ = 0;
  uint16_t last_ = kNoMessage;  // heard last, if still incomplete
  std::array<List, kEndings> lists_;
  uint16_t outstanding_ = 0;
  ReassemblyCounters counters_;
};

}  // namespace lambdacast::ordering
