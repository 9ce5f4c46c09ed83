// SPDX-License-Identifier: BSD-3-Clause
#include "group/group_layer.h"

#include <array>
#include <utility>
#include <vector>

#include "group/saved_directory.h"

namespace lambdacast::group {

using wire::GroupMessageType;
using wire::Qos;

GroupLayer::GroupLayer(const GroupConfig& config, Carrier& carrier)
    : state_bytes_(config.state_bytes),
      handlers_(config.handlers),
      carrier_(carrier),
      nodes_(config.self),
      directory_(config.names, config.fits),
      locals_(carrier, directory_, {config.state_bytes, config.sessions}),
      locks_(config.handlers, nodes_, locals_),
      transfers_(carrier, config.state_bytes, config.packet_bytes),
      newcomers_(config.queue_bytes),
      completions_(config.completions),
      calls_({config.self, config.requests.calls, config.requests.timeout_ns}, nodes_, carrier,
             completions_),
      requests_({config.requests.tickets, config.requests.answers_bytes}, config.self, nodes_,
                directory_, locks_.table(), locals_, carrier, calls_),
      forwards_(config.requests.forwards, nodes_, directory_, carrier),
      clock_(kMostLivedAtOnceNs),
      events_(config.state_bytes, nodes_, directory_, locals_, locks_, transfers_, counters_) {}

Result GroupLayer::join(std::string_view name, Handlers& handlers, JoinOptions options) {
  if (!wire::valid_group_name(name)) return Result::kBadName;
  if (over_) return Result::kNotInView;
  return locals_.join(name, handlers, options);
}

Result GroupLayer::publish(std::string_view name, std::span<const uint8_t> message, Qos qos,
                           Completion* completion, uint64_t token) {
  const Group* const group = directory_.find(name);
  if (group == nullptr) {
    if (!wire::valid_group_name(name)) return Result::kBadName;
    return informed() ? Result::kUnknownGroup : Result::kNotInView;
  }
  return publish(group->number, message, qos, completion, token);
}

Result GroupLayer::publish(uint32_t group, std::span<const uint8_t> message, Qos qos,
                           Completion* completion, uint64_t token) {
  if (completion != nullptr && completions_.full()) return Result::kAgain;
  if (directory_.any_minimum()) [[unlikely]] {
    const Group* const known = directory_.find(group);
    if (known != nullptr && known->suspended()) return Result::kSuspended;
  }
  const Result result = carrier_.publish(message, group, qos);
  if (result == Result::kOk && completion != nullptr)
    completions_.wait(carrier_.published(), *completion, token);
  return result;
}

// --- locks ---------------------------------------------------------------------------------------

Result GroupLayer::acquire(std::string_view name, uint32_t handler, bool only_if_free) {
  const LocalGroup* const local = locals_.member(name);
  if (local == nullptr) return Result::kNotJoined;
  if (locks_.table().size() >= handlers_) return Result::kAgain;
  std::array<uint8_t, wire::kGroupAcquireBytes> payload;
  (void)wire::store_group_acquire({handler, only_if_free, {}, {}}, payload.data());
  return carrier_.say(payload, local->number(), kGroupQos) ? Result::kOk : Result::kAgain;
}

Result GroupLayer::release(std::string_view name, uint32_t handler, const FencingToken& token,
                           const wire::StreamName* heir) {
  const LocalGroup* const local = locals_.member(name);
  if (local == nullptr) return Result::kNotJoined;
  const Lock* const lock = locks_.table().find(local->number(), handler);
  const GrantPlace place{token.epoch, token.place};
  if (lock == nullptr || lock->holder != nodes_.own_rank() || lock->token != place ||
      token.lineage != nodes_.lineage()) {
    return Result::kNotHolder;
  }
  return say_release(*local, {handler, false, place, heir == nullptr ? wire::StreamName{} : *heir});
}

Result GroupLayer::withdraw(std::string_view name, uint32_t handler) {
  const LocalGroup* const local = locals_.member(name);
  return local == nullptr ? Result::kNotJoined : say_release(*local, {handler, false, {}, {}});
}

Result GroupLayer::say_release(const LocalGroup& local, const wire::GroupLock& given) {
  std::array<uint8_t, wire::kGroupReleaseBytes> payload;
  (void)wire::store_group_release(given, payload.data());
  return carrier_.say(payload, local.number(), kGroupQos) ? Result::kOk : Result::kAgain;
}

std::optional<FencingToken> GroupLayer::holds(std::string_view name, uint32_t handler) const {
  const LocalGroup* const local = locals_.member(name);
  if (local == nullptr || carrier_.operational() != nodes_.epoch()) return std::nullopt;
  const Lock* const lock = locks_.table().find(local->number(), handler);
  if (lock == nullptr || lock->holder != nodes_.own_rank()) return std::nullopt;
  return FencingToken{nodes_.lineage(), lock->token.epoch, lock->token.place};
}

void GroupLayer::poll(uint64_t now_ns, bool drained) {
  if (completions_.waiting() != 0) completions_.advance(carrier_.stable());
  if (nodes_.epoch() == 0) return;
  if (informed()) locals_.poll();
  if (transfers_.sending() != 0) transfers_.poll();
  if (!drained || (calls_.under_way() == 0 && requests_.idle())) return;
  const uint64_t lived_ns = clock_.advance(now_ns);
  calls_.poll(lived_ns);
  requests_.poll(lived_ns);
}

std::optional<uint32_t> GroupLayer::number_of(std::string_view name) const {
  const Group* const group = directory_.find(name);
  return group == nullptr ? std::nullopt : std::optional(group->number);
}

// --- calls ---------------------------------------------------------------------------------------

Result GroupLayer::call(std::string_view name, std::span<const uint8_t> message,
                        const CallOptions& options, CallHandler* handler, uint64_t token) {
  const Group* const group = directory_.find(name);
  if (!wire::valid_group_name(name)) return Result::kBadName;
  if (!informed()) return Result::kNotInView;
  if (group == nullptr) return Result::kUnknownGroup;
  if (group->suspended()) return Result::kSuspended;
  return calls_.call(group->number, message, options, handler, token);
}

void GroupLayer::request_message(const Delivery& from, std::span<const uint8_t> message) {
  wire::Envelope envelope;
  if (!wire::load_envelope(message, envelope)) return requests_.refuse();
  using Type = wire::RequestType;
  if (envelope.type == Type::kForward || envelope.type == Type::kFind) {
    return forwards_.take(from, envelope, message.subspan(wire::kEnvelopeBytes),
                          informed() && carrier_.operational() != 0);
  }
  const bool placed = envelope.type == Type::kOpen || envelope.type == Type::kRequest;
  if (placed && from.source == nodes_.self_name())
    forwards_.placed(envelope, from.group, {from.epoch, from.index + 1});
  requests_.take(from, envelope, message, informed() ? directory_.find(from.group) : nullptr);
}

// --- messages of the group layer -----------------------------------------------------------------

void GroupLayer::group_message(const Delivery& from, std::span<const uint8_t> payload) {
  wire::GroupMessage message;
  const size_t rank = nodes_.rank_of(from.source);
  const bool whole = wire::load_group_message(payload, message);
  const bool of_directory = from.group == wire::kDirectoryGroup;
  if (!whole || rank == nodes_.size() || from.qos < Qos::kTotallyOrdered ||
      (!of_directory && from.group - wire::kFirstNamedGroup >= wire::kNamedGroups)) {
    ++counters_.refused;
  } else if (of_directory) {
    directory_message(from, message, rank, payload);
  } else {
    apply_or_keep(from, message, rank, payload);
  }
}

void GroupLayer::directory_message(const Delivery& from, const wire::GroupMessage& message,
                                   size_t rank, std::span<const uint8_t> payload) {
  if (message.type == GroupMessageType::kPiece) {
    on_directory_piece(message);
  } else if (message.type == GroupMessageType::kRegister) {
    apply_or_keep(from, message, rank, payload);
  } else {
    ++counters_.refused;
  }
}

void GroupLayer::apply_or_keep(const Delivery& from, const wire::GroupMessage& message, size_t rank,
                               std::span<const uint8_t> payload) {
  if (informed()) {
    events_.apply(from, message, rank);
  } else if (!newcomers_.keep(from, payload)) {
    ++counters_.refused;
  }
}

// --- the view of the nodes -----------------------------------------------------------------------

// Nodes that are not in the view have departed from their groups. Nodes that are new in it are told
// of all groups, as of its beginning, by the first member. If that is not informed itself, nobody
// is: those that were to tell it have departed, and it tells the others that groups begin anew.
void GroupLayer::view(uint64_t epoch, std::span<const wire::StreamName> members, size_t stayed) {
  if (over_) return;
  nodes_.begin(epoch, members);
  transfers_.begin_view(epoch, nodes_.size());
  if (nodes_.first() && stayed == 0) {
    nodes_.begin_lineage();
    return newcomers_.all_informed(nodes_.size());
  }
  if (!informed()) return begin_uninformed();
  events_.begin_view();
  calls_.begin_view();
  requests_.begin_view();
  if (newcomers_.move(nodes_.now(), nodes_.size()) && nodes_.own_rank() == 0) send_directory();
}

void GroupLayer::begin_uninformed() {
  newcomers_.expect(nodes_.beginning());
  if (nodes_.own_rank() != 0) return;
  ++counters_.states_lost;
  nodes_.begin_lineage();
  directory_.clear();
  locks_.clear();
  locals_.forget_routes();
  send_directory();
}

void GroupLayer::send_directory() {
  std::vector<uint8_t> state;
  save_directory(directory_, locks_.table(), nodes_.lineage(), nodes_.size(), state);
  transfers_.send(wire::kDirectoryGroup, nodes_.beginning(), NodeSet::first(nodes_.size()),
                  std::move(state));
}

void GroupLayer::on_directory_piece(const wire::GroupMessage& message) {
  const wire::GroupPiece& piece = message.piece;
  if (piece.epoch != nodes_.epoch()) return;
  if (piece.total > state_bytes_) {
    ++counters_.refused;
    return;
  }
  if (informed()) {
    const bool last = piece.offset + message.bytes.size() == piece.total;
    if (last) newcomers_.all_informed(nodes_.size());
  } else if (newcomers_.take(piece, message.bytes)) {
    if (load_directory()) return inform();
    ++counters_.refused;  // the next view brings another
    newcomers_.refuse();
  }
}

// Members that wait, and are served, get the state as of the beginning of the view.
bool GroupLayer::load_directory() {
  locals_.forget_routes();
  uint32_t lineage = 0;
  if (!group::load_directory(newcomers_.state(), nodes_.size(), directory_, locks_.table(),
                             lineage)) {
    return false;
  }
  nodes_.set_lineage(lineage);
  for (size_t i = 0; i < directory_.size(); ++i) {
    const Group& group = directory_.at(i);
    transfers_.wait(group.number, group.members.waiting - group.members.unserved, wire::kViewIndex);
  }
  return true;
}

void GroupLayer::inform() {
  const Kept queue = newcomers_.finish(nodes_.size());
  queue.replay(
      [&](const Delivery& from, std::span<const uint8_t> payload) { group_message(from, payload); },
      [](const KeptRequest&, std::span<const uint8_t>) {}, [](const auto&) {});
}

void GroupLayer::out(End reason) {
  if (over_) return;
  over_ = true;
  newcomers_.end();
  nodes_.end();
  transfers_.end_view();
  locals_.end_all(reason);
  completions_.give_up();
  calls_.out();
  requests_.out();
  forwards_.out();
  directory_.clear();
  locks_.clear();
}

}  // namespace lambdacast::group
