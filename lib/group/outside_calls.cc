// SPDX-License-Identifier: BSD-3-Clause
#include "group/outside_calls.h"

#include <algorithm>
#include <array>

namespace lambdacast::group {

using wire::AnswerStatus;
using wire::RequestType;

namespace {

constexpr uint32_t kTimesAnEntry = 2;  // in a row that a copy goes to one

}  // namespace

OutsideCalls::OutsideCalls(const OutsideCallsConfig& config, AnswerCarrier& carrier)
    : config_(config), carrier_(carrier), plan_(config.requests.retry_ns, config.self.incarnation) {
  if (!config.entries.empty()) entry_ = config.entries.front();
}

OutsideCalls::Session& OutsideCalls::session_of(std::string_view name) {
  const auto known =
      std::ranges::find_if(sessions_, [&](const Session& each) { return each.name == name; });
  if (known != sessions_.end()) return *known;
  Session& session = sessions_.emplace_back();
  session.name = name;
  session.open_number = ++opens_;
  return session;
}

Result OutsideCalls::call(std::string_view group, std::span<const uint8_t> message,
                          const CallOptions& options, CallHandler* handler, uint64_t token) {
  if (!wire::valid_group_name(group)) return Result::kBadName;
  if (options.qos < wire::Qos::kTotallyOrdered) return Result::kNeedsOrder;
  const size_t in_front = wire::kEnvelopeBytes + wire::kForwardHeaderBytes + group.size();
  if (in_front + message.size() > config_.max_message_bytes) return Result::kTooLong;
  if (under_way_ == config_.requests.calls) return Result::kAgain;
  Session& session = session_of(group);
  Call& call = session.calls.emplace_back();
  call.handler = options.want == Want::kNothing ? nullptr : handler;
  call.token = token;
  call.options = options;
  if (handler == nullptr) call.options.want = Want::kNothing;
  if (call.options.timeout_ns == 0) call.options.timeout_ns = config_.requests.timeout_ns;
  call.deadline_ns = lived_ns_ + call.options.timeout_ns;
  call.message.assign(message.begin(), message.end());
  ++under_way_;
  ++counters_.calls;
  next_due_ns_ = 0;
  if (session.id != wire::RequestPlace{}) send_due(session);
  return Result::kOk;
}

void OutsideCalls::cancel(CallHandler& handler, uint64_t token) {
  for (Session& session : sessions_) {
    under_way_ -= std::erase_if(session.calls, [&](const Call& call) {
      return call.handler == &handler && call.token == token;
    });
  }
  next_due_ns_ = 0;
}

// --- what goes out -------------------------------------------------------------------------------

// All calls up to there have ended. Calls get their numbers in their order, and end in any.
uint64_t OutsideCalls::floor_of(const Session& session) {
  uint64_t floor = session.last;
  for (const Call& call : session.calls) {
    if (call.number != 0 && !call.expired) floor = std::min(floor, call.number - 1);
  }
  return floor;
}

void OutsideCalls::poll(uint64_t lived_ns) {
  lived_ns_ = lived_ns;
  if (under_way_ == 0 || lived_ns < next_due_ns_) return;
  next_due_ns_ = ~uint64_t{0};
  if (!entry_) look_for_entry();
  for (size_t i = 0; i < sessions_.size(); ++i) {
    // Whoever is told that a call has ended may call again.
    for (size_t at = 0; at < sessions_[i].calls.size();) {
      Session& session = sessions_[i];
      Call& call = session.calls[at];
      if (call.expired) {
        end(session, call, Outcome::What::kExpired, Outcome::Delivered::kUnknown);
        continue;
      }
      if (call.deadline_ns > lived_ns) {
        wake_at(call.deadline_ns);
        ++at;
        continue;
      }
      const bool never_sent = call.retry.times == 0;
      const bool refused = !never_sent && call.retry.refused == call.retry.times;
      const bool delivered = call.listed || call.place != wire::RequestPlace{};
      end(session, call, refused ? Outcome::What::kRefused : Outcome::What::kTimeout,
          delivered               ? Outcome::Delivered::kYes
          : refused || never_sent ? Outcome::Delivered::kNo
                                  : Outcome::Delivered::kUnknown);
    }
    send_due(sessions_[i]);
  }
}

void OutsideCalls::send_due(Session& session) {
  if (session.calls.empty()) return;
  if (session.id == wire::RequestPlace{}) {
    (void)send(session, nullptr, session.retry);
    return;
  }
  for (Call& call : session.calls) {
    if (call.expired) continue;
    if (call.number == 0) {
      if (session.last - floor_of(session) == wire::kRequestsUnderWay) return;
      call.number = ++session.last;
    }
    if (!send(session, &call, call.retry)) return;
  }
}

// An entry that was tried in vain is left, and all calls with it. Nothing: one is looked for.
std::optional<EntryAddress> OutsideCalls::entry(const Call* call, const Retry& retry) {
  if (call != nullptr && call->options.via)
    return EntryAddress{call->options.via->gid, call->options.via->qpn};
  const bool in_vain = retry.times != 0 && retry.times % kTimesAnEntry == 0;
  if (!in_vain || retry.entries != entries_) return entry_;
  ++entries_;
  const std::vector<EntryAddress>& known = config_.entries;
  if (!known.empty()) {
    entry_ = known[entries_ % known.size()];
  } else {
    entry_.reset();
    search_.interval_ns = search_.next_ns = 0;
    look_for_entry();
  }
  return entry_;
}

// False: there is no room now.
bool OutsideCalls::send(Session& session, const Call* call, Retry& retry) {
  if (lived_ns_ < retry.next_ns) {
    wake_at(retry.next_ns);
    return true;
  }
  const std::optional<EntryAddress> to = entry(call, retry);
  if (!to) return false;
  wire::Envelope envelope;
  envelope.type = RequestType::kForward;
  envelope.caller = config_.self;
  if (call == nullptr) {
    envelope.number = session.open_number;
    envelope.floor = session.open_number - 1;
  } else {
    envelope.want = static_cast<wire::RequestWant>(call->options.want);
    envelope.k = call->options.answers;
    envelope.handler = call->options.handler;
    envelope.number = call->number;
    envelope.floor = floor_of(session);
    envelope.session = session.id;
    envelope.stamp = stamp_of(call->options);
    envelope.most_answer_bytes = call->options.most_answer_bytes;
    envelope.patience_ms = patience_ms(call->deadline_ns - lived_ns_);
  }
  std::array<uint8_t, wire::kEnvelopeBytes> head;
  wire::store_envelope(envelope, head.data());
  std::vector<uint8_t> body(wire::kForwardHeaderBytes + session.name.size());
  const wire::Qos qos = call == nullptr ? wire::Qos::kMajority : call->options.qos;
  wire::store_forward_header({qos, to->gid, to->qpn, session.name, {}}, body.data());
  if (call != nullptr) body.insert(body.end(), call->message.begin(), call->message.end());
  if (carrier_.answer(head, body, wire::personal_group(to->gid, to->qpn)) != Result::kOk) {
    wake_at(lived_ns_);
    return false;
  }
  ++outside_counters_.sent;
  outside_counters_.repeated += retry.times == 0 ? 0 : 1;
  plan_.sent(retry, envelope.number, lived_ns_);
  retry.entries = entries_;
  wake_at(retry.next_ns);
  return true;
}

void OutsideCalls::look_for_entry() {
  wake_at(search_.next_ns);
  if (lived_ns_ < search_.next_ns) return;
  wire::Envelope envelope;
  envelope.type = RequestType::kFind;
  envelope.caller = config_.self;
  envelope.number = search_.times + 1;
  envelope.floor = search_.times;
  std::array<uint8_t, wire::kEnvelopeBytes> bytes;
  wire::store_envelope(envelope, bytes.data());
  if (carrier_.answer(bytes, {}, wire::kFindGroup) != Result::kOk) return;
  plan_.sent(search_, 0, lived_ns_);
  wake_at(search_.next_ns);
}

// --- what comes ----------------------------------------------------------------------------------

void OutsideCalls::refused(Retry& retry, const wire::Envelope& envelope) {
  ++retry.refused;
  ++outside_counters_.busy;
  if (envelope.handler == 0) return;  // an entry that does not know the group
  plan_.refused(retry, envelope.number, lived_ns_);
  wake_at(retry.next_ns);
}

OutsideCalls::Call* OutsideCalls::find(Session& session, uint64_t number) {
  const auto found = std::ranges::find_if(
      session.calls, [&](const Call& call) { return call.number == number && !call.expired; });
  return found == session.calls.end() ? nullptr : &*found;
}

// The session that has expired where the name has another number: its group was founded anew. If
// two sessions have that id and a call of that number, neither is meant for certain.
std::deque<OutsideCalls::Session>::iterator OutsideCalls::renumbered(const wire::Envelope& status) {
  const auto meant = [&](Session& each) {
    return each.id == status.session && find(each, status.number) != nullptr;
  };
  const auto first = std::ranges::find_if(sessions_, meant);
  if (first == sessions_.end()) return first;
  return std::find_if(first + 1, sessions_.end(), meant) == sessions_.end() ? first
                                                                            : sessions_.end();
}

void OutsideCalls::take(const wire::StreamName& from, std::span<const uint8_t> message) {
  wire::Envelope envelope;
  if (!wire::load_envelope(message, envelope) || envelope.caller != config_.self) return;
  const std::span<const uint8_t> rest = message.subspan(wire::kEnvelopeBytes);
  if (envelope.type == RequestType::kEntry) {
    if (!entry_) entry_ = EntryAddress{from.gid, from.qpn};
    next_due_ns_ = 0;
    return;
  }
  const bool about_open = envelope.session == wire::RequestPlace{};
  auto session = std::ranges::find_if(sessions_, [&](const Session& each) {
    return about_open ? each.open_number == envelope.number
                      : each.id == envelope.session && each.group == envelope.handler;
  });
  if (session == sessions_.end() && envelope.status == AnswerStatus::kExpired)
    session = renumbered(envelope);
  if (session == sessions_.end()) {
    counters_.late += envelope.type == RequestType::kPlaced ? 0 : 1;
    return;
  }
  if (about_open) {
    if (envelope.status == AnswerStatus::kBusy) refused(session->retry, envelope);
    if (envelope.type != RequestType::kStatus || envelope.status != AnswerStatus::kOpened) return;
    if (session->id != wire::RequestPlace{}) return;
    session->id = envelope.stamp;
    session->group = envelope.handler;
    ++outside_counters_.opened;
    return send_due(*session);
  }
  Call* const call = find(*session, envelope.number);
  if (envelope.type == RequestType::kPlaced) {
    if (call != nullptr && envelope.status == AnswerStatus::kBusy) refused(call->retry, envelope);
  } else if (call == nullptr) {
    ++counters_.late;
  } else if (envelope.type == RequestType::kAnswer) {
    on_answer(*session, envelope.number, from, envelope, rest);
  } else if (envelope.type == RequestType::kStatus) {
    on_status(*session, *call, envelope, rest);
  }
}

void OutsideCalls::on_status(Session& session, Call& call, const wire::Envelope& envelope,
                             std::span<const uint8_t> names) {
  using What = Outcome::What;
  using Delivered = Outcome::Delivered;
  const bool certain = call.options.qos >= wire::Qos::kMajority;
  if (envelope.status == AnswerStatus::kRefused)
    return end(session, call, What::kRefused, certain ? Delivered::kNo : Delivered::kUnknown);
  if (envelope.status == AnswerStatus::kExpired) {
    const bool ours = session.id == envelope.session;
    end(session, call, What::kExpired, Delivered::kUnknown);
    if (ours) close(session);
    return;
  }
  if (envelope.status != AnswerStatus::kAsked) return;
  if (call.place == wire::RequestPlace{}) call.place = envelope.stamp;
  list(call, names);
  end_if_over(session, call);
}

// The first time the speaker names those who are asked; later those of them who are there.
void OutsideCalls::list(Call& call, std::span<const uint8_t> names) {
  std::vector<wire::StreamName> now;
  for (; names.size() >= wire::kStreamNameBytes; names = names.subspan(wire::kStreamNameBytes))
    now.push_back(wire::load_stream_name(names.data()));
  for (Asked& each : call.asked) {
    const bool there = std::ranges::find(now, each.member) != now.end();
    if (call.listed && !there && each.fate == Asked::Fate::kSilent)
      each.fate = Asked::Fate::kDeparted;
  }
  const bool adds = !call.listed || call.options.want == Want::kHolder;
  for (const wire::StreamName& name : now) {
    const bool known =
        std::ranges::any_of(call.asked, [&](const Asked& each) { return each.member == name; });
    if (adds && !known) call.asked.push_back({name, Asked::Fate::kSilent});
  }
  call.listed = true;
}

void OutsideCalls::on_answer(Session& session, uint64_t number, const wire::StreamName& from,
                             const wire::Envelope& envelope, std::span<const uint8_t> message) {
  Call* call = find(session, number);
  auto known =
      std::ranges::find_if(call->asked, [&](const Asked& each) { return each.member == from; });
  if (known == call->asked.end()) {
    if (call->listed && envelope.status != AnswerStatus::kAnswered) return;
    known = call->asked.insert(call->asked.end(), {from, Asked::Fate::kSilent});
  }
  if (known->fate != Asked::Fate::kSilent && known->fate != Asked::Fate::kDeparted) return;
  ++counters_.answers;
  if (call->place == wire::RequestPlace{}) call->place = envelope.stamp;
  const bool answered = envelope.status == AnswerStatus::kAnswered;
  const bool forgotten = envelope.status == AnswerStatus::kNoAnswerKept;
  known->fate = answered    ? Asked::Fate::kAnswered
                : forgotten ? Asked::Fate::kForgotten
                            : Asked::Fate::kDeclined;
  if (answered && call->handler != nullptr) {
    call->handler->answered(call->token, from, message);
    call = find(session, number);  // it may have been cancelled
  }
  if (call != nullptr) end_if_over(session, *call);
}

// --- the end -------------------------------------------------------------------------------------

void OutsideCalls::end_if_over(Session& session, Call& call) {
  using What = Outcome::What;
  using Delivered = Outcome::Delivered;
  const auto count = [&](Asked::Fate fate) {
    return static_cast<size_t>(
        std::ranges::count_if(call.asked, [&](const Asked& each) { return each.fate == fate; }));
  };
  const bool holder = call.options.want == Want::kHolder;
  const size_t wanted = holder                      ? 1
                        : call.options.answers != 0 ? call.options.answers
                        : call.listed               ? call.asked.size()
                                                    : ~size_t{0};
  if (wanted != 0 && count(Asked::Fate::kAnswered) >= wanted)
    return end(session, call, What::kAnswered, Delivered::kYes);
  if (!call.listed) return;
  if (call.options.want <= Want::kAcknowledgement)
    return end(session, call, What::kAcknowledged, Delivered::kYes);
  if (call.asked.empty()) return end(session, call, What::kNobody, Delivered::kYes);
  if (count(Asked::Fate::kSilent) != 0) return;
  const bool departed = holder && count(Asked::Fate::kDeparted) == call.asked.size();
  end(session, call,
      count(Asked::Fate::kForgotten) != 0 ? What::kNoAnswerKept
      : departed                          ? What::kHolderDeparted
                                          : What::kShort,
      Delivered::kYes);
}

// The group has pushed the session out, and another is opened. Calls that have a number have
// expired with it, and those that wait go to the new one. Numbers go on, so that nothing which
// members keep of the old session is taken for the new one's.
void OutsideCalls::close(Session& session) {
  session.id = {};
  session.group = 0;
  session.open_number = ++opens_;
  session.retry = {};
  for (Call& call : session.calls) call.expired |= call.number != 0;
}

void OutsideCalls::end(Session& session, Call& call, Outcome::What what,
                       Outcome::Delivered delivered) {
  const std::vector<Asked> asked = std::move(call.asked);
  Outcome outcome{what, delivered, 0, 0, asked};
  if (call.place != wire::RequestPlace{}) {
    outcome.epoch = call.place.epoch;
    outcome.index = call.place.place - 1;
  }
  CallHandler* const handler = call.handler;
  const uint64_t token = call.token;
  const auto at =
      std::ranges::find_if(session.calls, [&](const Call& each) { return &each == &call; });
  session.calls.erase(at);
  --under_way_;
  ++counters_.ended[static_cast<size_t>(what)];
  next_due_ns_ = 0;  // another may have a number now
  if (handler != nullptr) handler->ended(token, outcome);
}

}  // namespace lambdacast::group
