// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/order_log.h"

#include <algorithm>

namespace lambdacast::sim {

namespace {

template <typename AnyView>
auto identity_of(const AnyView& view) {
  return std::tuple(view.epoch, view.round, view.coordinator, view.members);
}

bool share_members(const View& a, const View& b) {
  return std::any_of(a.members.begin(), a.members.end(),
                     [&](uint32_t life) { return b.has(life); });
}

}  // namespace

bool View::has(uint32_t life) const {
  return std::find(members.begin(), members.end(), life) != members.end();
}

OrderLog::OrderLog(const Scenario& scenario, const Log& log)
    : scenario_(scenario),
      log_(log),
      index_(scenario, log),
      by_life_(log.lives.size()),
      tenure_at_(log.told.size(), kNobody),
      firm_(log.told.size()),
      places_(log.publications.size()) {
  find_views();
  std::vector<bool> out(log.lives.size());
  for (uint32_t i = 0; i < log.told.size(); ++i) {
    const Told& told = log.told[i];
    if (told.what == Told::What::kView) install(i);
    if (by_life_[told.receiver].empty() || out[told.receiver]) continue;
    tenure_at_[i] = by_life_[told.receiver].back();
    out[told.receiver] = told.what == Told::What::kExcluded;
    if (told.is_ordered_message()) tenures_[tenure_at_[i]].delivered.push_back(i);
  }
  follow();
  for (const Tenure& tenure : tenures_) find_firm(tenure);
  for (uint32_t i = 0; i < log.told.size(); ++i) {
    if (!firm_[i] || log.told[i].publication == kNobody) continue;
    std::optional<Place>& place = places_[log.told[i].publication];
    if (!place) place = place_told(i);
  }
}

// In the order in which they follow each other, which is not always that in which anybody is told:
// a newcomer may be told of a view before any member is told of the one before.
void OrderLog::find_views() {
  std::vector<std::map<uint32_t, uint32_t>> told_of;  // as views_: by life, the place in Log::told
  std::map<Identity, std::map<uint32_t, uint32_t>> all;
  for (uint32_t i = 0; i < log_.told.size(); ++i) {
    if (log_.told[i].what == Told::What::kView)
      all[identity_of(log_.views[log_.told[i].view])].try_emplace(log_.told[i].receiver, i);
  }
  for (const Told& told : log_.told) {
    if (told.what != Told::What::kView) continue;
    const InstalledView& installed = log_.views[told.view];
    if (!numbers_.emplace(identity_of(installed), 0).second) continue;
    View view;
    view.epoch = installed.epoch;
    view.round = installed.round;
    view.coordinator = installed.coordinator;
    view.members = installed.members;
    view.first_ns = installed.at_ns;
    const auto& own = all[identity_of(installed)];
    // Ahead of the first view that somebody was told of later.
    const auto behind = std::ranges::find_if(told_of, [&](const auto& other) {
      return std::ranges::any_of(own, [&](const auto& each) {
        const auto found = other.find(each.first);
        return found != other.end() && found->second > each.second;
      });
    });
    views_.insert(views_.begin() + (behind - told_of.begin()), std::move(view));
    told_of.insert(behind, own);
  }
  for (uint32_t i = 0; i < views_.size(); ++i) numbers_[identity_of(views_[i])] = i;
}

void OrderLog::install(uint32_t number) {
  const Told& told = log_.told[number];
  Tenure tenure;
  tenure.life = told.receiver;
  tenure.view = numbers_.at(identity_of(log_.views[told.view]));
  tenure.stayed = log_.views[told.view].stayed;
  tenure.begin_ns = told.at_ns;
  std::vector<uint32_t>& before = by_life_[told.receiver];
  if (!before.empty()) {
    Tenure& last = tenures_[before.back()];
    last.next = tenure.view;
    last.end_ns = told.at_ns;
    View& view = views_[tenure.view];
    if (view.previous == kNobody && last.view != tenure.view) view.previous = last.view;
  }
  const auto at = static_cast<uint32_t>(tenures_.size());
  before.push_back(at);
  views_[tenure.view].tenures.push_back(at);
  tenures_.push_back(std::move(tenure));
}

// A view that only newcomers lived to install follows the one that shares members with it.
void OrderLog::follow() {
  for (uint32_t i = 0; i < views_.size(); ++i) {
    View& view = views_[i];
    for (uint32_t j = i; j-- > 0 && view.previous == kNobody;) {
      if (views_[j].epoch < view.epoch && share_members(views_[j], view)) view.previous = j;
    }
    if (view.previous == kNobody) continue;
    uint32_t& next = views_[view.previous].next;
    if (next == kNobody) next = i;
  }
}

uint32_t OrderLog::first_view(uint32_t life) const {
  return by_life_[life].empty() ? kNobody : tenures_[by_life_[life].front()].view;
}

bool OrderLog::came_to(const View& view, uint32_t life) const {
  return std::any_of(view.tenures.begin(), view.tenures.end(),
                     [&](uint32_t number) { return tenures_[number].life == life; });
}

size_t OrderLog::departed(const View& view) const {
  if (view.next == kNobody) return 0;
  const View& next = views_[view.next];
  return static_cast<size_t>(std::count_if(view.members.begin(), view.members.end(),
                                           [&](uint32_t life) { return !next.has(life); }));
}

bool OrderLog::is_quorum(const View& view, size_t members, bool tie_breaker) const {
  return 2 * members > view.members.size() || (2 * members == view.members.size() && tie_breaker);
}

void OrderLog::find_firm(const Tenure& tenure) {
  const View& view = views_[tenure.view];
  // Nobody has gone on: there is nothing but the sequencers' marks, the same for all.
  const bool all = tenure.next != kNobody || view.next == kNobody;
  const bool k_binds = departed(view) <= scenario_.membership.order.k;
  std::map<uint32_t, uint64_t> bound;  // by domain: up to this index, exclusive
  for (const uint32_t i : tenure.delivered) {
    const Told& told = log_.told[i];
    if (told.qos >= wire::Qos::kMajority || (told.qos == wire::Qos::kKResilient && k_binds)) {
      uint64_t& end = bound[told.domain];
      end = std::max(end, told.index + 1);
    }
  }
  for (const uint32_t i : tenure.delivered) {
    const auto end = bound.find(log_.told[i].domain);
    firm_[i] = all || (end != bound.end() && log_.told[i].index < end->second);
  }
}

// A node that is left alone asks nobody, so no ballot tells when it went on. In wild surroundings
// its application takes long to be told. If it leaves or dies, it installs no view, and says in the
// ballot what it has decided before.
uint64_t OrderLog::lag_ns(uint32_t life) const {
  return log_.lives[life].wild ? 1'000'000 : 200'000;
}

uint64_t OrderLog::last_epoch(const Tenure& tenure, uint64_t at_ns) const {
  const uint64_t lag_ns = this->lag_ns(tenure.life);
  const bool leaves = tenure.next == kNobody && log_.lives[tenure.life].left_ns <= at_ns;
  const uint64_t spoken = index_.last_ballot(tenure.life, leaves ? at_ns + lag_ns : at_ns);
  const bool alone = tenure.next != kNobody && alone_in(views_[tenure.next], tenure) &&
                     tenure.end_ns <= at_ns + lag_ns;
  if (alone) return std::max(spoken, views_[tenure.next].epoch);
  return std::max(spoken, alone_untold(tenure, at_ns));
}

uint64_t OrderLog::alone_untold(const Tenure& tenure, uint64_t at_ns) const {
  if (tenure.next != kNobody) return 0;
  for (const ChosenSaid& said : log_.chosen) {
    if (said.life != tenure.life || said.epoch <= views_[tenure.view].epoch) continue;
    if (said.at_ns > at_ns + lag_ns(tenure.life)) continue;
    if (index_.last_ballot(said.life, said.at_ns - 1) < said.epoch) return said.epoch;
  }
  return 0;
}

bool OrderLog::alone_in(const View& next, const Tenure& tenure) const {
  const View& view = views_[tenure.view];
  return std::none_of(view.members.begin(), view.members.end(),
                      [&](uint32_t life) { return life != tenure.life && next.has(life); });
}

bool OrderLog::recovered(uint32_t told) const {
  if (tenure_at_[told] == kNobody) return false;
  const Tenure& tenure = tenures_[tenure_at_[told]];
  const uint64_t at_ns = log_.told[told].at_ns;
  if (tenure.end_ns == at_ns) return true;
  return last_epoch(tenure, at_ns) > views_[tenure.view].epoch;
}

std::optional<Place> OrderLog::place(uint32_t publication) const { return places_[publication]; }

bool OrderLog::before_first_view(uint32_t publication, uint32_t life) const {
  const uint32_t first = first_view(life);
  if (first == kNobody) return true;
  if (const auto& place = places_[publication]) return place->view < first;
  const Publication& of = log_.publications[publication];
  for (const uint32_t number : by_life_[of.life]) {
    if (tenures_[number].view == first) return of.sent_ns < tenures_[number].begin_ns;
  }
  return of.sent_ns < views_[first].first_ns;
}

Place OrderLog::place_told(uint32_t told) const {
  const uint32_t tenure = tenure_at_[told];
  return {tenure == kNobody ? kNobody : tenures_[tenure].view, log_.told[told].domain,
          log_.told[told].index};
}

std::string OrderLog::name(const View& view) const {
  return "view " + std::to_string(view.epoch) + "." + std::to_string(view.round);
}

}  // namespace lambdacast::sim
