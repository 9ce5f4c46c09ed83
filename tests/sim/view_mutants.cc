// SPDX-License-Identifier: BSD-3-Clause
// Mutants of membership and total order (mutants.h): ballots, votes, acknowledgements, marks,
// relays, deliveries and events broken one at a time.
#include <algorithm>
#include <memory>

#include "mutants.h"
#include "sim/multicast/log.h"
#include "wire/control/view_control.h"

namespace lambdacast::sim {

namespace {

using Kind = FrameView::Kind;
using node::NodeConfig;
using node::PacketInfo;
using node::ViewEvent;

constexpr size_t kPhaseAt = 76;  // of a ballot
constexpr size_t kStageAt = 64;  // of a vote
constexpr size_t kFlagsAt = 2;   // of a control header

class List {
 public:
  template <typename Set>
  void add(const char* name, Set&& set) {
    Hooks hooks;
    set(hooks);
    mutants_.push_back({name, middle(std::move(hooks))});
  }
  void configured(const char* name, std::function<void(node::ViewConfig&)> configure) {
    add(name, [&](Hooks& hooks) {
      hooks.configure = [configure](NodeConfig& config) {
        if (config.view) configure(*config.view);
      };
    });
  }
  // Of frames of that kind.
  void sending(const char* name, Kind kind, std::function<bool(Middle&, Bytes&)> out) {
    add(name, [&](Hooks& hooks) { hooks.out = of(kind, std::move(out)); });
  }
  void receiving(const char* name, Kind kind, std::function<bool(Middle&, Bytes&)> in) {
    add(name, [&](Hooks& hooks) { hooks.in = of(kind, std::move(in)); });
  }
  void delivering(const char* name, std::function<bool(Middle&, PacketInfo&, Bytes&)> deliver) {
    add(name, [&](Hooks& hooks) {
      hooks.deliver = [deliver](Middle& me, PacketInfo& info, Bytes& message) {
        return !is_ordered(info.qos) || deliver(me, info, message);
      };
    });
  }
  void telling(const char* name, std::function<bool(Middle&, ViewEvent&)> view) {
    add(name, [&](Hooks& hooks) { hooks.view = std::move(view); });
  }
  [[nodiscard]] std::vector<Mutant> take() { return std::move(mutants_); }

 private:
  static std::function<bool(Middle&, Bytes&)> of(Kind kind,
                                                 std::function<bool(Middle&, Bytes&)> hook) {
    return [kind, hook = std::move(hook)](Middle& me, Bytes& frame) {
      return kind_of(frame) != kind || hook(me, frame);
    };
  }
  std::vector<Mutant> mutants_;
};

bool never(Middle&, Bytes&) { return false; }

// change(position) for each 64-bit entry behind `header_bytes`, then seals the frame again.
template <typename Change>
void alter_positions(Bytes& frame, size_t header_bytes, Change&& change) {
  uint8_t* const payload = payload_of(frame);
  for (size_t i = 0; i < base::load_be16(payload + 12); ++i) {
    uint8_t* const at = payload + header_bytes + i * 8;
    const uint64_t position = base::load_be64(at);
    if (position != wire::kNotOpen) base::store_be64(at, change(position));
  }
  reseal(frame);
}

// Of its ballots those that are not in this phase pass.
auto without(wire::BallotPhase phase) {
  return [phase](Middle&, Bytes& frame) {
    return payload_of(frame)[kPhaseAt] != static_cast<uint8_t>(phase);
  };
}

void add_membership(List& list) {
  list.configured("suspects_members_too_soon",
                  [](node::ViewConfig& c) { c.membership.suspect_after_ns /= 20; });
  list.configured("never_suspects_members",
                  [](node::ViewConfig& c) { c.membership.suspect_after_ns *= 1000; });
  list.configured("first_view_of_whoever_is_there",
                  [](node::ViewConfig& c) { c.membership.initial_nodes = 1; });
  list.configured("views_smaller_than_allowed",
                  [](node::ViewConfig& c) { c.membership.minimum_partition = 1; });
  list.add("everybody_breaks_ties", [](Hooks& hooks) {
    hooks.configure = [](NodeConfig& c) {
      if (c.view) c.view->membership.tie_breaker = c.identity.gid;
    };
  });
  list.sending("never_says_that_it_lives", Kind::kMember, never);
  list.sending("never_votes", Kind::kVote, never);
  list.sending("never_says_what_was_chosen", Kind::kBallot, without(wire::BallotPhase::kInstall));
  list.sending("never_asks_to_accept", Kind::kBallot, without(wire::BallotPhase::kAccept));
  list.sending("tells_nobody_that_it_is_out", Kind::kMember, [](Middle&, Bytes& frame) {
    uint8_t* const payload = payload_of(frame);
    if (payload[45] == 0) return true;
    return false;
  });
  list.sending("leaves_in_silence", Kind::kMember, [](Middle&, Bytes& frame) {
    payload_of(frame)[kFlagsAt] &= static_cast<uint8_t>(~wire::kMemberLeaving);
    reseal(frame);
    return true;
  });
  list.sending("is_ready_before_it_holds_what_it_needs", Kind::kVote, [](Middle&, Bytes& frame) {
    uint8_t& stage = payload_of(frame)[kStageAt];
    stage = std::max<uint8_t>(stage, 2);
    reseal(frame);
    return true;
  });
  list.sending("votes_for_more_than_it_holds", Kind::kVote, [](Middle&, Bytes& frame) {
    alter_positions(frame, wire::kVoteBytes, [](uint64_t position) { return position + 3; });
    return true;
  });
  list.sending("votes_for_less_than_it_holds", Kind::kVote, [](Middle&, Bytes& frame) {
    alter_positions(frame, wire::kVoteBytes, [](uint64_t position) { return position - 3; });
    return true;
  });
  list.add("relays_nothing", [](Hooks& hooks) {
    hooks.out = [](Middle& me, Bytes& frame) {
      const FrameView view(frame);
      return view.kind() != Kind::kData ||
             view.source() == me.node().view()->membership().self().gid;
    };
  });
}

void add_order(List& list) {
  list.configured("is_content_with_fewer_holders", [](node::ViewConfig& c) { c.order.k = 0; });
  list.add("has_domains_of_its_own", [](Hooks& hooks) {
    hooks.configure = [](NodeConfig& c) {
      if (c.view && c.identity.gid.bytes[15] == 1) c.view->order.domains *= 2;
    };
  });
  list.sending("acknowledges_what_it_does_not_hold", Kind::kMember, [](Middle&, Bytes& frame) {
    alter_positions(frame, wire::kMemberBytes, [](uint64_t mark) { return mark + 5; });
    return true;
  });
  list.sending("acknowledges_nothing", Kind::kMember, [](Middle&, Bytes& frame) {
    alter_positions(frame, wire::kMemberBytes, [](uint64_t) { return uint64_t{0}; });
    return true;
  });
  list.receiving("takes_one_acknowledgement_for_all", Kind::kMember, [](Middle&, Bytes& frame) {
    alter_positions(frame, wire::kMemberBytes, [](uint64_t mark) { return mark + 1000; });
    return true;
  });
  list.receiving("reads_marks_wrong", Kind::kData, [](Middle&, Bytes& frame) {
    if (!FrameView(frame).marks()) return true;
    uint8_t* const through = payload_of(frame) + wire::kTransportHeaderBytes +
                             wire::kMarksHeaderBytes + wire::kMarkBytes - 8;
    if (through + 8 + wire::kIcrcBytes > frame.data() + frame.size()) return true;
    base::store_be64(through, base::load_be64(through) - 1);
    reseal(frame);
    return true;
  });
  list.delivering("orders_nothing", [](Middle& me, PacketInfo& info, Bytes& message) {
    if (!me.held && ++me.count % 10 == 0) {
      me.held = std::make_unique<std::pair<PacketInfo, Bytes>>(info, message);
      return false;
    }
    me.real().deliver(info, message);
    if (me.held) me.real().deliver(me.held->first, me.held->second);
    me.held.reset();
    return false;
  });
  list.delivering("delivers_ordered_ones_twice", [](Middle& me, PacketInfo& info, Bytes& message) {
    if (++me.count % 20 == 0) me.real().deliver(info, message);
    return true;
  });
  list.delivering("forgets_an_ordered_one",
                  [](Middle& me, PacketInfo&, Bytes&) { return ++me.count % 50 != 0; });
  list.delivering("forgets_its_own",
                  [](Middle&, PacketInfo& info, Bytes&) { return info.peer != node::kNoPeer; });
  list.delivering("names_another_index", [](Middle& me, PacketInfo& info, Bytes&) {
    info.index += ++me.count % 50 == 0 ? 1 : 0;
    return true;
  });
  list.delivering("names_another_epoch", [](Middle& me, PacketInfo& info, Bytes&) {
    info.epoch += ++me.count % 50 == 0 ? 1 : 0;
    return true;
  });
}

void add_events(List& list) {
  list.telling("hides_a_view", [](Middle& me, ViewEvent& event) {
    return event.what != ViewEvent::What::kView || ++me.count != 2;
  });
  list.telling("tells_of_a_view_twice", [](Middle& me, ViewEvent& event) {
    if (event.what == ViewEvent::What::kView) me.real().view_event(event);
    return true;
  });
  list.telling("names_another_view", [](Middle& me, ViewEvent& event) {
    if (++me.count == 2) ++event.id.round;
    return true;
  });
  list.telling("says_that_another_one_has_stayed", [](Middle&, ViewEvent& event) {
    if (event.stayed != 0 && event.stayed < event.members.size()) ++event.stayed;
    return true;
  });
  list.telling("does_not_say_that_it_is_out",
               [](Middle&, ViewEvent& event) { return event.what == ViewEvent::What::kView; });
  list.telling("says_that_it_is_out", [](Middle& me, ViewEvent& event) {
    if (++me.count == 3) event.what = ViewEvent::What::kExcluded;
    return true;
  });
}

void add_completion(List& list) {
  list.add("calls_stable_what_it_has_published", [](Hooks& hooks) {
    hooks.stable = [](const SimEndpoint& endpoint) { return endpoint.published(); };
  });
}

}  // namespace

std::vector<Mutant> death_mutants() {
  List list;
  // As if a fabric took who says nothing for who is no more.
  list.add("takes_a_stopped_process_for_dead", [](Hooks& hooks) {
    const auto long_ns = std::make_shared<uint64_t>(0);
    hooks.configure = [long_ns](NodeConfig& c) {
      if (c.view) *long_ns = c.view->membership.suspect_after_ns / 2;
    };
    hooks.in = [long_ns](Middle& me, Bytes&) {
      const membership::MembershipProtocol& views = me.node().view()->membership();
      for (size_t rank = 0; rank < views.view().size(); ++rank) {
        if (views.silent_ns(rank) > *long_ns) me.bury(views.view().members[rank]);
      }
      return true;
    };
  });
  list.add("takes_the_next_life_for_the_one_that_is_over", [](Hooks& hooks) {
    hooks.bury = [](Middle&, wire::StreamName& name) {
      ++name.incarnation;
      return true;
    };
  });
  return list.take();
}

std::vector<Mutant> view_mutants() {
  List list;
  add_membership(list);
  add_order(list);
  add_events(list);
  add_completion(list);
  return list.take();
}

}  // namespace lambdacast::sim
