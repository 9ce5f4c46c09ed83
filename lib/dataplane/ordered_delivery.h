// Membership and total order of an endpoint on the data path: endpoint::ViewSynchrony with mbufs.
// The stages reliability, ordering and rate_control share it, on one lcore.
//
//   reliability  --control frames-->           accept_control()
//   ordering     --packets handed on-->        take(); poll() delivers what has its place
//   rate_control <--marks, control, relays--   what goes out
//
// A packet that is delivered and still needed for others who may miss it has two references.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/cacheline.h"
#include "dpdk/handle.h"
#include "dpdk/link.h"
#include "dpdk/packet.h"
#include "endpoint/delivery_filter.h"
#include "endpoint/peer_table.h"
#include "endpoint/resumption.h"
#include "endpoint/stability.h"
#include "endpoint/view_synchrony.h"

namespace lambdacast::dataplane {

class OrderedDelivery final : private endpoint::ViewHost {
 public:
  // `stability`: of what `sender` has sent. `in`: from reliability to ordering. `out`: to the
  // application.
  OrderedDelivery(const endpoint::ViewConfig& config, const endpoint::PeerTable& peers,
                  reliability::StreamReceiver& receiver, reliability::StreamSender& sender,
                  endpoint::Stability& stability, endpoint::DeliveryFilter& delivery,
                  rte_mempool* pool, const Link& in, Link& out);
  ~OrderedDelivery() override;

  // --- stage reliability ------------------------------------------------------------------------
  // A control frame; `taken`: StreamReceiver has.
  void accept_control(const endpoint::PacketInfo& info, const uint8_t* payload,
                      const wire::ControlHeader& header, bool taken, uint64_t now_ns);

  // --- stage ordering ---------------------------------------------------------------------------
  [[nodiscard]] endpoint::ViewSynchrony::Step take(rte_mbuf* packet) {
    taking_ = true;
    const auto step = core_.take(handle_of(packet));
    taking_ = false;
    if (step == endpoint::ViewSynchrony::Step::kKeep) account_for(info_of(packet));
    return step;
  }
  // Something has to reach the application before what is taken from now on: that goes behind it,
  // with hand_on_late(), a burst at most.
  [[nodiscard]] bool waits() const { return events_ != 0 || late_begin_ != late_end_; }
  void hand_on_late(rte_mbuf* packet) { late_[late_end_++] = packet; }
  void poll(uint64_t now_ns, bool listening);
  // Positions of the peer's stream are lost (endpoint/view_synchrony.h).
  void lost(size_t peer, reliability::LossReason reason) { core_.lost(peer, reason); }
  // Packets that were taken out of `in` wait to be taken here.
  void stall(bool stalled) { stalled_ = stalled; }
  // Room of `out` is for what waits here first.
  [[nodiscard]] bool holds_back() const { return core_.order().refused() || waits(); }

  // --- stage rate_control -----------------------------------------------------------------------
  // How many packets of ordered content may go out now.
  [[nodiscard]] uint32_t allowance() const;
  // What goes ahead of any other ordered content: fragments sent before, once more.
  [[nodiscard]] bool resumes() const { return resumption_.pending(); }
  // Describes the next one in a packet to be framed, and writes it at `payload`. Again the same
  // until resumed().
  void write_resumed(rte_mbuf* packet, uint8_t* payload);
  void resumed() { resumption_.sent(); }
  [[nodiscard]] bool marks_due() const { return core_.marks_due(); }
  // Writes marks into a packet to be framed, at `payload`.
  void write_marks(rte_mbuf* packet, uint8_t* payload, size_t room);
  // A packet of ordered content or marks, with its `payload`, goes out as rel_seq; `copy`: an mbuf
  // for it.
  void sent(const endpoint::PacketInfo& info, const uint8_t* payload, rte_mbuf* copy,
            uint64_t rel_seq, uint64_t now_ns);
  [[nodiscard]] size_t next_control(uint8_t* payload, size_t room, uint64_t now_ns) {
    return core_.next_control(payload, room, now_ns);
  }
  [[nodiscard]] uint64_t next_speech_ns() const { return core_.next_speech_ns(); }
  // A frame of a departed member to be sent as it is, or null.
  [[nodiscard]] rte_mbuf* next_relay();

  // --- any thread -------------------------------------------------------------------------------
  // Members of the view that this endpoint is in, and its epoch; 0: none.
  [[nodiscard]] uint32_t members() const { return members_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t epoch() const { return epoch_.load(std::memory_order_relaxed); }

  // --- on the lcore -----------------------------------------------------------------------------
  [[nodiscard]] const endpoint::ViewSynchrony& core() const { return core_; }
  // It leaves its view, if it is in one. gone(): it is in none, and the others have been told.
  void leave() {
    if (core_.may_publish()) core_.leave();
  }
  [[nodiscard]] bool gone() const {
    return core_.is_out() ? core_.next_speech_ns() == ~uint64_t{0} : !core_.may_publish();
  }
  // What DeliveryFilter's counters do not tell of packets that take() kept, or add to them.
  struct Account {
    uint64_t own = 0;      // packets of this endpoint that came to DeliveryFilter
    uint64_t marks = 0;    // packets of marks kept: nobody delivers them
    uint64_t waiting = 0;  // content of others kept, neither delivered nor void
    uint64_t voided = 0;   // content of others given back undelivered: it has no place in a view
    uint64_t relayed = 0;  // frames of departed members that rate_control has taken
  };
  [[nodiscard]] const Account& account() const { return account_; }

 private:
  static constexpr size_t kRelays = 256;  // that wait for rate_control; more are asked for again
  // Of views that wait: the beginning of one, and behind it that this endpoint is out.
  static constexpr size_t kEvents = 2;
  static constexpr uint64_t kUndelivered = ~uint64_t{0};  // as index of what is kept

  bool deliver_ordered(base::PacketHandle packet, const ordering::Ordered& what) override;
  void release(base::PacketHandle packet) override;
  endpoint::PacketInfo& info(base::PacketHandle packet) override;
  std::span<const uint8_t> payload(base::PacketHandle packet) override;
  void relay(base::PacketHandle packet) override;
  bool drained() override { return in_.empty() && !stalled_; }
  void view_event(const endpoint::ViewEvent& event) override;
  bool told() override { return events_ == 0; }
  void account_for(endpoint::PacketInfo& kept) {
    kept.index = kUndelivered;
    ++(kept.group == wire::kMarksGroup ? account_.marks : account_.waiting);
  }
  void declare_lost(const endpoint::PacketInfo& info, bool room);
  // Events, then what came late, as `out` has room.
  void tell_waiting();
  void tell_events();

  endpoint::Stability& stability_;
  endpoint::DeliveryFilter& delivery_;
  endpoint::Resumption resumption_;
  const endpoint::PeerTable& peers_;
  rte_mempool* pool_;
  const Link& in_;
  Link& out_;
  uint64_t now_ns_ = 0;
  std::array<rte_mbuf*, kRelays> relays_{};
  size_t relays_begin_ = 0;
  size_t relays_end_ = 0;
  struct Waiting {
    endpoint::ViewEvent event;
    std::array<wire::StreamName, wire::kMaxMembers> member;
  };
  std::array<Waiting, kEvents> event_{};  // to be told before anything else
  size_t events_ = 0;
  // Delivered at the last call, when the application had no room: at most what the core held, and
  // the rest of a burst.
  std::unique_ptr<rte_mbuf*[]> late_;  // touched only as needed
  size_t late_begin_ = 0;
  size_t late_end_ = 0;
  bool stalled_ = false;
  bool lacks_ = false;   // an ordered message that the others have: this is no member of the view
  bool taking_ = false;  // the room of `out` is for the burst that is being taken
  Account account_;
  endpoint::ViewSynchrony core_;  // last: it calls the rest
  // Written by the lcore when a view begins, read by anybody.
  alignas(base::kCacheLinePairBytes) std::atomic<uint32_t> members_{0};
  std::atomic<uint64_t> epoch_{0};
};

}  // namespace lambdacast::dataplane
