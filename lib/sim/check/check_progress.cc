// SPDX-License-Identifier: BSD-3-Clause
// What views and total order owe once the faults are over. They owe it only if enough are left: of
// the last primary view a quorum, and of the one before too if all who had come along are gone (who
// accepted the last one has to say so); or, if nobody of any view lives, those that a first one
// waits for. And nobody stays in a view that is over for good.
#include <algorithm>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

// A life that may be in the last view: it lives, did not leave and was not told that it is out.
std::vector<bool> survivors(const Log& log) {
  std::vector<bool> survivors;
  for (const Life& life : log.lives)
    survivors.push_back(life.died_ns == kNever && life.left_ns == kNever);
  for (const Told& told : log.told) {
    if (told.what == Told::What::kExcluded) survivors[told.receiver] = false;
  }
  return survivors;
}

class Progress {
 public:
  explicit Progress(const OrderLog& order)
      : order_(order),
        log_(order.log()),
        survives_(survivors(log_)),
        alive_(static_cast<size_t>(std::count(survives_.begin(), survives_.end(), true))),
        list_("Progress") {}

  [[nodiscard]] bool owed() const {
    const MembershipScenario& membership = order_.scenario().membership;
    const uint32_t last = last_before(order_.scenario().fabric.faults_end_ns);
    if (alive_ < membership.views.minimum_partition) return false;
    if (last != kNobody) {
      const View& view = order_.views()[last];
      // Who cannot come along to it has to join anew, and is none of the next one's members.
      const auto came = static_cast<size_t>(std::count_if(
          view.members.begin(), view.members.end(),
          [&](uint32_t life) { return lives_on(life) && order_.came_to(view, life); }));
      // If nobody has who is left, those who accepted it have to say so.
      const bool decided =
          came != 0 || view.previous == kNobody || quorum_left(order_.views()[view.previous]);
      const size_t go_on = came != 0 ? came : left_of(view);
      if (go_on >= membership.views.minimum_partition && decided && quorum_left(view)) return true;
      if (left_of(view) != 0) return false;
    }
    for (uint32_t life = 0; life < log_.lives.size(); ++life) {
      if (log_.lives[life].died_ns == kNever && order_.first_view(life) != kNobody) return false;
    }
    const size_t initial = membership.views.initial_nodes;
    return alive_ >= (initial == 0 ? order_.scenario().nodes.size() : initial);
  }

  Violations run() {
    check_nobody_stays_behind();
    if (!owed()) return list_.take();
    const uint32_t last = last_before(kNever);
    if (last == kNobody) {
      list_.add("no view, of " + std::to_string(alive_) + " lives that could have one");
      return list_.take();
    }
    const View& view = order_.views()[last];
    for (uint32_t life = 0; life < log_.lives.size(); ++life) {
      const auto& tenures = order_.tenures_of(life);
      const bool there = !tenures.empty() && order_.tenures()[tenures.back()].view == last;
      if (survives_[life] && !there)
        list_.add(order_.index().name(life) + " is not in " + order_.name(view) + " at the end");
      if (!survives_[life] && view.has(life))
        list_.add(order_.name(view) + " is the last, and " + order_.index().name(life) +
                  " in it is no more");
    }
    check_deliveries();
    return list_.take();
  }

 private:
  [[nodiscard]] bool lives_on(uint32_t life) const {
    return life < survives_.size() && survives_[life];
  }
  [[nodiscard]] size_t left_of(const View& view) const {
    return static_cast<size_t>(std::count_if(view.members.begin(), view.members.end(),
                                             [&](uint32_t life) { return lives_on(life); }));
  }
  [[nodiscard]] bool quorum_left(const View& view) const {
    const bool tie_breaker =
        std::any_of(view.members.begin(), view.members.end(),
                    [&](uint32_t life) { return lives_on(life) && order_.breaks_ties(life); });
    return order_.is_quorum(view, left_of(view), tie_breaker);
  }
  [[nodiscard]] uint32_t last_before(uint64_t ns) const {
    for (size_t i = order_.views().size(); i-- > 0;) {
      if (order_.views()[i].first_ns <= ns) return static_cast<uint32_t>(i);
    }
    return kNobody;
  }

  // A life that can hear that most of its view live on as others has to end, or they wait for it.
  void check_nobody_stays_behind() {
    for (uint32_t life = 0; life < log_.lives.size(); ++life) {
      const auto& tenures = order_.tenures_of(life);
      if (!survives_[life] || tenures.empty()) continue;
      const View& view = order_.views()[order_.tenures()[tenures.back()].view];
      size_t open = 0;  // lives that may vote yet, for all that can be heard
      bool tie_breaker = false;
      for (const uint32_t member : view.members) {
        if (!survives_[member] && lives_on_as_another(log_.lives[member].node)) continue;
        ++open;
        tie_breaker |= order_.breaks_ties(member);
      }
      if (!order_.is_quorum(view, open, tie_breaker))
        list_.add(order_.index().name(life) + " stays in " + order_.name(view) +
                  ", which is over for good");
    }
  }
  // Since the faults, so that everybody has had time to hear it.
  [[nodiscard]] bool lives_on_as_another(size_t node) const {
    return std::any_of(log_.lives.begin(), log_.lives.end(), [&](const Life& life) {
      return life.node == node && life.died_ns == kNever && life.left_ns == kNever &&
             life.born_ns <= order_.scenario().fabric.faults_end_ns;
    });
  }

  // Every ordered message of a survivor, and every one that anybody delivered firmly, at every
  // survivor that subscribes to it and was in the view in which it has its place.
  void check_deliveries() {
    std::vector<std::vector<bool>> got(log_.lives.size());
    for (uint32_t life = 0; life < log_.lives.size(); ++life) {
      if (survives_[life]) got[life].resize(log_.publications.size());
    }
    for (const Told& told : log_.told) {
      if (told.is_ordered_message() && told.publication != kNobody && survives_[told.receiver])
        got[told.receiver][told.publication] = true;
    }
    for (uint32_t i = 0; i < log_.publications.size(); ++i) {
      const Publication& publication = log_.publications[i];
      if (!is_ordered(publication.qos)) continue;
      const auto place = order_.place(i);
      if (!place && !survives_[publication.life]) continue;
      for (uint32_t life = 0; life < log_.lives.size(); ++life) {
        if (!survives_[life] || got[life][i]) continue;
        if (!order_.index().subscribed(life, publication.group)) continue;
        if (order_.before_first_view(i, life)) continue;
        list_.add(order_.index().name(life) + " never delivered message " + std::to_string(i) +
                  " of " + order_.index().name(publication.life));
      }
    }
  }

  const OrderLog& order_;
  const Log& log_;
  std::vector<bool> survives_;
  size_t alive_;
  ViolationList list_;
};

}  // namespace

bool progress_owed(const OrderLog& order) { return Progress(order).owed(); }

Violations check_progress(const OrderLog& order) { return Progress(order).run(); }

}  // namespace lambdacast::sim
