// SPDX-License-Identifier: BSD-3-Clause
// Calls to groups, from what callers and members were told.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "lambdacast/call.h"
#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"
#include "sim/multicast/call_host.h"
#include "wire/control/request.h"

namespace lambdacast::sim {

namespace {

using What = CallTold::What;
using End = Outcome::What;
using Fate = lambdacast::Asked::Fate;

// All that the log has of one call.
struct Call {
  const CallTold* made = nullptr;
  const CallTold* ended = nullptr;
  std::map<uint32_t, const CallTold*> requests;  // by life
  std::set<uint32_t> answering;                  // lives
  std::set<uint32_t> declining;
  std::set<uint32_t> keeping;
  std::set<uint32_t> answers;  // that its caller got, by life

  // By a session: a repetition has no place, and names those who are asked now.
  [[nodiscard]] bool outside() const { return made->number > kOutsideNumbers; }
  [[nodiscard]] bool has_place() const { return ended != nullptr && ended->epoch != 0; }
  [[nodiscard]] size_t count(Fate fate) const {
    return static_cast<size_t>(std::ranges::count_if(
        ended->fates, [&](const auto& each) { return each.fate == static_cast<uint8_t>(fate); }));
  }
};

class CallCheck {
 public:
  explicit CallCheck(const OrderLog& order) : order_(order), log_(order.log()) {}

  Violations run() {
    for (const CallTold& told : log_.calls_told) gather(told);
    for (const GroupTold& told : log_.group_told) {
      if (told.what == GroupTold::What::kEnded) ends_.emplace(told.life, told.name);
    }
    const bool owed = progress_owed(order_);
    for (const auto& [name, call] : calls_) {
      if (call.made == nullptr) {
        outcome_.add(said(name) + "nobody has made it");
        continue;
      }
      one_place(name, call);
      at_its_level(name, call);
      answers(name, call);
      if (call.ended != nullptr) ended(name, call);
      if (call.ended == nullptr && owed) never_ended(name, call);
    }
    Violations all = once_.take();
    for (std::string& each : outcome_.take()) all.push_back(std::move(each));
    return all;
  }

 private:
  using Name = std::pair<uint32_t, uint64_t>;  // caller and number

  [[nodiscard]] std::string said(const Name& name) const {
    return "call " + std::to_string(name.second) + " of " + order_.index().name(name.first) + ": ";
  }

  void gather(const CallTold& told) {
    const Name name{told.caller, told.number};
    Call& call = calls_[name];
    const std::string who = order_.index().name(told.life);
    switch (told.what) {
      case What::kCalled:
        call.made = &told;
        break;
      case What::kRequested:
        if (!call.requests.emplace(told.life, &told).second)
          once_.add(said(name) + "requested twice of " + who);
        break;
      case What::kAnswering:
        if (!call.answering.insert(told.life).second)
          outcome_.add(said(name) + who + " answers twice");
        break;
      case What::kKeeping:
        call.keeping.insert(told.life);
        break;
      case What::kDeclining:
        call.declining.insert(told.life);
        break;
      case What::kAnswer:
        if (call.ended != nullptr) outcome_.add(said(name) + "an answer behind its end");
        if (!call.answers.insert(told.from).second)
          outcome_.add(said(name) + "two answers of " + order_.index().name(told.from));
        if (told.content != answer_to(told.caller, told.number, told.from))
          outcome_.add(said(name) + "an answer that is not " + order_.index().name(told.from) +
                       "'s");
        break;
      case What::kEnded:
        if (call.ended != nullptr) outcome_.add(said(name) + "ended twice");
        call.ended = &told;
        break;
    }
  }

  // Below majority this holds among those who go on, who are not told apart here.
  void one_place(const Name& name, const Call& call) {
    if (call.made->qos < wire::Qos::kMajority) return;
    const CallTold* first = nullptr;
    for (const auto& [life, request] : call.requests) {
      if (first == nullptr) first = request;
      if (request->epoch != first->epoch || request->index != first->index)
        once_.add(said(name) + "at two places");
    }
    if (first != nullptr && call.has_place() &&
        (first->epoch != call.ended->epoch || first->index != call.ended->index)) {
      once_.add(said(name) + "at another place than its caller is told");
    }
  }

  // Held (check_resilience.cc) says who has the request when it is delivered at its level. So no
  // caller is told of a place before as many have it as the level says.
  void at_its_level(const Name& name, const Call& call) {
    for (const auto& [life, request] : call.requests) {
      if (request->qos >= call.made->qos) continue;
      outcome_.add(said(name) + order_.index().name(life) +
                   " is requested below the level that its caller wants");
    }
  }

  void answers(const Name& name, const Call& call) {
    for (const uint32_t life : call.answers) {
      if (call.answering.contains(life)) continue;
      if (!call.keeping.contains(life)) {
        outcome_.add(said(name) + "an answer that nobody has given");
      } else if (std::ranges::any_of(call.requests, [&](const auto& each) {
                   return each.second->asked && !gone(*each.second);
                 })) {
        outcome_.add(said(name) + "an answer kept for a holder that has never gone");
      }
    }
  }

  // Has the life that was requested been out of the group since, or has a view gone on without it?
  [[nodiscard]] bool gone(const CallTold& requested) const {
    const Life& life = log_.lives[requested.life];
    if (life.died_ns != kNever || life.left_ns != kNever) return true;
    if (ends_.contains({requested.life, requested.name})) return true;
    return std::ranges::any_of(log_.views, [&](const InstalledView& view) {
      return view.epoch > requested.epoch && !std::ranges::count(view.members, requested.life);
    });
  }

  void ended(const Name& name, const Call& call) {
    const CallTold& end = *call.ended;
    const auto delivered = static_cast<Outcome::Delivered>(end.delivered);
    if (delivered == Outcome::Delivered::kNo && !call.requests.empty())
      outcome_.add(said(name) + "never delivered, as its caller is told, and requested");
    if (call.outside() && delivered == Outcome::Delivered::kYes && call.requests.empty())
      outcome_.add(said(name) + "delivered, as its caller is told, and nobody was requested");
    std::set<uint32_t> asked;
    for (const CallTold::Fate& each : end.fates) {
      if (!asked.insert(each.life).second) outcome_.add(said(name) + "asked the same life twice");
      fate(name, call, each);
    }
    const bool placed = call.has_place();
    for (const auto& [life, request] : call.requests) {
      if (!placed || !request->asked || call.outside()) continue;
      const bool there = request->epoch == end.epoch && request->index == end.index;
      if (there && !asked.contains(life))
        outcome_.add(said(name) + order_.index().name(life) + " was asked, its caller is not told");
    }
    whole(name, call);
  }

  void fate(const Name& name, const Call& call, const CallTold::Fate& each) {
    const std::string who = order_.index().name(each.life);
    const auto fate = static_cast<Fate>(each.fate);
    if ((fate == Fate::kAnswered) != call.answers.contains(each.life))
      outcome_.add(said(name) + who + " has answered, or not, against what its caller is told");
    if (fate == Fate::kDeclined && call.answering.contains(each.life))
      outcome_.add(said(name) + who + " has declined, and answers");
    // Of a call by a session it is whoever is out of the group.
    if (fate == Fate::kDeparted && !call.outside()) {
      const uint32_t view = call.ended->view;
      const bool there = view != kNobody && std::ranges::count(log_.views[view].members, each.life);
      if (there) outcome_.add(said(name) + who + " has departed, and is in its caller's view");
    }
  }

  // Is the outcome what the fates say?
  void whole(const Name& name, const Call& call) {
    const CallTold& end = *call.ended;
    const size_t answered = call.count(Fate::kAnswered);
    const size_t silent = call.count(Fate::kSilent);
    const bool holder = call.made->want == static_cast<uint8_t>(Want::kHolder);
    const bool acknowledgement = call.made->want == static_cast<uint8_t>(Want::kAcknowledgement);
    const size_t wanted = holder ? 1 : call.made->k == 0 ? end.fates.size() : call.made->k;
    bool right = true;
    switch (static_cast<End>(end.outcome)) {
      case End::kAcknowledged:
        right = acknowledgement && end.fates.empty();
        break;
      case End::kAnswered:
        right = answered >= wanted && answered != 0;
        break;
      case End::kShort:
        right = answered < wanted && silent == 0 && !end.fates.empty();
        break;
      case End::kNobody:
      case End::kRefused:
        right = end.fates.empty() && !acknowledgement;
        break;
      case End::kHolderDeparted:
        right = holder && !end.fates.empty() &&
                call.count(Fate::kDeparted) == (call.outside() ? end.fates.size() : 1);
        break;
      case End::kNoAnswerKept:
        right = call.outside() && answered < wanted && silent == 0;
        break;
      case End::kExpired:
        right = call.outside();
        break;
      case End::kTimeout:
      case End::kUnknown:
        break;
    }
    if (static_cast<End>(end.outcome) == End::kRefused) right = end.fates.empty();
    if (!right) outcome_.add(said(name) + "its end is not what those who were asked have done");
  }

  [[nodiscard]] bool is_in(uint32_t life, uint32_t name) const {
    return std::ranges::any_of(log_.group_standings, [&](const GroupStanding& standing) {
      return standing.life == life && name < standing.groups.size() && standing.groups[name].in;
    });
  }

  // Of a call by a session: another node is an entry, and a member of the group says what became of
  // the request.
  [[nodiscard]] bool can_end(uint32_t caller, uint32_t name) const {
    const auto& standings = log_.group_standings;
    const auto entry = [&](const GroupStanding& each) {
      return each.life != caller && each.informed;
    };
    return std::ranges::any_of(standings, entry) &&
           std::ranges::any_of(standings,
                               [&](const GroupStanding& each) { return is_in(each.life, name); });
  }

  // A caller that lives waits for somebody only who was asked, is in the group, and says nothing.
  void never_ended(const Name& name, const Call& call) {
    const Life& caller = log_.lives[name.first];
    if (caller.died_ns != kNever || caller.left_ns != kNever) return;
    if (call.outside() && !can_end(name.first, call.made->name)) return;
    if (waits(call) || (call.outside() && has_no_number(name, call))) return;
    outcome_.add(said(name) + "it has not ended, and nobody has to answer it");
  }
  [[nodiscard]] bool waits(const Call& call) const {
    return std::ranges::any_of(call.requests, [&](const auto& each) {
      return each.second->asked && is_in(each.first, each.second->name) &&
             !call.answering.contains(each.first) && !call.declining.contains(each.first);
    });
  }
  // A session gives its calls numbers in their order, and none as long as so many are above one
  // that has not ended.
  [[nodiscard]] bool has_no_number(const Name& name, const Call& call) const {
    if (!call.requests.empty()) return false;
    uint64_t above = 0;  // the first that waits
    for (auto it = calls_.lower_bound({name.first, kOutsideNumbers + 1}); it->first < name; ++it) {
      const Call& earlier = it->second;
      if (earlier.made == nullptr || earlier.made->name != call.made->name) continue;
      if (above != 0 || (earlier.ended == nullptr && waits(earlier))) ++above;
    }
    return above >= wire::kRequestsUnderWay;
  }

  const OrderLog& order_;
  const Log& log_;
  std::map<Name, Call> calls_;
  std::set<std::pair<uint32_t, uint32_t>> ends_;  // of memberships in groups: life and name
  ViolationList once_{"Once"};
  ViolationList outcome_{"Outcome"};
};

}  // namespace

Violations check_calls(const OrderLog& order) { return CallCheck(order).run(); }

}  // namespace lambdacast::sim
