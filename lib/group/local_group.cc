// SPDX-License-Identifier: BSD-3-Clause
#include "group/local_group.h"

#include <algorithm>

#include "base/bytes.h"

namespace lambdacast::group {

void LocalGroup::begin(std::string_view name, Handlers& handlers, const JoinOptions& options) {
  name_ = name;
  handlers_ = &handlers;
  options_ = options;
}

Handlers& LocalGroup::finish() {
  Handlers& handlers = *handlers_;
  catch_up_.forget();
  catch_up_ = CatchUp(budget_);
  state_ = State::kAsked;
  leaves_ = false;
  end_ = End::kLeft;
  name_.clear();
  number_ = kNoGroup;
  handlers_ = nullptr;
  sessions_.clear();
  return handlers;
}

void LocalGroup::give_up() {
  catch_up_.forget();
  state_ = State::kLeaving;
  end_ = End::kStateTooLarge;
  leaves_ = true;
}

bool LocalGroup::change(const Change& change, const NodeView& nodes) {
  if (state_ == State::kMember) tell(change, nodes);
  return state_ != State::kWaiting || catch_up_.keep(change);
}

bool LocalGroup::change(const LockChange& change, const NodeView& nodes) {
  if (state_ == State::kMember) tell(change, nodes);
  return state_ != State::kWaiting || catch_up_.keep(change);
}

// Unreliable messages need not be heard, so they are not kept.
bool LocalGroup::deliver(Delivery delivery, std::span<const uint8_t> message) {
  if (state_ == State::kWaiting)
    return delivery.qos == wire::Qos::kUnreliable || catch_up_.keep(delivery, message);
  if (state_ != State::kMember) return true;
  delivery.name = name_;
  handlers_->delivered(delivery, message);
  return true;
}

void LocalGroup::request(Delivery delivery, const wire::Envelope& envelope,
                         std::span<const uint8_t> message, const Asking& asking) {
  delivery.name = name_;
  handlers_->requested({delivery, envelope.caller, envelope.handler, asking.answers, asking.ticket,
                        envelope.most_answer_bytes},
                       message.subspan(wire::kEnvelopeBytes));
}

// --- callers outside the view --------------------------------------------------------------------

Sessions::Verdict LocalGroup::admit(const wire::Envelope& request, const wire::RequestPlace& at,
                                    bool refused, uint8_t asked) {
  using Verdict = Sessions::Verdict;
  if (request.type == wire::RequestType::kOpen) {
    sessions_.open(request.caller, at);
    return Verdict::kNew;
  }
  const Verdict verdict = sessions_.take(request, at);
  if (verdict != Verdict::kNew) return verdict;
  if (refused) {
    sessions_.refuse(request);
    return Verdict::kRefused;
  }
  if (asked != kGone) sessions_.ask(request, asked);
  return verdict;
}

// The application's state, the sessions, their bytes 4: what the application writes stands first,
// as it may take the place for its own.
void LocalGroup::snapshot(std::vector<uint8_t>& out) {
  handlers_->snapshot(out);
  const size_t at = out.size();
  sessions_.save(out);
  const auto bytes = static_cast<uint32_t>(out.size() - at);
  out.resize(out.size() + 4);
  base::store_be32(&out[out.size() - 4], bytes);
}

// Sessions that make no sense are none: their callers are told
// that they have expired.
std::span<const uint8_t> LocalGroup::load_sessions(std::span<const uint8_t> state, size_t ranks) {
  sessions_.clear();
  if (state.size() < 4) return {};
  const size_t bytes = base::load_be32(&state[state.size() - 4]);
  const std::span<const uint8_t> rest = state.first(state.size() - 4);
  if (bytes > rest.size()) return {};
  (void)sessions_.load(rest.last(bytes), ranks);
  return rest.first(rest.size() - bytes);
}

void LocalGroup::replay(const KeptRequest& kept, std::span<const uint8_t> message) {
  wire::Envelope envelope;
  if (!wire::load_envelope(message, envelope)) return;
  const bool outside =
      envelope.session != wire::RequestPlace{} || envelope.type == wire::RequestType::kOpen;
  const wire::RequestPlace at{kept.delivery.epoch, kept.delivery.index + 1};
  if (outside && admit(envelope, at, kept.refused, kept.asked) != Sessions::Verdict::kNew) return;
  if (envelope.type == wire::RequestType::kRequest) request(kept.delivery, envelope, message, {});
}

void LocalGroup::enter(const Change& group, const NodeView& nodes) {
  Change own = group;
  own.joined = nodes.self();
  own.departed = {};
  tell(own, nodes);
}

void LocalGroup::expect(const EventId& as_of, const Change& group) {
  catch_up_.expect(as_of, group);
}

// Handlers that leave the group hear of it later, behind all of this.
void LocalGroup::restore(const NodeView& nodes) {
  const Kept kept = catch_up_.take_kept();
  handlers_->restore(load_sessions(catch_up_.state(), nodes.size()));
  catch_up_.forget();
  state_ = State::kMember;
  enter(catch_up_.as(), nodes);
  kept.replay(
      [&](Delivery delivery, std::span<const uint8_t> message) {
        delivery.name = name_;
        handlers_->delivered(delivery, message);
      },
      [&](const KeptRequest& request, std::span<const uint8_t> message) {
        replay(request, message);
      },
      [&](const auto& change) { tell(change, nodes); });
}

void LocalGroup::begin_anew(const Change& group, const NodeView& nodes) {
  catch_up_.forget();
  state_ = State::kMember;
  sessions_.clear();
  handlers_->state_lost();
  enter(group, nodes);
}

void LocalGroup::tell_departed(const Change& group, NodeSet departed_before,
                               const NodeView& nodes) {
  NodeView::Names stay, gone;
  handlers_->view({number_,
                   name_,
                   nodes.epoch(),
                   nodes.names(group.members, stay),
                   {},
                   nodes.names_before(departed_before, gone),
                   group.suspended,
                   {nodes.epoch(), group.changed}});
}

void LocalGroup::tell(const Change& change, const NodeView& nodes) {
  NodeView::Names members, joined, departed;
  handlers_->view({number_,
                   name_,
                   nodes.epoch(),
                   nodes.names(change.members, members),
                   nodes.names(change.joined, joined),
                   nodes.names(change.departed, departed),
                   change.suspended,
                   {nodes.epoch(), change.changed}});
}

void LocalGroup::tell(const LockChange& change, const NodeView& nodes) {
  static_assert(static_cast<int>(LockChange::What::kRefused) ==
                static_cast<int>(HandlerEvent::What::kRefused));
  HandlerEvent event;
  event.what = static_cast<HandlerEvent::What>(change.what);
  event.group = number_;
  event.name = name_;
  event.handler = change.handler;
  event.own = change.holder == nodes.own_rank();
  if (change.holder != kGone) event.holder = nodes.nodes()[change.holder];
  event.token = {nodes.lineage(), change.token.epoch, change.token.place};
  handlers_->handler(event);
}

}  // namespace lambdacast::group
