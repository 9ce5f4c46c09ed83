// SPDX-License-Identifier: BSD-3-Clause
// Nobody is excluded without a fault: whoever was in a view and is not in the next one crashed,
// left, stood still, could not be heard by another member or could not hear it, or lagged. The
// times are those of suspicion, which is silence as it is heard, or of evict_lag if a member
// evicts, and a fault counts from shortly before the view to its end.
#include <algorithm>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

class Excluded {
 public:
  explicit Excluded(const OrderLog& order)
      : order_(order),
        scenario_(order.scenario()),
        log_(order.log()),
        suspect_ns_(scenario_.membership.views.suspect_after_ns -
                    scenario_.membership.views.suspect_after_ns / 1000),
        list_("Excluded") {}

  Violations run() {
    for (const View& view : order_.views()) {
      if (view.previous == kNobody) continue;
      const View& before = order_.views()[view.previous];
      for (const uint32_t life : before.members) {
        if (view.has(life) || had_cause(life, before, view.first_ns)) continue;
        list_.add(order_.index().name(life) + " is not in " + order_.name(view) + " at " +
                  std::to_string(view.first_ns) + " ns, and there was no fault for " +
                  std::to_string(scenario_.membership.views.suspect_after_ns) + " ns");
      }
    }
    return list_.take();
  }

 private:
  [[nodiscard]] bool had_cause(uint32_t life, const View& before, uint64_t until_ns) const {
    const Life& of = log_.lives[life];
    if (of.died_ns <= until_ns || of.left_ns <= until_ns) return true;
    const uint64_t since_ns =
        before.first_ns -
        std::min(before.first_ns, 2 * scenario_.membership.views.suspect_after_ns);
    // Silence counts from the last control frame before the fault, up to a heartbeat earlier.
    const uint64_t before_ns = scenario_.membership.views.heartbeat_ns * 5 / 4;
    const uint64_t fault_ns = suspect_ns_ - std::min(suspect_ns_, before_ns);
    return stayed_behind(life, before, until_ns) || paused(of.node, fault_ns, since_ns, until_ns) ||
           parted(life, before, fault_ns, since_ns, until_ns) ||
           unheard(life, before, since_ns, until_ns) || lagged(life, before, since_ns, until_ns);
  }

  // It did not come along to that view in time: a member died before it could be followed there, or
  // its application was too slow to take what the view before ended with.
  [[nodiscard]] bool stayed_behind(uint32_t life, const View& before, uint64_t until_ns) const {
    return !order_.came_to(before, life) && until_ns - before.first_ns > 2 * suspect_ns_ &&
           (slow(life) ||
            std::any_of(before.members.begin(), before.members.end(),
                        [&](uint32_t member) { return log_.lives[member].died_ns <= until_ns; }));
  }
  // Is its application slow to take what it is given?
  [[nodiscard]] bool slow(uint32_t life) const {
    const NodeScenario& node = order_.index().node(life);
    return node.poll_most < NodeScenario{}.poll_most || node.wild.application_refusal > 0;
  }

  // Was [begin, end), of which counts what lies before `until`, so long, and not over before
  // `since`?
  [[nodiscard]] static bool lasted(uint64_t begin_ns, uint64_t end_ns, uint64_t long_ns,
                                   uint64_t since_ns, uint64_t until_ns) {
    const uint64_t over_ns = std::min(end_ns, until_ns);
    return over_ns >= since_ns && over_ns >= begin_ns && over_ns - begin_ns >= long_ns;
  }

  [[nodiscard]] bool paused(size_t node, uint64_t long_ns, uint64_t since_ns,
                            uint64_t until_ns) const {
    uint64_t begin_ns = kNever;
    std::vector<Action> actions = scenario_.actions;
    std::stable_sort(actions.begin(), actions.end(),
                     [](const Action& a, const Action& b) { return a.at_ns < b.at_ns; });
    for (const Action& action : actions) {
      if (action.node != node || action.what == Action::What::kStart ||
          action.what == Action::What::kLeave || action.what == Action::What::kNeed)
        continue;  // neither does anything to one that is paused
      if (action.what == Action::What::kPause) begin_ns = std::min(begin_ns, action.at_ns);
      if (action.what == Action::What::kPause || begin_ns == kNever) continue;
      if (lasted(begin_ns, action.at_ns, long_ns, since_ns, until_ns)) return true;
      begin_ns = kNever;
    }
    return begin_ns != kNever && lasted(begin_ns, kNever, long_ns, since_ns, until_ns);
  }

  [[nodiscard]] bool parted(uint32_t life, const View& before, uint64_t long_ns, uint64_t since_ns,
                            uint64_t until_ns) const {
    const size_t node = log_.lives[life].node;
    const auto member = [&](size_t other) {
      return std::any_of(before.members.begin(), before.members.end(),
                         [&](uint32_t each) { return log_.lives[each].node == other; });
    };
    const std::vector<Partition>& all = scenario_.fabric.partitions;
    return std::any_of(all.begin(), all.end(), [&](const Partition& each) {
      return each.from != each.to &&
             ((each.from == node && member(each.to)) || (each.to == node && member(each.from))) &&
             lasted(each.begin_ns, each.end_ns, long_ns, since_ns, until_ns);
    });
  }

  // Silence for which losses are to blame.
  [[nodiscard]] bool unheard(uint32_t life, const View& before, uint64_t since_ns,
                             uint64_t until_ns) const {
    return std::any_of(log_.silences.begin(), log_.silences.end(), [&](const Silence& each) {
      return each.copies_lost > 0 &&
             ((each.sender == life && before.has(each.receiver)) ||
              (each.receiver == life && before.has(each.sender))) &&
             lasted(each.begin_ns, each.end_ns, suspect_ns_, since_ns, until_ns);
    });
  }

  // A member that evicts knows of what others lack by their statuses: half of evict_lag for the
  // lag itself, half for the way. Losses may delay both for any time. If it accuses most of the
  // others, or who leads, it is out itself.
  [[nodiscard]] bool lagged(uint32_t life, const View& before, uint64_t since_ns,
                            uint64_t until_ns) const {
    uint64_t lag_ns = kNever;
    for (const uint32_t member : before.members) {
      const reliability::ReliabilityConfig& repair = order_.index().node(member).repair;
      if (repair.slow_receiver == reliability::SlowReceiver::kEvict)
        lag_ns = std::min(lag_ns, repair.evict_lag_ns / 2);
    }
    if (lag_ns == kNever) return false;
    // In wild surroundings a slow member that is accused, and that was awake, accuses in turn:
    // either may go.
    return lossy() || slow(life) ||
           std::ranges::any_of(
               before.members,
               [&](uint32_t each) { return log_.lives[each].wild && slow(each); }) ||
           paused(log_.lives[life].node, lag_ns, since_ns, until_ns) ||
           parted(life, before, lag_ns, since_ns, until_ns);
  }
  [[nodiscard]] bool lossy() const {
    return log_.copies_lost + log_.copies_damaged + log_.ring_losses > 0 ||
           scenario_.fabric.transmitter_loss > 0;
  }

  const OrderLog& order_;
  const Scenario& scenario_;
  const Log& log_;
  uint64_t suspect_ns_;  // clocks differ by less than a thousandth in rate
  ViolationList list_;
};

}  // namespace

Violations check_excluded(const OrderLog& order) { return Excluded(order).run(); }

}  // namespace lambdacast::sim
