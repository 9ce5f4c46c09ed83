// SPDX-License-Identifier: BSD-3-Clause
#include "mutants.h"

#include <algorithm>

namespace lambdacast::sim {

namespace {

using Kind = FrameView::Kind;
using node::GapEvent;
using node::NodeConfig;
using node::PacketInfo;
using reliability::ReceiverEvent;
using reliability::StreamReport;

class List {
 public:
  template <typename Set>
  void add(const char* name, Set&& set) {
    Hooks hooks;
    set(hooks);
    mutants_.push_back({name, middle(std::move(hooks))});
  }
  void configured(const char* name, std::function<void(NodeConfig&)> configure) {
    add(name, [&](Hooks& hooks) { hooks.configure = std::move(configure); });
  }
  void sending(const char* name, std::function<bool(Middle&, Bytes&)> out) {
    add(name, [&](Hooks& hooks) { hooks.out = std::move(out); });
  }
  void receiving(const char* name, std::function<bool(Middle&, Bytes&)> in) {
    add(name, [&](Hooks& hooks) { hooks.in = std::move(in); });
  }
  void delivering(const char* name, std::function<bool(Middle&, PacketInfo&, Bytes&)> deliver) {
    add(name, [&](Hooks& hooks) { hooks.deliver = std::move(deliver); });
  }
  void accounting(const char* name, std::function<void(StreamReport&)> account) {
    add(name, [&](Hooks& hooks) { hooks.account = std::move(account); });
  }
  [[nodiscard]] std::vector<Mutant> take() { return std::move(mutants_); }

 private:
  std::vector<Mutant> mutants_;
};

bool recoverable(const PacketInfo& info) { return info.qos != wire::Qos::kUnreliable; }

// The sending half.
void add_senders(List& list) {
  list.configured("retains_nothing", [](NodeConfig& c) { c.reliability.retain_ns = 1; });
  list.receiving("releases_before_all_have_it", [](Middle& me, Bytes& frame) {
    const uint64_t last = me.node().sender().window().last();
    alter_status(frame, [&](uint8_t* entry) {
      const uint64_t contiguous = base::load_be64(entry + kContiguousAt);
      if (contiguous < last && last - contiguous < 1000)
        base::store_be64(entry + kContiguousAt, last);
    });
    return true;
  });
  list.receiving("ignores_nacks",
                 [](Middle&, Bytes& frame) { return kind_of(frame) != Kind::kNack; });
  list.receiving("ignores_window_limits", [](Middle&, Bytes& frame) {
    alter_status(frame, [](uint8_t* entry) { base::store_be32(entry + kRoomAt, 1'000'000); });
    return true;
  });
  list.sending("never_sends_heartbeats",
               [](Middle&, Bytes& frame) { return kind_of(frame) != Kind::kHeartbeat; });
  list.sending("announces_no_tail", [](Middle&, Bytes& frame) {
    return kind_of(frame) != Kind::kHeartbeat || base::load_be16(payload_of(frame) + 12) != 0;
  });
  list.sending("announces_a_tail_one_short", [](Middle&, Bytes& frame) {
    if (kind_of(frame) != Kind::kHeartbeat) return true;
    uint8_t* last = payload_of(frame) + 32;
    base::store_be64(last, base::load_be64(last) - 1);
    reseal(frame);
    return true;
  });
  list.sending("never_tells_of_evictions", [](Middle&, Bytes& frame) {
    if (kind_of(frame) != Kind::kHeartbeat) return true;
    const uint8_t* payload = payload_of(frame);
    for (size_t i = 0; i < base::load_be16(payload + 12); ++i) {
      if (payload[wire::kHeartbeatBytes + i * wire::kVerdictBytes + 32] != 1) return false;
    }
    return true;
  });
  list.sending("welcomes_one_too_late", [](Middle&, Bytes& frame) {
    if (kind_of(frame) != Kind::kHeartbeat) return true;
    uint8_t* payload = payload_of(frame);
    for (size_t i = 0; i < base::load_be16(payload + 12); ++i) {
      uint8_t* open_at = payload + wire::kHeartbeatBytes + i * wire::kVerdictBytes + 24;
      base::store_be64(open_at, base::load_be64(open_at) + 1);
    }
    reseal(frame);
    return true;
  });
}

void add_senders_decisions(List& list) {
  list.sending("numbers_and_does_not_send", [](Middle& me, Bytes& frame) {
    return kind_of(frame) != Kind::kData || ++me.count % 20 != 0;
  });
  list.sending("does_not_mark_repairs", [](Middle&, Bytes& frame) {
    if (kind_of(frame) == Kind::kData) {
      payload_of(frame)[3] = 0;
      reseal(frame);
    }
    return true;
  });
  list.configured("evicts_at_once", [](NodeConfig& c) {
    c.reliability.slow_receiver = reliability::SlowReceiver::kEvict;
    c.reliability.evict_lag_ns = 1;
  });
  list.configured("never_evicts_for_a_lag",
                  [](NodeConfig& c) { c.reliability.evict_lag_ns *= 1000; });
  list.configured("never_evicts_for_silence",
                  [](NodeConfig& c) { c.reliability.suspect_after_ns *= 1000; });
  list.configured("repairs_beyond_their_share",
                  [](NodeConfig& c) { c.reliability.repair_share_percent = 99; });
  list.configured("suspects_too_soon", [](NodeConfig& c) { c.reliability.suspect_after_ns /= 20; });
  list.add("evicts_in_silence", [](Hooks& hooks) {
    hooks.event = [](Middle&, ReceiverEvent& event) {
      return event.what == ReceiverEvent::What::kJoined;
    };
  });
  list.add("names_another_life_in_events", [](Hooks& hooks) {
    hooks.event = [](Middle&, ReceiverEvent& event) { return ++event.incarnation != 0; };
  });
  list.receiving("deaf_to_last_words", [](Middle&, Bytes& frame) {
    if (kind_of(frame) != Kind::kHeartbeat) return true;
    payload_of(frame)[2] &= static_cast<uint8_t>(~wire::kHeartbeatEnd);
    reseal(frame);
    return true;
  });
  list.configured("retains_more_than_configured", [](NodeConfig& c) {
    c.reliability.transmit_window_pkts *= 64;
    c.reliability.late_join = reliability::LateJoin::kRetained;
  });
  list.add("makes_unreliable_messages_recoverable", [](Hooks& hooks) {
    hooks.publish = [](wire::Qos& qos) { qos = std::max(qos, wire::Qos::kReliable); };
  });
  list.add("makes_recoverable_messages_unreliable", [](Hooks& hooks) {
    hooks.publish = [](wire::Qos& qos) { qos = wire::Qos::kUnreliable; };
  });
}

// The receiving half.
void add_receivers(List& list) {
  list.sending("never_sends_nacks",
               [](Middle&, Bytes& frame) { return kind_of(frame) != Kind::kNack; });
  list.sending("asks_only_once", [](Middle& me, Bytes& frame) {
    if (kind_of(frame) != Kind::kNack) return true;
    return me.seen.insert(base::load_be64(payload_of(frame) + 48)).second;
  });
  list.sending("never_sends_statuses",
               [](Middle&, Bytes& frame) { return kind_of(frame) != Kind::kStatus; });
  list.sending("says_to_have_what_it_lacks", [](Middle&, Bytes& frame) {
    alter_status(frame, [](uint8_t* entry) {
      base::store_be64(entry + kContiguousAt, base::load_be64(entry + kContiguousAt) + 1);
    });
    return true;
  });
  list.sending("never_says_to_have_more", [](Middle&, Bytes& frame) {
    alter_status(frame, [](uint8_t* entry) {
      base::store_be64(entry + kContiguousAt, base::load_be64(entry + kContiguousAt) - 1);
    });
    return true;
  });
  list.receiving("takes_every_life_for_the_first", [](Middle& me, Bytes& frame) {
    uint8_t* incarnation = payload_of(frame) + 4;
    const std::string source(frame.begin() + 6, frame.begin() + 12);
    const auto first = me.incarnations.emplace(source, base::load_be32(incarnation)).first;
    base::store_be32(incarnation, first->second);
    reseal(frame);
    return true;
  });
  list.configured("gives_up_too_soon", [](NodeConfig& c) {
    c.reliability.repair_deadline_ns = c.reliability.suspect_after_ns / 8;
  });
  list.configured("holds_more_than_configured",
                  [](NodeConfig& c) { c.reliability.hold_pkts *= 64; });
  list.configured("accepts_damaged_frames",
                  [](NodeConfig& c) { c.icrc = wire::IcrcMode::kGenerate; });
  list.configured("ignores_subscriptions",
                  [](NodeConfig& c) { c.delivery.ordering.subscribe_all = true; });
}

void add_receivers_gaps(List& list) {
  list.add("drops_gap_events",
           [](Hooks& hooks) { hooks.gap = [](Middle&, GapEvent&) { return false; }; });
  list.add("tells_gaps_too_long", [](Hooks& hooks) {
    hooks.gap = [](Middle&, GapEvent& gap) {
      ++gap.count;
      return true;
    };
  });
  list.add("tells_gaps_of_wrong_reason", [](Hooks& hooks) {
    hooks.gap = [](Middle&, GapEvent& gap) {
      gap.reason = reliability::LossReason::kDeadline;
      return true;
    };
  });
  list.add("tells_gaps_after_what_follows", [](Hooks& hooks) {
    hooks.gap = [](Middle& me, GapEvent& gap) {
      me.held_gap = std::make_unique<GapEvent>(gap);
      return false;
    };
    hooks.deliver = [](Middle& me, PacketInfo& info, Bytes& message) {
      me.real().deliver(info, message);
      if (me.held_gap) me.real().gap(*me.held_gap);
      me.held_gap.reset();
      return false;
    };
  });
  list.add("never_gives_a_packet_back",
           [](Hooks& hooks) { hooks.free = [](Middle& me) { return ++me.count % 100 != 0; }; });
  list.add("forgets_its_timers", [](Hooks& hooks) { hooks.deaf_to_timers = true; });
}

// What reaches the application, and the accounts.
void add_deliveries(List& list) {
  list.delivering("delivers_out_of_order", [](Middle& me, PacketInfo& info, Bytes& message) {
    if (info.qos != wire::Qos::kSourceOrdered) return true;
    if (!me.held && ++me.count % 10 == 0) {
      me.held = std::make_unique<std::pair<PacketInfo, Bytes>>(info, message);
      return false;
    }
    me.real().deliver(info, message);
    if (me.held) me.real().deliver(me.held->first, me.held->second);
    me.held.reset();
    return false;
  });
  list.delivering("delivers_twice", [](Middle& me, PacketInfo& info, Bytes& message) {
    if (recoverable(info) && ++me.count % 20 == 0) me.real().deliver(info, message);
    return true;
  });
  list.delivering("delivers_unreliable_ones_twice", [](Middle& me, PacketInfo& info, Bytes& m) {
    if (!recoverable(info) && ++me.count % 20 == 0) me.real().deliver(info, m);
    return true;
  });
  list.delivering("forgets_a_delivery", [](Middle& me, PacketInfo& info, Bytes&) {
    return !recoverable(info) || ++me.count % 50 != 0;
  });
  list.delivering("spoils_a_byte", [](Middle& me, PacketInfo&, Bytes& message) {
    if (++me.count % 50 == 0) message.back() ^= 1;
    return true;
  });
  list.delivering("cuts_a_byte_off", [](Middle& me, PacketInfo&, Bytes& message) {
    if (++me.count % 50 == 0) message.pop_back();
    return true;
  });
  list.delivering("names_another_group", [](Middle&, PacketInfo& info, Bytes&) {
    ++info.group;
    return true;
  });
  list.delivering("names_another_sender", [](Middle&, PacketInfo& info, Bytes&) {
    info.peer ^= 1;
    return true;
  });
  list.delivering("names_another_life", [](Middle&, PacketInfo& info, Bytes&) {
    --info.incarnation;
    return true;
  });
  list.accounting("misses_a_missing_frame",
                  [](StreamReport& r) { r.current.missing -= r.current.missing > 0; });
  list.accounting("counts_duplicates_as_received",
                  [](StreamReport& r) { r.current.received += r.current.duplicates; });
  list.accounting("counts_nothing_late", [](StreamReport& r) { r.current.late = 0; });
  list.accounting("keeps_32_bits_of_sequences",
                  [](StreamReport& r) { r.highest_frame_seq &= 0xffffffff; });
}

}  // namespace

std::vector<Mutant> all_mutants() {
  List list;
  add_senders(list);
  add_senders_decisions(list);
  add_receivers(list);
  add_receivers_gaps(list);
  add_deliveries(list);
  return list.take();
}

}  // namespace lambdacast::sim
