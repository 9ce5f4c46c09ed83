// SPDX-License-Identifier: BSD-3-Clause
// Total order, for all order domains of a node at once, by a fixed sequencer for each domain
// (FastCast 2013, 3.3) or by the site of a token that goes around (RMP 1996).
//
// Content goes from its sender to everybody, in its stream. Who orders a domain, one member of the
// view at a time, says in marks of its own stream what comes next: "of sender s everything up to
// position p whose domain is mine". A mark covers any number of messages; a burst costs one.
// A member that holds the content up to p applies it: each message gets the next index of its
// domain in this view. What has been applied is acknowledged, per marker, cumulatively; a
// message is delivered, in index order, when as many members as its level asks for have
// acknowledged its mark.
//
//   accept --> unmarked --mark applied--> marked --level reached--> delivered --all hold it--> gone
//
// Content and marks of others are kept until all members hold them: a member that outlives their
// sender relays them (find()). At the end of a view (install()) everything up to its cuts is
// delivered, whatever its level: what was marked, then what nobody had marked, by sender and
// position. A newcomer does not hold what was sent before, so nothing of it may be left for the
// next view to mark; what is behind the cuts is.
//
// FastCast 2013, Figure 2, numbers and acknowledges each message. Here a mark and an
// acknowledgement cover a burst, and content is repaired by position instead of by its sender's
// timer.
//
// Its state is that of its parts: the view (OrderView), what is held (HeldPackets), who marks it
// (Engines), the domains' orders (DomainQueues), who has acknowledged what of them
// (Acknowledgements), the end of a view (ViewEnd). It joins them, and decides what is held no
// longer.
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ordering/acknowledgements.h"
#include "ordering/domain_queues.h"
#include "ordering/engine.h"
#include "ordering/engines.h"
#include "ordering/held_packets.h"
#include "ordering/order_host.h"
#include "ordering/order_view.h"
#include "ordering/ordering_config.h"
#include "ordering/view_end.h"
#include "wire/control/transport.h"

namespace lambdacast::ordering {

struct TotalOrderCounters {
  uint64_t marks_sent = 0;  // packets
  uint64_t marks_applied = 0;
  uint64_t delivered = 0;  // packets
  uint64_t recovered = 0;  // delivered at the end of a view
  uint64_t discarded = 0;  // of departed senders, beyond the cut
};

class TotalOrder {
 public:
  TotalOrder(const TotalOrderConfig& config, OrderHost& host);

  // The time from now on.
  void tell_time(uint64_t now_ns) { now_ns_ = now_ns; }

  // --- the view --------------------------------------------------------------------------------
  using Cut = ordering::Cut;
  // Applies nothing from now on, but still hands on what the view before ended with.
  void freeze() { view_.freeze(); }
  // The view ends at the cuts of its members (by rank), all of whose content up to there has been
  // accepted; the next one has these streams, by rank, of which the first `stayed` were in this one
  // (0: it is a first view). The one before has settled(). view_begins() follows, at once or when
  // the application has taken what comes before.
  void install(uint64_t epoch, std::span<const Cut> cuts, std::span<const size_t> streams,
               size_t own_rank, size_t stayed = 0) {
    if (end_.install(epoch, cuts, streams, own_rank, stayed)) advance();
  }
  // Out of every view: what is source ordered waits for nothing any more, and all is given back.
  void abandon();
  // Gives back all that is held.
  void clear();
  // The same for one stream, unless it is of the view: of an incarnation that is over.
  void forget(size_t stream) {
    if (!view_.has(stream)) held_.drop_all(stream);
  }

  // --- content ---------------------------------------------------------------------------------
  // May a source ordered packet of the stream go to the application at once? Not while anything of
  // its group waits (of its domain, which groups share): then it is accept()ed too.
  [[nodiscard]] bool passes(size_t stream, uint32_t group) const {
    return !held_.waits(stream, domain_of(group));
  }
  // A packet of totally ordered content or above, in the order of its stream. The core has it until
  // release(). advance() has to follow.
  void accept(size_t stream, uint64_t rel_seq, uint32_t group, wire::Qos qos, uint32_t messages,
              PacketHandle packet);
  // A packet of marks, or a pass, on the same terms.
  void accept_marks(size_t stream, uint64_t rel_seq, uint32_t group, PacketHandle packet);
  // Applies and delivers what it can, after packets have been accepted.
  void advance();
  // Packets that may still be accepted of the stream.
  [[nodiscard]] uint32_t room(size_t stream) const { return held_.room(stream); }
  // Calls visit(rel_seq, PacketHandle) for what is held of the stream in [first, last], in order.
  template <typename Visitor>
  void find(size_t stream, uint64_t first, uint64_t last, Visitor&& visit) const {
    for (uint32_t at = held_.first(stream); at != kNone; at = held_[at].next_in_stream) {
      const Held& held = held_[at];
      if (held.rel_seq > last) return;
      if (held.rel_seq >= first) visit(held.rel_seq, held.packet);
    }
  }

  // --- marks of this node ----------------------------------------------------------------------
  // When it has to mark something; ~0: there is nothing.
  [[nodiscard]] uint64_t marks_due_ns() const {
    return view_.runs() ? engines_.due_ns(room(config_.max_peers)) : ~uint64_t{0};
  }
  // Is any of it of rates?
  [[nodiscard]] bool marks_are_urgent() const {
    return engines_.sheet().rates_unmarked(view_.own_rank());
  }
  // Writes it at `payload`. The packet has to be sent now, and accept()ed; else it is due again.
  using Written = Engines::Written;
  [[nodiscard]] Written write_marks(uint8_t* payload, size_t most, uint64_t now_ns) {
    return engines_.write(payload, most, now_ns, room(config_.max_peers));
  }

  // --- acknowledgements ------------------------------------------------------------------------
  // Ranks are those of the view installed last. While the one before is still finishing (the
  // application has not taken all of it) nothing is applied or stable in it yet, and what its other
  // members acknowledge is kept for it.

  // The last position of the sequencer's marks that is applied here.
  [[nodiscard]] uint64_t applied(size_t marker) const {
    return view_.ends() ? 0 : engines_.sheet().applied(marker);
  }
  // Has it changed since this was asked last?
  [[nodiscard]] Progress take_progress() { return engines_.sequencers().take_progress(); }
  void acknowledged(size_t member, size_t marker, uint64_t rel_seq) {
    if (!acks_.acknowledge(member, marker, rel_seq) || !view_.runs()) return;
    queues_.drain(marker);
    release_stable();
  }
  // Takes the acknowledgements of one member, by sequencer. With any it says that it has begun the
  // view.
  void acknowledged(size_t member, std::span<const uint64_t> through) {
    if (member >= acks_.members()) return;
    if (acks_.begun(member) && view_.runs()) {
      queues_.drain(kRing);
      release_stable();
    }
    const auto kept = acks_.of(member);
    for (size_t marker = 0; marker < std::min(through.size(), kept.size()); ++marker) {
      if (through[marker] > kept[marker]) acknowledged(member, marker, through[marker]);
    }
  }
  // Positions of the sequencer that it is furthest behind with, between the mark applied here and
  // the one that the member has acknowledged.
  [[nodiscard]] uint64_t ack_lag(size_t member) const;

  // The position through which every member has what the sequencer has marked.
  [[nodiscard]] uint64_t stable_marks(size_t sequencer) const {
    return view_.ends() ? 0 : acks_.stable(sequencer);
  }

  // Hands on what the application refused before.
  void poll();
  [[nodiscard]] bool refused() const { return queues_.refused(); }
  // Does poll() offer that again? Not while a ballot has frozen the order: who waits for it then
  // would never hear how the ballot ends.
  [[nodiscard]] bool offers_again() const { return queues_.refused() && !view_.stands(); }
  // Does the application have everything of the views before? Only then may another one end.
  [[nodiscard]] bool settled() const { return !view_.ends(); }

  [[nodiscard]] uint32_t domain_of(uint32_t group) const {
    return ordering::domain_of(group, config_.domains);
  }
  [[nodiscard]] size_t marker_of(uint32_t domain) const { return view_.marker_of(domain); }
  // The token ring, if there is one.
  struct Ring {
    bool is = false;
    uint64_t pass = 0;  // the last one applied
    size_t site = 0;    // the rank of who makes the next one
    bool rests = false;
    size_t max_n = 0;  // of how many a majority is reckoned
    RingCounters counters;
  };
  [[nodiscard]] Ring ring() const;
  // The rank of a member by its stream.
  [[nodiscard]] uint8_t rank_of(size_t stream) const { return view_.rank_of(stream); }
  // The sequencer of rate control's messages, in a view.
  [[nodiscard]] size_t rate_marker() const { return view_.marker_of(config_.domains); }
  [[nodiscard]] size_t members() const { return view_.members(); }
  [[nodiscard]] uint64_t epoch() const { return view_.epoch(); }
  [[nodiscard]] uint64_t held() const { return held_.held(); }
  [[nodiscard]] TotalOrderCounters counters() const {
    return {engines_.sequencers().packets_written(), engines_.sequencers().packets_applied(),
            queues_.delivered(), queues_.recovered(), end_.discarded()};
  }

 private:
  static constexpr uint32_t kNone = HeldPackets::kNone;
  using State = Held::State;

  void keep(const Held& held);
  void release_stable();
  [[nodiscard]] bool stable(const Held& held) const;

  const TotalOrderConfig config_;
  OrderView view_;
  Acknowledgements acks_;
  HeldPackets held_;
  DomainQueues queues_;
  Engines engines_;
  ViewEnd end_;
  uint64_t now_ns_ = 0;
};

}  // namespace lambdacast::ordering
