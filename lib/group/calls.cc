// SPDX-License-Identifier: BSD-3-Clause
#include "group/calls.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace lambdacast::group {

using wire::AnswerStatus;

namespace {

// The wire has the numbers of the public type.
static_assert(static_cast<int>(wire::RequestWant::kAnswers) == static_cast<int>(Want::kAnswers));
static_assert(static_cast<int>(wire::RequestWant::kHolder) == static_cast<int>(Want::kHolder));
static_assert(static_cast<size_t>(Outcome::What::kUnknown) + 1 ==
              std::tuple_size_v<decltype(CallCounters::ended)>);

constexpr size_t kMostEarly = 256;

}  // namespace

Calls::Calls(const Config& config, const NodeView& nodes, Carrier& carrier,
             Completions& completions)
    : config_(config),
      nodes_(nodes),
      carrier_(carrier),
      completions_(completions),
      calls_(config.most),
      free_(config.most) {
  for (size_t i = 0; i < free_.size(); ++i) free_[i] = static_cast<uint32_t>(free_.size() - 1 - i);
  early_.reserve(kMostEarly);
}

Calls::Call* Calls::find(uint64_t number) {
  if (calls_.empty() || number % 2 != 0) return nullptr;
  Call& call = calls_[number / 2 % calls_.size()];
  return call.number == number && number != 0 ? &call : nullptr;
}

Result Calls::call(uint32_t group, std::span<const uint8_t> message, const CallOptions& options,
                   CallHandler* handler, uint64_t token) {
  const bool heard = options.want != Want::kNothing && handler != nullptr;
  const bool answers = options.want == Want::kHolder || options.want == Want::kAnswers;
  if (answers && options.qos < wire::Qos::kTotallyOrdered) return Result::kNeedsOrder;
  if (heard && options.qos == wire::Qos::kUnreliable) return Result::kNeedsOrder;
  const bool by_stability = heard && options.qos < wire::Qos::kTotallyOrdered;
  if (heard && (free_.empty() || (by_stability && completions_.full()))) return Result::kAgain;

  const uint64_t timeout_ns = options.timeout_ns != 0 ? options.timeout_ns : config_.timeout_ns;
  wire::Envelope envelope;
  envelope.want = static_cast<wire::RequestWant>(heard ? options.want : Want::kNothing);
  envelope.k = options.answers;
  envelope.handler = options.handler;
  envelope.caller = config_.self;
  envelope.number = heard ? ((made_ + 1) * calls_.size() + free_.back()) * 2 : unheard_ * 2 + 1;
  envelope.floor = envelope.number - 1;
  envelope.stamp = stamp_of(options);
  envelope.most_answer_bytes = options.most_answer_bytes;
  envelope.patience_ms = patience_ms(timeout_ns);
  std::array<uint8_t, wire::kEnvelopeBytes> bytes;
  wire::store_envelope(envelope, bytes.data());
  const Result result = carrier_.request(bytes, message, group, options.qos);
  if (result != Result::kOk) return result;
  ++counters_.calls;
  if (!heard) {
    ++unheard_;
    return Result::kOk;
  }
  Call& call = calls_[free_.back()];
  free_.pop_back();
  ++made_;
  call = Call{};
  call.number = envelope.number;
  call.handler = handler;
  call.token = token;
  call.deadline_ns = lived_ns_ + timeout_ns;
  call.want = options.want;
  call.qos = options.qos;
  call.k = options.answers;
  next_deadline_ns_ = std::min(next_deadline_ns_, call.deadline_ns);
  if (by_stability) completions_.wait(carrier_.published(), *this, call.number);
  return Result::kOk;
}

void Calls::cancel(CallHandler& handler, uint64_t token) {
  for (Call& call : calls_) {
    if (call.number != 0 && call.handler == &handler && call.token == token) free(call);
  }
}

void Calls::placed(const wire::Envelope& request, const wire::RequestPlace& at, const Group& group,
                   NodeSet asked, bool refused) {
  Call* const call = find(request.number);
  if (call == nullptr || call->placed()) return;
  if (refused) return end(*call, What::kRefused, never(*call));
  call->place = at;
  call->asked = asked;
  call->asked_in_all = static_cast<uint16_t>(asked.count());
  call->answered &= asked;
  call->declined &= asked;
  call->answers = static_cast<uint16_t>(call->answered.count());
  if (call->want != Want::kAcknowledgement && asked.empty())
    return end(*call, What::kNobody, group.members.all.empty() ? never(*call) : Delivered::kYes);
  end_if_over(*call);
}

bool Calls::note(Call& call, size_t rank, AnswerStatus status) {
  if (call.placed() && !call.asked.contains(rank)) return false;
  if (call.answered.contains(rank) || call.declined.contains(rank)) return false;
  if (status == AnswerStatus::kDeclined) {
    call.declined.add(rank);
  } else {
    call.answered.add(rank);
    if (call.placed()) ++call.answers;
  }
  return true;
}

// An answer that a member has sent before it departed may still come.
bool Calls::note_departed(Call& call, const wire::StreamName& from, AnswerStatus status) {
  const auto found = std::ranges::find_if(departed_, [&](const Departed& each) {
    return each.number == call.number && each.asked.member == from;
  });
  if (found == departed_.end() || found->asked.fate != Asked::Fate::kDeparted) return false;
  const bool declined = status == AnswerStatus::kDeclined;
  found->asked.fate = declined ? Asked::Fate::kDeclined : Asked::Fate::kAnswered;
  call.answers = static_cast<uint16_t>(call.answers + (declined ? 0 : 1));
  return true;
}

bool Calls::note(Call& call, const wire::StreamName& from, const wire::Envelope& answer) {
  if (!call.placed() && answer.stamp.epoch > nodes_.epoch()) {
    if (early_.size() == kMostEarly) return false;
    early_.push_back({call.number, answer.stamp.epoch, from, answer.status});
    return true;
  }
  const size_t rank = nodes_.rank_of(from);
  return rank == nodes_.size() ? note_departed(call, from, answer.status)
                               : note(call, rank, answer.status);
}

void Calls::answer(const wire::StreamName& from, const wire::Envelope& envelope,
                   std::span<const uint8_t> message) {
  if (envelope.caller != config_.self) return;  // another endpoint has the same personal group
  Call* call = find(envelope.number);
  if (call == nullptr || !note(*call, from, envelope)) {
    ++counters_.late;
    return;
  }
  if (envelope.status == AnswerStatus::kAnswered) {
    ++counters_.answers;
    call->handler->answered(call->token, from, message);
    call = find(envelope.number);  // it may have been cancelled
  }
  if (call != nullptr && call->placed()) end_if_over(*call);
}

void Calls::end_if_over(Call& call) {
  if (call.want == Want::kAcknowledgement) return end(call, What::kAcknowledged, Delivered::kYes);
  const unsigned enough = call.k == 0 || call.want == Want::kHolder ? call.asked_in_all : call.k;
  if (call.want == Want::kHolder ? call.answers != 0 : call.answers >= enough)
    return end(call, What::kAnswered, Delivered::kYes);
  if (!(call.asked - call.answered - call.declined).empty()) return;
  const bool holder_gone = call.want == Want::kHolder && call.departed;
  end(call, holder_gone ? What::kHolderDeparted : What::kShort, Delivered::kYes);
}

// --- the view of the nodes -----------------------------------------------------------------------

void Calls::depart(Call& call) {
  const std::span<const uint8_t> now = nodes_.now();
  call.asked.for_each([&](size_t rank) {
    if (now[rank] != kGone) return;
    NodeView::Names name;
    Asked asked;
    asked.member = nodes_.names_before(NodeSet::of(rank), name)[0];
    asked.fate = call.answered.contains(rank)   ? Asked::Fate::kAnswered
                 : call.declined.contains(rank) ? Asked::Fate::kDeclined
                                                : Asked::Fate::kDeparted;
    call.departed |= asked.fate == Asked::Fate::kDeparted;
    departed_.push_back({call.number, asked});
  });
  for (NodeSet* set : {&call.asked, &call.answered, &call.declined}) *set = moved(*set, now);
}

void Calls::begin_view() {
  if (nodes_.first()) return;
  for (Call& call : calls_) {
    if (call.number != 0) depart(call);
  }
  std::erase_if(early_, [&](const Early& early) {
    if (early.epoch > nodes_.epoch()) return false;
    Call* const call = find(early.number);
    const size_t rank = nodes_.rank_of(early.from);
    if (call != nullptr && rank != nodes_.size() && early.epoch == nodes_.epoch())
      (void)note(*call, rank, early.status);
    return true;
  });
  for (Call& call : calls_) {
    if (call.number != 0 && call.placed()) end_if_over(call);
  }
}

void Calls::out() {
  for (Call& call : calls_) {
    if (call.number != 0) end(call, What::kUnknown, delivered(call));
  }
}

void Calls::poll(uint64_t lived_ns) {
  lived_ns_ = lived_ns;
  if (lived_ns < next_deadline_ns_) return;
  next_deadline_ns_ = ~uint64_t{0};
  for (Call& call : calls_) {
    if (call.number == 0) continue;
    if (call.deadline_ns <= lived_ns) {
      end(call, What::kTimeout, delivered(call));
    } else {
      next_deadline_ns_ = std::min(next_deadline_ns_, call.deadline_ns);
    }
  }
}

// --- the end -------------------------------------------------------------------------------------

// Below totally ordered a request has no place: it is delivered once everybody has it.
void Calls::stable(uint64_t number) {
  if (Call* const call = find(number)) end(*call, What::kAcknowledged, Delivered::kYes);
}

void Calls::unknown(uint64_t number) {
  if (Call* const call = find(number)) end(*call, What::kUnknown, Delivered::kUnknown);
}

void Calls::end(Call& call, What what, Delivered delivered) {
  std::array<Asked, wire::kMaxMembers> asked;
  size_t count = 0;
  call.asked.for_each([&](size_t rank) {
    asked[count++] = {nodes_.nodes()[rank], call.answered.contains(rank)   ? Asked::Fate::kAnswered
                                            : call.declined.contains(rank) ? Asked::Fate::kDeclined
                                                                           : Asked::Fate::kSilent};
  });
  for (const Departed& each : departed_) {
    if (each.number == call.number) asked[count++] = each.asked;
  }
  Outcome outcome{what, delivered, 0, 0, std::span(asked).first(count)};
  if (call.placed()) {
    outcome.epoch = call.place.epoch;
    outcome.index = call.place.place - 1;
  }
  CallHandler& handler = *call.handler;
  const uint64_t token = call.token;
  free(call);
  ++counters_.ended[static_cast<size_t>(what)];
  handler.ended(token, outcome);
}

void Calls::free(Call& call) {
  if (!departed_.empty())
    std::erase_if(departed_, [&](const Departed& each) { return each.number == call.number; });
  free_.push_back(static_cast<uint32_t>(&call - calls_.data()));
  call = Call{};
}

}  // namespace lambdacast::group
