// SPDX-License-Identifier: BSD-3-Clause
// Several RateShares with one order of messages, each as far behind as it likes, and what must hold
// of them whatever is said. A rule that does not hold ends the process (rate_fuzz.cc).
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "fuzz_input.h"
#include "node/rate_shares.h"

namespace lambdacast::test {

using node::RateShares;
using rate_control::kUnlimitedBps;
using wire::RateAnnouncement;
using wire::RateReserve;

constexpr size_t kManyGhosts = 70;  // enough for the widest view
constexpr uint64_t kOutsideBps = 1'000;

inline void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", rule);
  std::abort();
}

inline void check_reading(const Bytes& payload, const wire::RateMessage& message) {
  const auto is_limit = [](uint64_t bps) {
    return bps == 0 || (bps >= wire::kLeastBps && bps <= wire::kMostBps);
  };
  Bytes out(wire::kAnnounceBytes);
  if (const auto* said = std::get_if<RateAnnouncement>(&message)) {
    require(said->need_bps <= wire::kMostBps && said->reserve_bps <= wire::kMostBps &&
                is_limit(said->line_bps) && is_limit(said->room_bps) && is_limit(said->each_bps),
            "an announcement is in range");
    wire::store_rate_announcement(*said, out.data());
  } else if (const auto* reserve = std::get_if<RateReserve>(&message)) {
    require(reserve->departed_bps <= wire::kMostDepartedBps, "a reserve in range");
    out.resize(wire::kReserveBytes);
    wire::store_rate_reserve(*reserve, out.data());
  } else {
    return;
  }
  require(std::equal(out.begin(), out.end(), payload.begin()), "it is written as it was read");
  require(wire::load_rate_message(out) == message, "and read as it was written");
  out.pop_back();
  require(wire::load_rate_message(out).index() == 0, "a shorter one is refused");
}

// All that can be seen of it, but for the messages that it has refused.
inline std::vector<uint64_t> image(const RateShares& rates) {
  static node::RateReport report;
  rates.report(report);
  const rate_control::Limits& limits = report.limits;
  std::vector<uint64_t> seen{limits.bits_per_second,
                             limits.control_bps,
                             limits.burst_bytes,
                             static_cast<uint64_t>(limits.limited_by),
                             limits.whom,
                             report.need_bps,
                             report.departed_bps,
                             report.newest.epoch,
                             report.newest.event,
                             report.settled.epoch,
                             report.settled.event,
                             rates.revision(),
                             rates.speech_due(),
                             rates.next_look_ns(),
                             rates.unsettled(),
                             rates.allocation().informed(),
                             rates.allocation().remembers_settled()};
  for (size_t rank = 0; rank < report.members; ++rank) {
    const auto& member = report.member[rank];
    seen.insert(seen.end(), {member.rates.need_bps, member.rates.line_bps, member.rates.room_bps,
                             member.rates.each_bps, member.share_bps, member.reserve_bps});
  }
  return seen;
}

// A message of a member, or else a mark.
struct RateSaid {
  bool is_mark = false;
  size_t rank = 0;
  Bytes payload;
  uint64_t position = 0;
};

// By rank, in an event.
struct RateEventSeen {
  uint64_t departed_bps = 0;
  std::vector<uint64_t> room;  // less that
  std::vector<uint64_t> shares;
  std::vector<uint64_t> lives;
};

struct RateNode {
  explicit RateNode(const node::RateSetting& setting) : rates(setting, *watch) {}

  std::unique_ptr<node::RateWatch> watch = std::make_unique<node::RateWatch>(wire::kMaxMembers);
  RateShares rates;
  bool member = false;
  size_t rank = 0;
  bool comes = false;  // into the view, which it was not in before
  uint64_t life = 0;
  size_t taken = 0;  // of what was said in the view
  uint64_t position = 0;
  uint64_t acknowledged = 0;
  wire::RateEvent begun;         // a newcomer's first view
  bool constrained = false;      // informed of a limit in its newest event, and ever since
  bool hears_of_a_room = false;  // of another member's, the same
  uint64_t held_bps = 0;         // of frames that are not with its port yet
};

// The first nodes run; behind them are ghosts, members that only speak.
class RateTrial {
 public:
  explicit RateTrial(uint8_t choice)
      : outside_bps_((choice & 4) != 0 ? 0 : kOutsideBps),
        ghosts_((choice & 136) == 136 ? kManyGhosts : choice >> 4 & 1) {
    for (size_t i = 0; i < 2 + size_t{choice} % 4; ++i) nodes_.emplace_back(setting(i, choice));
    change_view(0xff);
  }

  void say(size_t number, const Bytes& payload) {
    order_.push_back({false, number % view_.size(), payload, 0});
    check_reading(payload, wire::load_rate_message(payload));
  }
  void ghosts_say(const Bytes& payload) {
    for (size_t rank = view_.size() - ghosts_; rank < view_.size(); ++rank) say(rank, payload);
  }
  // A node says what it has to say, if anything.
  void speak(size_t number) {
    RateNode& node = nodes_[number % nodes_.size()];
    if (!node.member || !node.rates.speech_due()) return;
    Bytes payload(wire::kAnnounceBytes);
    payload.resize(node.rates.write(payload.data()));
    require(wire::load_rate_message(payload).index() != 0, "what it says is accepted");
    say(node.rank, payload);
  }
  void mark(uint64_t skipped) {
    position_ += 1 + skipped;
    order_.push_back({true, 0, {}, position_});
  }
  void go_on(size_t number, size_t steps) {
    RateNode& node = nodes_[number % nodes_.size()];
    for (; node.member && steps != 0 && node.taken < order_.size(); --steps) take_next(node);
  }
  void acknowledge(size_t number) {
    RateNode& node = nodes_[number % nodes_.size()];
    if (!node.member) return;
    const uint64_t through = node.rates.acknowledge(node.position);
    require(through >= node.acknowledged && through <= node.position, "what it has applied");
    node.acknowledged = through;
  }
  void hear_acknowledgements(size_t number) {
    RateNode& node = nodes_[number % nodes_.size()];
    uint64_t least = ~uint64_t{0};
    for (const RateNode& each : nodes_) {
      if (each.member) least = std::min(least, each.acknowledged);
    }
    if (node.member) node.rates.stable(least);
  }
  void hand_to_port(size_t number) {
    RateNode& node = nodes_[number % nodes_.size()];
    (void)node.rates.port_has_all();
    node.held_bps = 0;
  }
  void pass(uint64_t ns, bool heard, bool emptied) {
    now_ns_ += ns;
    for (RateNode& node : nodes_) {
      for (size_t rank = 0; node.member && heard && rank < view_.size(); ++rank)
        node.rates.vouched(rank, now_ns_);
      node.rates.look(now_ns_);
      if (emptied) node.rates.emptied(now_ns_);
      require(node.rates.next_look_ns() != 0, "time goes on");
    }
  }
  void use(size_t number, uint64_t bytes, bool waited) {
    RateNode& node = nodes_[number % nodes_.size()];
    node.rates.used(bytes);
    node.rates.polled(true, waited);
  }
  void set(size_t number, uint8_t which, uint64_t bps) {
    RateShares& rates = nodes_[number % nodes_.size()].rates;
    rate_control::RateConfig config = rates.config();
    if (which % 3 == 0) return rates.set_need(bps);
    (which % 3 == 1 ? config.limit_bps : config.capacity_bps) = bps;
    rates.set(config);
  }
  // With those of the nodes, by their bits, and all ghosts. Who stays has taken all that was said.
  void change_view(uint8_t nodes) {
    std::vector<RateShares::Member> members;
    const std::vector<size_t> before = std::exchange(view_, {});
    bool anybody_stays = false;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      RateNode& node = nodes_[i];
      while (node.member && node.taken < order_.size()) take_next(node);
      anybody_stays |= (nodes >> i & 1) != 0 && node.member;
    }
    const auto add = [&](size_t number, std::optional<size_t> rank, uint64_t room_bps) {
      view_.push_back(number);
      members.push_back({anybody_stays ? rank : std::nullopt, anybody_stays && rank.has_value(),
                         anybody_stays && rank ? 0 : room_bps});
    };
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if ((nodes >> i & 1) == 0 && (i != 0 || anybody_stays || ghosts_ != 0)) continue;
      add(i, nodes_[i].member ? std::optional(nodes_[i].rank) : std::nullopt,
          rate_control::room_bps(nodes_[i].rates.config()) / 1'000'000 * 1'000'000);
    }
    for (size_t i = 0; i < ghosts_; ++i)
      add(nodes_.size() + i,
          before.empty() ? std::nullopt : std::optional(before.size() - ghosts_ + i), 0);
    order_.clear();
    position_ = 0;
    ++epoch_;
    begin(members, anybody_stays);
  }
  void check() const {
    for (const RateNode& node : nodes_) check_limits(node);
    if (outside_bps_ != 0) check_rooms();
  }
  [[nodiscard]] uint64_t epoch() const { return epoch_; }

 private:
  [[nodiscard]] node::RateSetting setting(size_t i, uint8_t choice) const {
    node::RateSetting setting;
    setting.config.policy = rate_control::Policy::kFair;
    setting.config.need_bps = (choice & 32) != 0 ? 0 : (i + 1) * 20'000'000;
    setting.config.capacity_bps = (choice & 64) != 0 ? 0 : (1 + i * i * 50) * 1'000'000;
    setting.config.outside_bps = outside_bps_;
    setting.longest_frame = 1'000;
    setting.nodes = 1 + i;
    setting.lease_ns = 10'000'000;
    setting.gap_ns = 1'000'000;
    return setting;
  }
  [[nodiscard]] static bool informed(const RateNode& node) {
    return node.member && node.rates.allocation().informed();
  }

  void begin(const std::vector<RateShares::Member>& members, bool anybody_stays) {
    const auto stayed =
        std::find_if(members.begin(), members.end(), [](const auto& each) { return each.stayed; });
    speaker_ = stayed == members.end() ? 0 : static_cast<size_t>(stayed - members.begin());
    lives_.assign(view_.begin(), view_.end());
    for (size_t i = 0; i < nodes_.size(); ++i) enter(nodes_[i], i, anybody_stays);
    for (RateNode& node : nodes_) {
      if (!node.member) continue;
      std::vector<RateShares::Member> known = members;
      for (RateShares::Member& member : known) {
        if (node.comes) member.before = std::nullopt;
      }
      falls_while(node,
                  [&] { node.rates.view_ended(epoch_, known, node.rank, std::nullopt, now_ns_); });
      if (node.comes) node.held_bps = 0;
      if (!informed(node)) node.begun = {epoch_, 0};
      note_event(node);
    }
  }
  void enter(RateNode& node, size_t number, bool anybody_stays) {
    const auto found = std::find(view_.begin(), view_.end(), number);
    const bool was = std::exchange(node.member, found != view_.end()) && anybody_stays;
    node.comes = node.member && !was;
    if (!node.member || node.comes) node.rates.out();
    node.taken = node.position = node.acknowledged = 0;
    if (!node.member) return;
    node.rank = static_cast<size_t>(found - view_.begin());
    if (node.comes) node.life = epoch_ << 8 | number;
    lives_[node.rank] = node.life;
  }
  void take_next(RateNode& node) {
    const RateSaid& said = order_[node.taken++];
    if (said.is_mark) {
      falls_while(node, [&] { node.rates.marked(said.position); });
      node.position = said.position;
      return note_event(node);
    }
    const wire::RateMessage message = wire::load_rate_message(said.payload);
    const bool refused = message.index() == 0 || (message.index() == 2 && said.rank != speaker_);
    const uint64_t malformed = node.rates.counters().malformed;
    const std::vector<uint64_t> before = image(node.rates);
    node.rates.take(said.rank, said.payload);
    require(node.rates.counters().malformed == malformed + (refused ? 1 : 0), "it is counted");
    node.constrained &= node.rates.allocation().constrained(node.rank);
    node.hears_of_a_room &= hears_of_a_room(node);
    if (refused) require(image(node.rates) == before, "what is refused changes nothing");
  }
  template <typename Change>
  static void falls_while(RateNode& node, Change&& change) {
    const uint64_t before = node.rates.limits().bits_per_second;
    change();
    if (node.constrained && node.rates.limits().bits_per_second < before)
      node.held_bps = std::max(node.held_bps, before);
  }
  void note_event(RateNode& node) {
    const rate_control::Allocation& all = node.rates.allocation();
    node.constrained = all.informed() && all.constrained(node.rank);
    node.hears_of_a_room = hears_of_a_room(node);
    if (!all.informed()) return;
    RateEventSeen event{all.departed_bps(), {}, {}, lives_};
    for (size_t rank = 0; rank < all.members(); ++rank) {
      const uint64_t room = all.rates(rank).room_bps;
      event.room.push_back(room == 0 ? kUnlimitedBps : room - std::min(room, event.departed_bps));
      event.shares.push_back(all.shares()[rank].bps);
    }
    const auto [known, is_new] = events_.try_emplace(all.newest(), event);
    if (is_new) return check_shares(event);
    require(known->second.departed_bps == event.departed_bps, "all keep as much for the departed");
    require(known->second.shares == event.shares, "all have the same shares");
  }
  static void check_shares(const RateEventSeen& event) {
    for (size_t j = 0; j < event.shares.size(); ++j) {
      if (event.room[j] == kUnlimitedBps) continue;
      uint64_t sum = 0;
      for (size_t i = 0; i < event.shares.size(); ++i) sum += i == j ? 0 : event.shares[i];
      require(sum <= event.room[j], "shares fit into the rooms");
    }
  }
  // If nobody has a room, nobody has a reserve, and the rate outside has no limit. What members say
  // takes effect with its mark.
  static bool hears_of_a_room(const RateNode& node) {
    const rate_control::Allocation& all = node.rates.allocation();
    for (size_t rank = 0; rank < all.members(); ++rank) {
      if (rank != node.rank && all.rates(rank).room_bps != 0) return true;
    }
    return false;
  }
  void check_limits(const RateNode& node) const {
    const rate_control::Limits& limits = node.rates.limits();
    if (limits.unlimited()) {
      require(!node.member || view_.size() == 1 || !informed(node) || !node.constrained ||
                  (outside_bps_ == 0 && !node.hears_of_a_room),
              "without a limit where nobody has one");
      return;
    }
    require(limits.burst_bytes >= 1'000, "a frame is a burst");
    if (outside_bps_ == 0) return;
    if (!node.member || !informed(node))
      require(limits.bits_per_second <= kOutsideBps, "without a share, outside");
    else if (node.constrained && view_.size() != 1)
      require(limits.bits_per_second <= node.rates.allocation().own_bps() + kOutsideBps,
              "no more than its share");
  }
  // Everybody is between the last event settled for it and its newest one, so all have one in
  // common: the last one settled for anybody. Where a newcomer begins nothing has settled. Whoever
  // knows of no receiver with a limit has none, at once: those that had one said so themselves.
  void check_rooms() const {
    wire::RateEvent common;
    for (const RateNode& node : nodes_) {
      const wire::RateEvent& settled = node.rates.allocation().settled();
      if (node.member && settled != node.begun) common = std::max(common, settled);
    }
    const auto event = events_.find(common);
    if (event == events_.end()) return;
    for (size_t rank = 0; rank < lives_.size(); ++rank) {
      const auto& then = event->second.lives;
      const auto found = std::find(then.begin(), then.end(), lives_[rank]);
      const uint64_t room =
          found == then.end() ? kUnlimitedBps : event->second.room[found - then.begin()];
      uint64_t sum = 0;
      for (const RateNode& node : nodes_) {
        const uint64_t bps = std::max(node.rates.limits().bits_per_second, node.held_bps);
        if (node.member && node.rank != rank && node.constrained) sum += bps;
      }
      require(room == kUnlimitedBps || sum <= room + nodes_.size() * kOutsideBps,
              "no receiver is sent more than its room");
    }
  }

  const uint64_t outside_bps_;
  const size_t ghosts_;
  std::deque<RateNode> nodes_;
  std::vector<size_t> view_;     // numbers of nodes, then those of ghosts
  std::vector<uint64_t> lives_;  // of a node, another one each time that it comes into a view
  std::vector<RateSaid> order_;  // in this view
  std::map<wire::RateEvent, RateEventSeen> events_;
  uint64_t epoch_ = 0;
  uint64_t position_ = 0;
  uint64_t now_ns_ = 1'000'000'000;
  size_t speaker_ = 0;
};

}  // namespace lambdacast::test
