// SPDX-License-Identifier: BSD-3-Clause
// The packets that total order keeps, content and marks: of each stream in its order, until nobody
// needs them any more. An entry is a number in one pool; beside its stream's list it may stand in
// one other (List), its owner's: of what waits for a mark, or for its delivery.
//
//   content   kUnmarked --> kMarked --> kDelivered     kFollows --> kDelivered     kVoid
//   marks     kMarks --> kApplied
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ordering/order_host.h"
#include "ordering/ordering_config.h"

namespace lambdacast::ordering {

struct Held {  // 56 bytes
  enum class State : uint8_t {
    kUnmarked,
    kMarked,
    kFollows,  // source ordered, behind something that waits
    kVoid,     // of a departed sender, behind its cut: nobody's
    kDelivered,
    kMarks,    // not content
    kApplied,  // marks
  };
  PacketHandle packet;
  uint64_t rel_seq;
  uint64_t mark;            // kMarked and after: the rel_seq of the mark
  uint64_t index;           // kMarked and after: of its first message, in its domain and view
  uint32_t next_in_stream;  // HeldPackets'
  uint32_t next;            // HeldPackets', in a List
  uint32_t domain;
  uint32_t messages;  // indices that it takes
  uint32_t stream;
  uint8_t marker;  // rank of the domain's sequencer
  State state;
  wire::Qos qos;

  // Does it hold back what is source ordered behind it in its domain?
  [[nodiscard]] bool blocks() const {
    return state == State::kUnmarked || state == State::kMarked || state == State::kVoid;
  }
  // Content that the application does not have.
  [[nodiscard]] bool waits() const { return blocks() || state == State::kFollows; }
};

class HeldPackets {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct List {
    uint32_t first = kNone;
    uint32_t last = kNone;
    [[nodiscard]] bool empty() const { return first == kNone; }
  };

  HeldPackets(const TotalOrderConfig& config, OrderHost& host)
      : config_(config),
        host_(host),
        pool_(std::make_unique_for_overwrite<Held[]>((config.max_peers + 1) *
                                                     size_t{config.stream_pkts})),
        streams_(config.max_peers + 1),
        waiting_((config.max_peers + 1) * domains()) {}

  [[nodiscard]] Held& operator[](uint32_t at) { return pool_[at]; }
  [[nodiscard]] const Held& operator[](uint32_t at) const { return pool_[at]; }

  // --- one -------------------------------------------------------------------------------------
  // Adds a packet as the last of its stream, which has room().
  uint32_t add(const Held& held) {
    const uint32_t at = free_.empty() ? used_++ : pop(free_);
    ++held_;
    pool_[at] = held;
    append(at);
    count(held, 1);
    return at;
  }
  // Content that the application has now, or marks that are applied.
  void settle(uint32_t at) {
    Held& held = pool_[at];
    count(held, -1);
    held.state =
        held.state == Held::State::kMarks ? Held::State::kApplied : Held::State::kDelivered;
    settled_ = true;
  }
  // Has any been settled since look()?
  [[nodiscard]] bool settled() const { return settled_; }
  void look() { settled_ = false; }

  // --- a stream --------------------------------------------------------------------------------
  [[nodiscard]] size_t streams() const { return streams_.size(); }
  // The first one held, or kNone; then by next_in_stream.
  [[nodiscard]] uint32_t first(size_t stream) const { return streams_[stream].list.first; }
  // More that may be added.
  [[nodiscard]] uint32_t room(size_t stream) const {
    const uint32_t held = streams_[stream].held;
    return held < config_.stream_pkts ? config_.stream_pkts - held : 0;
  }
  // Any that waits() of the domain?
  [[nodiscard]] bool waits(size_t stream, uint32_t domain) const {
    return waiting_[stream * domains() + domain] != 0;
  }
  // How many are kFollows.
  [[nodiscard]] uint32_t following(size_t stream) const { return streams_[stream].following; }
  // Gives back the first ones as long as gone(held).
  template <typename Gone>
  void drop_while(size_t stream, Gone&& gone) {
    Stream& of = streams_[stream];
    while (!of.list.empty() && gone(std::as_const(pool_[of.list.first]))) {
      const uint32_t at = std::exchange(of.list.first, pool_[of.list.first].next_in_stream);
      if (of.list.empty()) of.list.last = kNone;
      --of.held;
      give_back(at);
    }
    of.stayed = std::min(of.stayed, of.held);
  }
  void drop_all(size_t stream) {
    drop_while(stream, [](const Held&) { return true; });
  }
  // Is a sift() worth its look at all of them? Many have come since the last one, or there is
  // hardly any room.
  [[nodiscard]] bool crowded(size_t stream) const {
    constexpr uint32_t kLeastRoom = 8;
    const Stream& of = streams_[stream];
    return of.held - of.stayed > unsifted_most() || room(stream) < kLeastRoom;
  }
  // So many may come before that.
  [[nodiscard]] uint32_t unsifted_most() const { return config_.stream_pkts / 8; }
  // Gives back all but those that stays(at).
  template <typename Stays>
  void sift(size_t stream, Stays&& stays) {
    uint32_t at = std::exchange(streams_[stream].list, List{}).first;
    streams_[stream].held = 0;
    while (at != kNone) {
      const uint32_t next = pool_[at].next_in_stream;
      stays(at) ? append(at) : give_back(at);
      at = next;
    }
    streams_[stream].stayed = streams_[stream].held;
  }

  // --- a list ----------------------------------------------------------------------------------
  void push(List& list, uint32_t at) {
    pool_[at].next = kNone;
    (list.empty() ? list.first : pool_[list.last].next) = at;
    list.last = at;
  }
  uint32_t pop(List& list) {
    const uint32_t at = list.first;
    list.first = pool_[at].next;
    if (list.empty()) list.last = kNone;
    return at;
  }

  // Packets held, all streams together.
  [[nodiscard]] uint64_t held() const { return held_; }

 private:
  struct Stream {
    List list;  // by next_in_stream
    uint32_t held = 0;
    uint32_t stayed = 0;  // of them, through the last sift
    uint32_t following = 0;
  };
  // Those of groups, and rate control's.
  [[nodiscard]] size_t domains() const { return size_t{config_.domains} + 1; }
  void append(uint32_t at) {
    Stream& of = streams_[pool_[at].stream];
    pool_[at].next_in_stream = kNone;
    (of.list.empty() ? of.list.first : pool_[of.list.last].next_in_stream) = at;
    of.list.last = at;
    ++of.held;
  }
  void give_back(uint32_t at) {
    count(pool_[at], -1);
    host_.release(pool_[at].packet);
    --held_;
    push(free_, at);
  }
  // One more that waits or one less, if it does.
  void count(const Held& held, int one) {
    const auto more = static_cast<uint32_t>(one);
    if (held.waits()) waiting_[held.stream * domains() + held.domain] += more;
    if (held.state == Held::State::kFollows) streams_[held.stream].following += more;
  }

  const TotalOrderConfig config_;
  OrderHost& host_;
  std::unique_ptr<Held[]> pool_;  // touched only as needed
  uint32_t used_ = 0;             // of the pool, ever
  List free_;
  uint64_t held_ = 0;
  std::vector<Stream> streams_;
  std::vector<uint32_t> waiting_;  // [stream][domain]
  bool settled_ = false;
};

}  // namespace lambdacast::ordering
