// SPDX-License-Identifier: BSD-3-Clause
#include "group/requests.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lambdacast::group {

using wire::AnswerStatus;
using wire::RequestType;
using wire::RequestWant;
using State = LocalGroup::State;

namespace {

// Requests that are declined while there is no room to say so, beyond those that have a ticket:
// what a few callers may have under way.
constexpr size_t kMoreUnsaid = 4096;
// Statuses and answers to repetitions that wait for room.
constexpr size_t kMostToSay = 1024;
// Tickets to keep() by have this bit, and those to answer() by do not.
constexpr uint64_t kToKeep = uint64_t{1} << 63;

}  // namespace

NodeSet asked_by(const wire::Envelope& request, const Group& group, const HandlerTable& locks) {
  if (request.want == RequestWant::kAnswers) return group.members.holders();
  if (request.want != RequestWant::kHolder) return {};
  const Lock* const lock = locks.find(group.number, request.handler);
  return lock != nullptr && lock->held() ? NodeSet::of(lock->holder) : NodeSet{};
}

Requests::Requests(const Room& room, const wire::StreamName& self, const NodeView& nodes,
                   const Directory& directory, const HandlerTable& locks, LocalGroups& locals,
                   Carrier& carrier, Calls& calls)
    : self_(self),
      nodes_(nodes),
      directory_(directory),
      locks_(locks),
      locals_(locals),
      carrier_(carrier),
      calls_(calls),
      tickets_(room.tickets),
      answers_(room.answers_bytes) {
  unsaid_.reserve(room.tickets + kMoreUnsaid);
}

void Requests::take(const Delivery& from, const wire::Envelope& envelope,
                    std::span<const uint8_t> message, const Group* group) {
  if (envelope.type == RequestType::kAnswer && envelope.session == wire::RequestPlace{})
    return calls_.answer(from.source, envelope, message.subspan(wire::kEnvelopeBytes));
  const bool outside =
      envelope.type == RequestType::kOpen || envelope.session != wire::RequestPlace{};
  const bool asks = envelope.type == RequestType::kOpen || envelope.type == RequestType::kRequest;
  const bool right = outside ? from.qos >= wire::Qos::kTotallyOrdered &&
                                   nodes_.rank_of(from.source) != nodes_.size()
                             : envelope.caller == from.source;
  if (!asks || !right || group == nullptr) {
    ++counters_.nonsense;
  } else if (outside) {
    apply_outside(from, envelope, message, *group);
  } else {
    apply(from, envelope, message, *group);
  }
}

bool Requests::refuses(const wire::Envelope& request, const Group& group) const {
  const wire::RequestPlace changed{nodes_.epoch(), directory_.last_change(group)};
  return group.suspended() || (request.stamp != wire::RequestPlace{} && changed > request.stamp);
}

// The caller learns who is asked before it can be asked itself. Requests below totally ordered have
// no place, and ask nobody.
void Requests::apply(const Delivery& from, const wire::Envelope& request,
                     std::span<const uint8_t> message, const Group& group) {
  const bool ordered = from.qos >= wire::Qos::kTotallyOrdered;
  const wire::RequestPlace at{from.epoch, from.index + 1};
  const NodeSet asked = ordered ? asked_by(request, group, locks_) : NodeSet{};
  const bool refused = ordered && refuses(request, group);
  if (ordered && request.caller == self_) calls_.placed(request, at, group, asked, refused);
  LocalGroup* const local = locals_.of(group);
  if (local == nullptr) return;
  ++counters_.requests;
  if (refused) {
    ++counters_.refused;
  } else if (local->state() == State::kWaiting) {
    if (!local->keep({from, false, kGone}, message)) locals_.give_up(*local);
  } else {
    hand_on(from, request, message, {group, *local, at, asked});
  }
}

// To the application, with a ticket if it is asked. Who is about to leave declines.
void Requests::hand_on(const Delivery& from, const wire::Envelope& request,
                       std::span<const uint8_t> message, const Placed& placed) {
  const bool is_asked = placed.asked.contains(nodes_.own_rank());
  const bool member = placed.local.state() == State::kMember;
  if (is_asked && !member) decline_without_ticket(request, placed.at, placed.group.number);
  if (!member) return;
  if (is_asked) {
    const uint64_t ticket = open_ticket(request, placed.at, placed.group.number);
    return placed.local.request(from, request, message, {ticket != 0, ticket});
  }
  const bool outside = request.session != wire::RequestPlace{};
  if (outside && request.want == RequestWant::kHolder && !placed.asked.empty()) {
    to_keep_.id = kToKeep | ++handed_on_;
    to_keep_.request = request;
    to_keep_.place = placed.at;
    to_keep_.group = placed.group.number;
  }
  placed.local.request(from, request, message, {false, to_keep_.id});
  to_keep_ = {};
}

// --- callers outside the view --------------------------------------------------------------------

void Requests::apply_outside(const Delivery& from, const wire::Envelope& request,
                             std::span<const uint8_t> message, const Group& group) {
  LocalGroup* const local = locals_.of(group);
  if (local == nullptr) return;
  ++counters_.requests;
  const NodeSet asked = asked_by(request, group, locks_);
  const bool refused = refuses(request, group);
  const bool by_lock = request.want == RequestWant::kHolder && !asked.empty();
  const auto holder = static_cast<uint8_t>(by_lock ? asked.lowest() : kGone);
  if (local->state() == State::kWaiting) {
    if (!local->keep({from, refused, holder}, message)) locals_.give_up(*local);
    return;
  }
  const Placed placed{group, *local, {from.epoch, from.index + 1}, asked};
  if (local->state() != State::kMember) return decline_as_it_leaves(request, placed);
  answers_.forget(request.caller, group.number, request.floor);
  using Verdict = Sessions::Verdict;
  switch (local->admit(request, placed.at, refused, holder)) {
    case Verdict::kNew:
      if (request.type == RequestType::kOpen)
        return say_status(request, placed, AnswerStatus::kOpened);
      say_status(request, placed, AnswerStatus::kAsked);
      return hand_on(from, request, message, placed);
    case Verdict::kRepetition:
      ++counters_.repetitions;
      return repeat(request, placed);
    case Verdict::kRefused:
      ++counters_.refused;
      counters_.refused_again += refused ? 0 : 1;
      return say_status(request, placed, AnswerStatus::kRefused);
    case Verdict::kExpired:
      ++counters_.expired;
      return say_status(request, placed, AnswerStatus::kExpired);
  }
}

// A member that leaves executes nothing more. It declines what it has not taken before.
void Requests::decline_as_it_leaves(const wire::Envelope& request, const Placed& placed) {
  if (!placed.asked.contains(nodes_.own_rank())) return;
  const uint32_t group = placed.group.number;
  const auto* const kept = answers_.find(request.caller, group, request.number);
  if (kept != nullptr) {
    say_later({kept->envelope, {}, true});
  } else if (!tickets_.is_open(request, group)) {
    if (placed.local.sessions().took(request)) return say_none_kept(request, group);
    decline_without_ticket(request, placed.at, group);
  }
}

// Nothing is executed again. A member that has answered says the same again, and one that is at it
// says nothing. The holder that was asked may be gone: the holder of now says what it has kept, or
// that it has nothing.
void Requests::repeat(const wire::Envelope& request, const Placed& placed) {
  const uint8_t first = placed.local.sessions().asked(request);
  const bool there = request.want == RequestWant::kHolder && first != kGone &&
                     placed.group.members.all.contains(first);
  const NodeSet asked = there ? NodeSet::of(first) : placed.asked;
  say_status(request, {placed.group, placed.local, {}, asked}, AnswerStatus::kAsked);
  if (!asked.contains(nodes_.own_rank())) return;
  const auto* const kept = answers_.find(request.caller, placed.group.number, request.number);
  if (kept != nullptr) {
    say_later({kept->envelope, {}, true});
  } else if (!tickets_.is_open(request, placed.group.number)) {
    say_none_kept(request, placed.group.number);
  }
}

void Requests::say_none_kept(const wire::Envelope& request, uint32_t group) {
  Ticket none;
  none.request = request;
  none.group = group;
  say_later({none.answer(AnswerStatus::kNoAnswerKept), {}, false});
}

// The speaker alone says it.
void Requests::say_status(const wire::Envelope& request, const Placed& placed,
                          AnswerStatus status) {
  if (placed.group.members.holders().lowest() != nodes_.own_rank()) return;
  Ticket about;
  about.request = request;
  about.group = placed.group.number;
  about.place =
      status == AnswerStatus::kOpened ? placed.local.sessions().id_of(request.caller) : placed.at;
  wire::Envelope envelope = about.answer(status);
  envelope.type = RequestType::kStatus;
  std::vector<uint8_t> names;
  if (status == AnswerStatus::kAsked) {
    placed.asked.for_each([&](size_t rank) {
      names.resize(names.size() + wire::kStreamNameBytes);
      wire::store_stream_name(nodes_.nodes()[rank], &names[names.size() - wire::kStreamNameBytes]);
    });
  }
  say_later({envelope, std::move(names), false});
}

// At once if there is room. What finds no place to wait is not said: its caller asks again.
void Requests::say_later(ToSay what) {
  if (to_say_.size() == kMostToSay) return;
  to_say_.push_back(std::move(what));
  say_what_waits();
}

void Requests::say_what_waits() {
  for (; !to_say_.empty(); to_say_.pop_front()) {
    const ToSay& next = to_say_.front();
    const wire::Envelope& about = next.envelope;
    const auto* const kept =
        next.kept ? answers_.find(about.caller, about.handler, about.number) : nullptr;
    if (next.kept && kept == nullptr) continue;  // forgotten since
    const Content message = kept != nullptr ? kept->message : Content(next.names);
    if (say(about, message) == Result::kAgain) return;
  }
}

Result Requests::say(const wire::Envelope& envelope, const Content& message) {
  std::array<uint8_t, wire::kEnvelopeBytes> bytes;
  wire::store_envelope(envelope, bytes.data());
  const wire::StreamName& caller = envelope.caller;
  return carrier_.answer(bytes, message, wire::personal_group(caller.gid, caller.qpn));
}

// --- tickets -------------------------------------------------------------------------------------

uint64_t Requests::open_ticket(const wire::Envelope& request, const wire::RequestPlace& at,
                               uint32_t group) {
  ++counters_.asked;
  Ticket* const ticket = tickets_.take();
  if (ticket == nullptr) {
    ++counters_.no_ticket;
    decline_without_ticket(request, at, group);
    return 0;
  }
  ticket->request = request;
  ticket->place = at;
  ticket->group = group;
  constexpr uint64_t kNanosInMillisecond = 1'000'000;
  ticket->deadline_ns = lived_ns_ + request.patience_ms * kNanosInMillisecond;
  next_deadline_ns_ = std::min(next_deadline_ns_, ticket->deadline_ns);
  return ticket->id;
}

// With no room to keep it either the caller hears nothing, and gives up.
void Requests::decline_without_ticket(const wire::Envelope& request, const wire::RequestPlace& at,
                                      uint32_t group) {
  Ticket ticket;
  ticket.request = request;
  ticket.place = at;
  ticket.group = group;
  if (send(ticket, AnswerStatus::kDeclined, {}) == Result::kOk) {
    ++counters_.declined;
  } else if (unsaid_.size() < unsaid_.capacity()) {
    unsaid_.push_back(ticket);
  } else {
    ++counters_.silent;
  }
}

Result Requests::send(const Ticket& ticket, AnswerStatus status, const Content& message) {
  const wire::Envelope envelope = ticket.answer(status);
  const bool outside = envelope.session != wire::RequestPlace{};
  if (envelope.caller == self_ && !outside) {
    calls_.answer(self_, envelope, message.bytes());
    return Result::kOk;
  }
  const Result result = say(envelope, message);
  if (outside && result == Result::kOk) answers_.keep(envelope, message);
  return result;
}

// This endpoint's own application may do anything when it is told as a caller: its ticket is given
// back first.
Result Requests::finish(Ticket& ticket, AnswerStatus status, const Content& message) {
  const Ticket ended = ticket;
  const bool own = ended.request.caller == self_ && ended.request.session == wire::RequestPlace{};
  if (own) tickets_.give_back(ticket);
  const Result result = send(ended, status, message);
  if (!own && result == Result::kOk) tickets_.give_back(ticket);
  return result;
}

Result Requests::answer(uint64_t id, const Content& message) {
  Ticket* const ticket = tickets_.find(id);
  if (ticket == nullptr || ticket->declines) return Result::kNoTicket;
  if (message.bytes().size() > ticket->request.most_answer_bytes) return Result::kTooLong;
  const Result result = finish(*ticket, AnswerStatus::kAnswered, message);
  if (result == Result::kOk) ++counters_.answered;
  return result;
}

Result Requests::decline(uint64_t id) {
  Ticket* const ticket = tickets_.find(id);
  if (ticket == nullptr || ticket->declines) return Result::kNoTicket;
  ticket->declines = true;
  declines_ = true;
  return Result::kOk;
}

Result Requests::keep(uint64_t id, const Content& message) {
  if (id == 0 || id != to_keep_.id) return Result::kNoTicket;
  if (message.bytes().size() > to_keep_.request.most_answer_bytes) return Result::kTooLong;
  ++counters_.kept;
  answers_.keep(to_keep_.answer(AnswerStatus::kAnswered), message);
  to_keep_.id = 0;
  return Result::kOk;
}

void Requests::begin_view() {
  const auto gone = [&](const Ticket& ticket) {
    return ticket.request.session == wire::RequestPlace{} &&
           nodes_.rank_of(ticket.request.caller) == nodes_.size();
  };
  tickets_.for_each([&](Ticket& ticket) {
    if (gone(ticket)) tickets_.give_back(ticket);
  });
  std::erase_if(unsaid_, gone);
}

void Requests::out() {
  to_say_.clear();
  tickets_.for_each([&](Ticket& ticket) { tickets_.give_back(ticket); });
  unsaid_.clear();
  answers_.clear();
}

void Requests::poll(uint64_t lived_ns) {
  lived_ns_ = lived_ns;
  say_what_waits();
  while (!unsaid_.empty() && send(unsaid_.back(), AnswerStatus::kDeclined, {}) == Result::kOk) {
    ++counters_.declined;
    unsaid_.pop_back();
  }
  const bool left = locals_.ended() != groups_ended_;
  groups_ended_ = locals_.ended();
  if (left) {
    tickets_.for_each([&](Ticket& ticket) { ticket.declines |= !locals_.is_in(ticket.group); });
    declines_ = true;
  }
  if (declines_ || lived_ns >= next_deadline_ns_) look_at_tickets();
}

void Requests::look_at_tickets() {
  next_deadline_ns_ = ~uint64_t{0};
  declines_ = false;  // whoever is told may decline others
  bool left_over = false;
  tickets_.for_each([&](Ticket& ticket) {
    if (ticket.declines) {
      const bool said = finish(ticket, AnswerStatus::kDeclined, {}) == Result::kOk;
      left_over |= !said;
      counters_.declined += said ? 1 : 0;
    } else if (ticket.deadline_ns <= lived_ns_) {
      ++counters_.given_up;
      tickets_.give_back(ticket);
    } else {
      next_deadline_ns_ = std::min(next_deadline_ns_, ticket.deadline_ns);
    }
  });
  declines_ |= left_over;
}

}  // namespace lambdacast::group
