// SPDX-License-Identifier: BSD-3-Clause
#include "group/local_group.h"

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

// A member that waits for its state is asked for nothing.
bool LocalGroup::request(Delivery delivery, const wire::Envelope& envelope,
                         std::span<const uint8_t> message, uint64_t ticket) {
  if (state_ == State::kWaiting) return catch_up_.keep(KeptRequest{delivery}, message);
  if (state_ == State::kMember)
    hand_over(delivery, envelope, message.subspan(wire::kEnvelopeBytes), ticket);
  return true;
}

void LocalGroup::hand_over(Delivery delivery, const wire::Envelope& envelope,
                           std::span<const uint8_t> message, uint64_t ticket) {
  delivery.name = name_;
  handlers_->requested({delivery, envelope.caller, envelope.handler, ticket != 0, ticket,
                        envelope.most_answer_bytes},
                       message);
}

void LocalGroup::enter(const Change& group, const NodeView& nodes) {
  tell({group.members, nodes.self(), {}, group.suspended}, nodes);
}

void LocalGroup::expect(const EventId& as_of, const Change& group) {
  catch_up_.expect(as_of, group);
}

// Handlers that leave the group hear of it later, behind all of this.
void LocalGroup::restore(const NodeView& nodes) {
  const Kept kept = catch_up_.take_kept();
  handlers_->restore(catch_up_.state());
  catch_up_.forget();
  state_ = State::kMember;
  enter(catch_up_.as(), nodes);
  kept.replay(
      [&](Delivery delivery, std::span<const uint8_t> message) {
        delivery.name = name_;
        handlers_->delivered(delivery, message);
      },
      [&](const Delivery& delivery, std::span<const uint8_t> message) {
        wire::Envelope envelope;
        if (wire::load_envelope(message, envelope))
          hand_over(delivery, envelope, message.subspan(wire::kEnvelopeBytes), 0);
      },
      [&](const auto& change) { tell(change, nodes); });
}

void LocalGroup::begin_anew(const Change& group, const NodeView& nodes) {
  catch_up_.forget();
  state_ = State::kMember;
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
                   group.suspended});
}

void LocalGroup::tell(const Change& change, const NodeView& nodes) {
  NodeView::Names members, joined, departed;
  handlers_->view({number_, name_, nodes.epoch(), nodes.names(change.members, members),
                   nodes.names(change.joined, joined), nodes.names(change.departed, departed),
                   change.suspended});
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
