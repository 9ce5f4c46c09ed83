// SPDX-License-Identifier: BSD-3-Clause
// The token of a ring, and what its majority is one of.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

// When a life was given which packets of a stream, for the first time.
class Given {
 public:
  explicit Given(const Log& log) {
    if (log.passes.empty()) return;
    for (uint32_t i = 0; i < log.arrivals.size(); ++i) {
      const Arrival& arrival = log.arrivals[i];
      const SentFrame& frame = log.frames[arrival.frame];
      if (!frame.recoverable) continue;
      if (arrival.outcome == counters::DropReason::kNone ||
          arrival.outcome == counters::DropReason::kNotSubscribed)
        first_.try_emplace({arrival.receiver, frame.life, frame.rel_seq}, i);
    }
  }
  // As the first of so many arrivals; a life has its own.
  [[nodiscard]] bool has(uint32_t receiver, uint32_t sender, uint64_t rel_seq,
                         uint32_t arrivals) const {
    if (receiver == sender) return true;
    const auto found = first_.find({receiver, sender, rel_seq});
    return found != first_.end() && found->second < arrivals;
  }

 private:
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, uint32_t> first_;
};

// The passes of one view, in the order of their numbers.
using Passes = std::map<uint64_t, const PassSent*>;

class Token {
 public:
  explicit Token(const OrderLog& order)
      : order_(order), log_(order.log()), list_("Token"), given_(order.log()) {}

  Violations run() {
    std::map<const InstalledView*, Passes> views;
    for (const PassSent& pass : log_.passes) {
      const InstalledView* const view = view_of(pass);
      if (view == nullptr) continue;  // nobody lived to be told of it
      if (!views[view].emplace(pass.number, &pass).second)
        list_.add(name(pass) + " is a second one");
      if (view->site(pass.number) != pass.life) list_.add(name(pass) + " is not its site's");
    }
    for (const auto& [view, passes] : views) check_chain(*view, passes);
    return list_.take();
  }

 private:
  [[nodiscard]] std::string name(const PassSent& pass) const {
    return "pass " + std::to_string(pass.number) + " of epoch " + std::to_string(pass.epoch) +
           " by " + order_.index().name(pass.life);
  }
  // The first that anybody was told of it. Members that come again before the first view may form
  // another one of that epoch: what the maker installs tells them apart.
  [[nodiscard]] const InstalledView* view_of(const PassSent& pass) const {
    const auto own = std::ranges::find_if(log_.views, [&](const InstalledView& view) {
      return view.epoch == pass.epoch && view.life == pass.life;
    });
    const auto found = std::ranges::find_if(log_.views, [&](const InstalledView& view) {
      return view.epoch == pass.epoch && std::ranges::count(view.members, pass.life) != 0 &&
             std::ranges::count(view.members, kNobody) == 0 &&
             (own == log_.views.end() || view.members == own->members);
    });
    return found == log_.views.end() ? nullptr : &*found;
  }

  void check_chain(const InstalledView& view, const Passes& passes) {
    std::map<uint16_t, uint64_t> named;  // by rank: through which position
    uint64_t last_named = 0;             // the last pass with items
    for (const auto& [number, pass] : passes) {
      if (!pass->items.empty()) last_named = number;
      if (last_named == 0 || number - last_named >= view.members.size())
        list_.add(name(*pass) + " goes on though the token had to rest");
      const auto before = passes.find(number - 1);
      if (number != 1 && before == passes.end()) {
        list_.add(name(*pass) + " comes, and the one before was never made");
      } else if (number != 1 && !has(*pass, before->second->life, before->second->rel_seq)) {
        list_.add(name(*pass) + ": its maker had not been given the one before");
      }
      check_content(view, *pass, named);
      for (const PassSent::Item& item : pass->items)
        named[item.rank] = std::max(named[item.rank], item.through);
    }
  }

  [[nodiscard]] bool has(const PassSent& pass, uint32_t sender, uint64_t rel_seq) const {
    return given_.has(pass.life, sender, rel_seq, pass.arrivals);
  }

  // What the passes before name, and this one: its last ordered message of each stream.
  void check_content(const InstalledView& view, const PassSent& pass,
                     const std::map<uint16_t, uint64_t>& named) {
    const auto check = [&](uint16_t rank, uint64_t through) {
      if (rank >= view.members.size()) return list_.add(name(pass) + " names no member");
      const uint32_t sender = view.members[rank];
      if (order_.index().at(sender, through) != nullptr && !has(pass, sender, through)) {
        list_.add(name(pass) + ": its maker had not been given position " +
                  std::to_string(through) + " of " + order_.index().name(sender));
      }
    };
    for (const auto& [rank, through] : named) check(rank, through);
    for (const PassSent::Item& item : pass.items) check(item.rank, item.through);
  }

  const OrderLog& order_;
  const Log& log_;
  ViolationList list_;
  const Given given_;
};

class MaxN {
 public:
  explicit MaxN(const OrderLog& order) : order_(order), log_(order.log()), list_("MaxN") {
    for (const BegunSaid& begun : log_.begun) begun_[{begun.life, begun.epoch}] = begun.at_ns;
    for (uint32_t i = 0; i < log_.arrivals.size(); ++i) {
      const Arrival& arrival = log_.arrivals[i];
      if (arrival.outcome != counters::DropReason::kNone &&
          arrival.outcome != counters::DropReason::kNotSubscribed)
        continue;
      for_each_publication(log_, log_.frames[arrival.frame], [&](uint32_t publication) {
        first_.try_emplace({publication, arrival.receiver}, i);
      });
    }
  }

  Violations run() {
    const ordering::TotalOrderConfig& config = order_.scenario().membership.order;
    const uint32_t first_domain = config.order == ordering::Order::kMixed ? config.domains / 2 : 0;
    for (uint32_t i = 0; i < log_.told.size(); ++i) {
      const Told& told = log_.told[i];
      if (!told.is_message() || told.qos != wire::Qos::kMajority || told.publication == kNobody)
        continue;
      if (told.domain < first_domain || order_.tenure_at(i) == kNobody || order_.recovered(i))
        continue;
      check(i);
    }
    return list_.take();
  }

 private:
  void check(uint32_t i) {
    const Told& told = log_.told[i];
    const View& view = order_.views()[order_.tenures()[order_.tenure_at(i)].view];
    const size_t members = view.members.size();
    if (view.previous == kNobody || all_have_begun(view, told)) return;  // check_held() knows
    const View& before = order_.views()[view.previous];
    const size_t largest = std::max(members, before.members.size());
    const size_t needed = before.has(told.receiver) ? std::min(members, largest / 2 + 1) : members;
    const auto held = static_cast<size_t>(
        std::ranges::count_if(view.members, [&](uint32_t life) { return holds(told, life); }));
    if (held >= needed) return;
    list_.add(order_.index().name(told.receiver) + " at " + std::to_string(told.at_ns) +
              " ns: message " + std::to_string(told.publication) + " delivered and held by " +
              std::to_string(held) + " members of " + order_.name(view) +
              ", which not all have begun, and " + std::to_string(needed) + " are needed");
  }

  [[nodiscard]] bool all_have_begun(const View& view, const Told& told) const {
    return std::ranges::all_of(view.members, [&](uint32_t life) {
      const auto found = begun_.find({life, view.epoch});
      return life == told.receiver || (found != begun_.end() && found->second <= told.at_ns);
    });
  }
  [[nodiscard]] bool holds(const Told& told, uint32_t life) const {
    const auto first = first_.find({told.publication, life});
    return life == log_.publications[told.publication].life ||
           (first != first_.end() && first->second < told.arrivals);
  }

  const OrderLog& order_;
  const Log& log_;
  ViolationList list_;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> begun_;  // by life and epoch
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> first_;  // by publication and receiver
};

}  // namespace

Violations check_token(const OrderLog& order) { return Token(order).run(); }

Violations check_max_n(const OrderLog& order) {
  const bool ring = order.scenario().membership.order.order != ordering::Order::kSequencer;
  return ring ? MaxN(order).run() : Violations{};
}

}  // namespace lambdacast::sim
