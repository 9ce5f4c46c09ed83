// SPDX-License-Identifier: BSD-3-Clause
#include "group/requests.h"

#include <algorithm>
#include <array>

namespace lambdacast::group {

using wire::AnswerStatus;
using wire::RequestWant;

namespace {

// Requests that are declined while there is no room to say so, beyond those that have a ticket:
// what a few callers may have under way.
constexpr size_t kMoreUnsaid = 4096;

}  // namespace

NodeSet asked_by(const wire::Envelope& request, const Group& group, const HandlerTable& locks) {
  if (request.want == RequestWant::kAnswers) return group.members.holders();
  if (request.want != RequestWant::kHolder) return {};
  const Lock* const lock = locks.find(group.number, request.handler);
  return lock != nullptr && lock->held() ? NodeSet::of(lock->holder) : NodeSet{};
}

Requests::Requests(size_t tickets, const wire::StreamName& self, const NodeView& nodes,
                   const HandlerTable& locks, LocalGroups& locals, Carrier& carrier, Calls& calls)
    : self_(self),
      nodes_(nodes),
      locks_(locks),
      locals_(locals),
      carrier_(carrier),
      calls_(calls),
      tickets_(tickets) {
  unsaid_.reserve(tickets + kMoreUnsaid);
}

void Requests::take(const Delivery& from, std::span<const uint8_t> message, const Group* group) {
  wire::Envelope envelope;
  if (!wire::load_envelope(message, envelope)) {
    ++counters_.nonsense;
  } else if (envelope.type == wire::RequestType::kAnswer) {
    calls_.answer(from.source, envelope, message.subspan(wire::kEnvelopeBytes));
  } else if (group == nullptr || envelope.caller != from.source) {
    ++counters_.nonsense;
  } else {
    apply(from, envelope, message, *group);
  }
}

// The caller learns who is asked before it can be asked itself. Requests below totally ordered have
// no place, and ask nobody.
void Requests::apply(const Delivery& from, const wire::Envelope& request,
                     std::span<const uint8_t> message, const Group& group) {
  const bool ordered = from.qos >= wire::Qos::kTotallyOrdered;
  const wire::RequestPlace at{from.epoch, from.index + 1};
  const NodeSet asked = ordered ? asked_by(request, group, locks_) : NodeSet{};
  if (ordered && request.caller == self_) calls_.placed(request, at, group, asked);
  LocalGroup* const local = locals_.of(group);
  if (local == nullptr) return;
  ++counters_.requests;
  if (ordered && group.suspended()) {
    ++counters_.refused;
    return;
  }
  const bool is_asked = asked.contains(nodes_.own_rank());
  const bool answers = is_asked && local->state() == LocalGroup::State::kMember;
  const uint64_t ticket = answers ? open_ticket(request, at, group.number) : 0;
  if (is_asked && !answers) decline_without_ticket(request, at);  // it is about to leave
  if (!local->request(from, request, message, ticket)) locals_.give_up(*local);
}

uint64_t Requests::open_ticket(const wire::Envelope& request, const wire::RequestPlace& at,
                               uint32_t group) {
  ++counters_.asked;
  Ticket* const ticket = tickets_.take();
  if (ticket == nullptr) {
    ++counters_.no_ticket;
    decline_without_ticket(request, at);
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
void Requests::decline_without_ticket(const wire::Envelope& request, const wire::RequestPlace& at) {
  Ticket ticket;
  ticket.request = request;
  ticket.place = at;
  if (send(ticket, AnswerStatus::kDeclined, {}) == Result::kOk) {
    ++counters_.declined;
  } else if (unsaid_.size() < unsaid_.capacity()) {
    unsaid_.push_back(ticket);
  } else {
    ++counters_.silent;
  }
}

Result Requests::send(const Ticket& ticket, AnswerStatus status, std::span<const uint8_t> message) {
  const wire::Envelope envelope = ticket.answer(status);
  const wire::StreamName& caller = envelope.caller;
  if (caller == self_) {
    calls_.answer(self_, envelope, message);
    return Result::kOk;
  }
  std::array<uint8_t, wire::kEnvelopeBytes> bytes;
  wire::store_envelope(envelope, bytes.data());
  return carrier_.answer(bytes, message, wire::personal_group(caller.gid, caller.qpn));
}

// This endpoint's own application may do anything when it is told as a caller: its ticket is given
// back first.
Result Requests::finish(Ticket& ticket, AnswerStatus status, std::span<const uint8_t> message) {
  const Ticket ended = ticket;
  const bool own = ended.request.caller == self_;
  if (own) tickets_.give_back(ticket);
  const Result result = send(ended, status, message);
  if (!own && result == Result::kOk) tickets_.give_back(ticket);
  return result;
}

Result Requests::answer(uint64_t id, std::span<const uint8_t> message) {
  Ticket* const ticket = tickets_.find(id);
  if (ticket == nullptr || ticket->declines) return Result::kNoTicket;
  if (message.size() > ticket->request.most_answer_bytes) return Result::kTooLong;
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

void Requests::begin_view() {
  const auto gone = [&](const Ticket& ticket) {
    return nodes_.rank_of(ticket.request.caller) == nodes_.size();
  };
  tickets_.for_each([&](Ticket& ticket) {
    if (gone(ticket)) tickets_.give_back(ticket);
  });
  std::erase_if(unsaid_, gone);
}

void Requests::out() {
  tickets_.for_each([&](Ticket& ticket) { tickets_.give_back(ticket); });
  unsaid_.clear();
}

void Requests::poll(uint64_t lived_ns) {
  lived_ns_ = lived_ns;
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
