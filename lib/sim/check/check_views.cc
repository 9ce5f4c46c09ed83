// SPDX-License-Identifier: BSD-3-Clause
// Which views there may be, and who may be told of them.
#include <algorithm>
#include <map>
#include <set>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

class Views {
 public:
  explicit Views(const OrderLog& order) : order_(order), log_(order.log()), list_("Views") {}

  Violations run() {
    for (const View& view : order_.views()) {
      if (!check_members(view)) return list_.take();  // what follows needs members that are lives
    }
    for (uint32_t i = 0; i < order_.views().size(); ++i) {
      const View& view = order_.views()[i];
      check_told_newcomers(view);
      if (view.previous == kNobody) {
        check_first(i);
      } else {
        check_step(order_.views()[view.previous], i);
      }
    }
    for (uint32_t life = 0; life < log_.lives.size(); ++life) check_life(life);
    check_excluded();
    return list_.take();
  }

 private:
  bool check_members(const View& view) {
    std::set<size_t> nodes;
    for (const uint32_t life : view.members) {
      if (life >= log_.lives.size()) {
        list_.add(order_.name(view) + " has a member that never lived");
        return false;
      }
      if (!nodes.insert(log_.lives[life].node).second)
        list_.add(order_.name(view) + " has two members on one node");
    }
    if (view.members.size() < order_.scenario().membership.views.minimum_partition)
      list_.add(order_.name(view) + " is smaller than a primary view may be");
    for (const uint32_t number : view.tenures) {
      const uint32_t life = order_.tenures()[number].life;
      if (!view.has(life))
        list_.add(order_.index().name(life) + " installs " + order_.name(view) + " without it");
    }
    return true;
  }

  // A first view: nobody who was ever in another one is alive. Who was to join one, and never heard
  // that it had begun, knows nothing of it that another view could be made of.
  void check_first(uint32_t number) {
    const View& view = order_.views()[number];
    for (uint32_t i = 0; i < number; ++i) {
      for (const uint32_t tenure : order_.views()[i].tenures) {
        const uint32_t life = order_.tenures()[tenure].life;
        if (log_.lives[life].died_ns <= view.first_ns) continue;
        list_.add(order_.name(view) + " begins anew at " + std::to_string(view.first_ns) +
                  " ns, and " + order_.index().name(life) + " of " +
                  order_.name(order_.views()[i]) + " lives");
        return;
      }
    }
  }

  void check_step(const View& before, uint32_t number) {
    const View& view = order_.views()[number];
    if (before.next != number) {
      list_.add(order_.name(before) + " is followed by " +
                order_.name(order_.views()[before.next]) + " and by " + order_.name(view));
    }
    if (view.epoch <= before.epoch)
      list_.add(order_.name(view) + " follows " + order_.name(before));
    // Those of the earlier one who stay, and who took part and left: in order, or because they
    // could not come along to it.
    size_t common = 0;
    bool tie_breaker = false;
    for (const uint32_t life : before.members) {
      const bool took_part =
          log_.lives[life].left_ns <= view.first_ns ||
          (log_.lives[life].died_ns > view.first_ns && !order_.came_to(before, life));
      if (!view.has(life) && !took_part) continue;
      ++common;
      tie_breaker |= order_.breaks_ties(life);
    }
    if (!order_.is_quorum(before, common, tie_breaker)) {
      list_.add(order_.name(view) + " has " + std::to_string(common) + " of the " +
                std::to_string(before.members.size()) + " members of " + order_.name(before));
    }
    // Ranks: who stays keeps the order, and newcomers come behind.
    std::vector<uint32_t> stayed;
    for (const uint32_t life : before.members) {
      if (view.has(life)) stayed.push_back(life);
    }
    if (!std::equal(stayed.begin(), stayed.end(), view.members.begin()))
      list_.add(order_.name(view) + " does not keep the ranks of " + order_.name(before));
    for (size_t rank = stayed.size(); rank < view.members.size(); ++rank)
      check_newcomer(view.members[rank], number);
  }

  // Everybody is told the same of who is new in it.
  void check_told_newcomers(const View& view) {
    size_t stayed = 0;
    for (const uint32_t life : view.members) {
      if (view.previous != kNobody && order_.views()[view.previous].has(life)) ++stayed;
    }
    for (const uint32_t number : view.tenures) {
      const Tenure& tenure = order_.tenures()[number];
      if (tenure.stayed == stayed) continue;
      list_.add(order_.index().name(tenure.life) + " is told that " +
                std::to_string(tenure.stayed) + " have stayed in " + order_.name(view) + ", and " +
                std::to_string(stayed) + " have");
    }
  }

  // Who is out stays out, unless it never heard that it was in.
  void check_newcomer(uint32_t life, uint32_t number) {
    if (order_.first_view(life) >= number) return;
    for (uint32_t i = 0; i < number; ++i) {
      if (!order_.views()[i].has(life)) continue;
      list_.add(order_.index().name(life) + " returns in " + order_.name(order_.views()[number]));
      return;
    }
  }

  // Each life installs consecutive views.
  void check_life(uint32_t life) {
    for (const uint32_t number : order_.tenures_of(life)) {
      const Tenure& tenure = order_.tenures()[number];
      if (tenure.next == kNobody) continue;
      const View& next = order_.views()[tenure.next];
      if (next.previous == tenure.view) continue;
      list_.add(order_.index().name(life) + " goes from " +
                order_.name(order_.views()[tenure.view]) + " to " + order_.name(next) +
                ", which others do not");
    }
  }

  // Who is told that it is out is, and is told nothing more.
  void check_excluded() {
    std::map<uint32_t, uint32_t> told_so;
    for (uint32_t i = 0; i < log_.told.size(); ++i) {
      const Told& told = log_.told[i];
      const std::string who = order_.index().name(told.receiver);
      if (told_so.contains(told.receiver)) {
        if (told.what == Told::What::kView || told.is_ordered_message())
          list_.add(who + " is told of views or their messages, and is excluded");
        continue;
      }
      if (told.what != Told::What::kExcluded) continue;
      told_so.emplace(told.receiver, i);
      if (!is_out(told, order_.tenure_at(i)))
        list_.add(who + " is told that it is excluded, and no view is without it");
    }
  }

  // There is a view without it. It may hear of it before anybody is in it: the choice is made when
  // a quorum has accepted, and who stays may lack content still. If nobody else of its view is
  // left, nobody is there to install one. Or it goes by itself: it has lost what a member sent, or
  // is the quorum that chooses a view without it, of which the others may never hear.
  [[nodiscard]] bool is_out(const Told& told, uint32_t tenure) const {
    if (tenure == kNobody) {
      return std::any_of(order_.views().begin(), order_.views().end(), [&](const View& view) {
        return view.first_ns <= told.at_ns && !view.has(told.receiver);
      });
    }
    const uint32_t number = order_.tenures()[tenure].view;
    const View& last = order_.views()[number];
    return std::any_of(order_.views().begin(), order_.views().end(),
                       [&](const View& view) {
                         const bool then = view.previous == number || view.first_ns <= told.at_ns;
                         return then && view.epoch > last.epoch && !view.has(told.receiver);
                       }) ||
           std::all_of(last.members.begin(), last.members.end(),
                       [&](uint32_t life) {
                         return life == told.receiver || log_.lives[life].died_ns != kNever ||
                                log_.lives[life].left_ns != kNever;
                       }) ||
           lost_of_member(told, order_.tenures()[tenure]) || is_over(told, last) ||
           lets_itself_out(told, last);
  }

  [[nodiscard]] bool lets_itself_out(const Told& out, const View& view) const {
    const LogIndex& index = order_.index();
    return log_.lives[out.receiver].left_ns <= out.at_ns &&
           order_.is_quorum(view, 1, order_.breaks_ties(out.receiver)) &&
           std::ranges::any_of(log_.chosen, [&](const ChosenSaid& said) {
             return said.life == out.receiver && said.epoch > view.epoch &&
                    said.at_ns <= out.at_ns + turns_ns(index.node(out.receiver));
           });
  }

  // Too few of its lives are left for another view, whatever they hear: the others have died, or
  // were told that they are out themselves.
  [[nodiscard]] bool is_over(const Told& out, const View& view) const {
    size_t left = 0;
    bool tie_breaker = false;
    for (const uint32_t life : view.members) {
      if (log_.lives[life].died_ns <= out.at_ns || (life != out.receiver && is_out_by(life, out)))
        continue;
      ++left;
      tie_breaker |= order_.breaks_ties(life);
    }
    return !order_.is_quorum(view, left, tie_breaker);
  }
  [[nodiscard]] bool is_out_by(uint32_t life, const Told& out) const {
    return std::any_of(log_.told.begin(), log_.told.end(), [&](const Told& told) {
      return told.what == Told::What::kExcluded && told.receiver == life && told.at_ns <= out.at_ns;
    });
  }

  // Whether that is a true loss is Ended's; that the others go on without it, if they can, is
  // Progress's. A slow application takes the loss in one turn and hears of the end in a later one.
  [[nodiscard]] bool lost_of_member(const Told& out, const Tenure& tenure) const {
    const View& view = order_.views()[tenure.view];
    return std::any_of(log_.told.begin(), log_.told.end(), [&](const Told& told) {
      return told.is_gap() && told.receiver == out.receiver && told.at_ns >= tenure.begin_ns &&
             told.at_ns <= out.at_ns && told.reason != reliability::LossReason::kSenderGone &&
             view.has(told.sender);
    });
  }

  const OrderLog& order_;
  const Log& log_;
  ViolationList list_;
};

}  // namespace

Violations check_views(const OrderLog& order) { return Views(order).run(); }

}  // namespace lambdacast::sim
