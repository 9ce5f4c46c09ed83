// SPDX-License-Identifier: BSD-3-Clause
// Whether who has heard of no quorum for the length of a lease sends as one without a share, from
// the frames alone: what a node believes of itself is not asked.
#include <algorithm>
#include <map>
#include <tuple>

#include "sim/check/checkers.h"
#include "sim/check/earned.h"
#include "sim/check/log_index.h"
#include "sim/check/outside_rate.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {
namespace {

using Identity = std::tuple<uint64_t, uint64_t, uint32_t>;  // of a view: epoch, round, coordinator

// The words of quorums of its views that one life has heard.
class Words {
 public:
  Words(const Scenario& scenario, const Log& log, uint32_t life)
      : scenario_(scenario), log_(log), life_(life) {}

  // It is a member of that view from then on, until the next.
  void install(const InstalledView& view, uint64_t at_ns) {
    // In a view of its own it is the quorum without which no other view can begin. It has no share
    // there, but what it grants itself lasts into the next one.
    if (single_) until_ns_ = std::max(until_ns_, at_ns + length_ns());
    out(at_ns);
    single_ = view.members.size() == 1;
    if (sufficient(view.members, {life_})) alone_ = true;
  }
  void out(uint64_t at_ns) {
    if (alone_) until_ns_ = std::max(until_ns_, at_ns + length_ns());
    alone_ = single_ = false;
  }
  // A frame of a member of a view: it counts from when it was heard, but is worth nothing when it
  // has waited for as long as a lease lasts.
  void hear(const Vouched& word, const std::vector<uint32_t>* members) {
    const uint64_t at_ns = std::min(word.at_ns, word.sent_ns + length_ns());
    if (members == nullptr) {  // nobody lived to tell of that view
      until_ns_ = std::max(until_ns_, at_ns + length_ns());
      return;
    }
    const auto own = std::find(members->begin(), members->end(), life_);
    const auto rank = static_cast<size_t>(own - members->begin());
    if (own == members->end() || (rank < 64 && (word.suspects >> rank & 1) != 0)) return;
    std::map<uint32_t, uint64_t>& heard = heard_[{word.epoch, word.round, word.coordinator}];
    heard[word.sender] = std::max(heard[word.sender], at_ns);
    std::vector<std::pair<uint64_t, uint32_t>> latest;
    for (const uint32_t member : *members) {
      if (const auto found = heard.find(member); found != heard.end() && member != life_)
        latest.push_back({found->second, member});
    }
    std::sort(latest.rbegin(), latest.rend());
    std::vector<uint32_t> voters = {life_};
    for (const auto& [said_ns, member] : latest) {
      voters.push_back(member);
      if (!sufficient(*members, voters)) continue;
      until_ns_ = std::max(until_ns_, said_ns + length_ns());
      return;
    }
  }

  // Until when a quorum has been heard within the length of a lease.
  [[nodiscard]] uint64_t fresh_until_ns() const {
    // A word takes time within a node that lcores and links divide, and so does a burst that a port
    // refuses.
    const uint64_t within_ns = log_.lives[life_].wild ? 100'000 : 1'000;
    return alone_ ? kNever : until_ns_ + within_ns;
  }

 private:
  // By the quorum's rule: more than half, or half with the tie-breaker. One alone is never enough
  // for a share in a view of its own.
  [[nodiscard]] bool sufficient(const std::vector<uint32_t>& members,
                                const std::vector<uint32_t>& voters) const {
    const bool ties = std::any_of(voters.begin(), voters.end(), [&](uint32_t voter) {
      return log_.lives[voter].node == scenario_.membership.tie_breaker;
    });
    return members.size() > 1 && 2 * voters.size() + (ties ? 1 : 0) > members.size();
  }
  [[nodiscard]] uint64_t length_ns() const {
    const uint64_t length_ns = scenario_.membership.views.suspect_after_ns / 4;
    return length_ns + length_ns / 1'000;  // by its own clock
  }

  const Scenario& scenario_;
  const Log& log_;
  const uint32_t life_;
  std::map<Identity, std::map<uint32_t, uint64_t>> heard_;  // by view and member: when
  uint64_t until_ns_ = 0;
  bool alone_ = false;   // it is a quorum by itself
  bool single_ = false;  // it is the only member of its view
};

struct Standing {
  uint64_t at_ns = 0;
  const InstalledView* view = nullptr;  // none: it is out
};

// The views of a life in their order.
std::vector<Standing> standings_of(const Log& log, const LogIndex& index, uint32_t life) {
  std::vector<Standing> standings;
  for (const Told& told : log.told) {
    if (told.receiver != life) continue;
    if (told.what == Told::What::kExcluded) standings.push_back({told.at_ns, nullptr});
    if (told.what != Told::What::kView) continue;
    const InstalledView& view = log.views[told.view];
    standings.push_back({index.begun_ns(view), &view});
  }
  return standings;
}

}  // namespace

Violations check_outside(const Scenario& scenario, const Log& log) {
  const LogIndex index(scenario, log);
  ViolationList list("Outside");
  if (!log.rates) return list.take();
  std::map<Identity, const std::vector<uint32_t>*> views;
  for (const InstalledView& view : log.views)
    views.emplace(Identity{view.epoch, view.round, view.coordinator}, &view.members);
  for (uint32_t life = 0; life < log.lives.size(); ++life) {
    const uint64_t outside = outside_bps(scenario, log, life);
    if (index.node(life).rate.capacity_bps == 0 || outside == kNoLimit) continue;
    Words words(scenario, log, life);
    Earned earned(scenario, index.node(life));
    bool was_fresh = true;
    auto word = log.vouched.begin();
    const std::vector<Standing> standings = standings_of(log, index, life);
    auto standing = standings.begin();
    for (const OnWire& frame : log.wire) {
      if (frame.life != life || !frame.data) continue;
      for (; standing != standings.end() && standing->at_ns <= frame.offered_ns; ++standing) {
        if (standing->view != nullptr)
          words.install(*standing->view, standing->at_ns);
        else
          words.out(standing->at_ns);
      }
      for (; word != log.vouched.end() && word->at_ns <= frame.offered_ns; ++word) {
        if (word->receiver != life) continue;
        const auto of = views.find({word->epoch, word->round, word->coordinator});
        words.hear(*word, of == views.end() ? nullptr : of->second);
      }
      const uint64_t until_ns = words.fresh_until_ns();
      if (frame.offered_ns < until_ns)
        earned.allow(frame.offered_ns, kNoLimit);
      else if (was_fresh)
        earned.allow(until_ns, outside);
      was_fresh = frame.offered_ns < until_ns;
      const uint64_t over = earned.send(frame.offered_ns, frame.bytes);
      if (over == 0) continue;
      list.add(index.name(life) + " has heard of no quorum and has sent " + std::to_string(over) +
               " bytes more than without a share at " + std::to_string(frame.offered_ns) +
               " ns; its lease ended at " + std::to_string(until_ns) + " ns");
    }
  }
  return list.take();
}

}  // namespace lambdacast::sim
