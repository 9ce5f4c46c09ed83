// SPDX-License-Identifier: BSD-3-Clause
// Groups with names above the endpoints (group_host.h), in the log like everything else.
#include <algorithm>
#include <utility>

#include "sim/multicast/message.h"
#include "sim/multicast/simulation.h"
#include "sim/multicast/trace_names.h"

namespace lambdacast::sim {

namespace {

constexpr size_t kApplicationBytes = 2 * kMessageIdBytes;

}  // namespace

void Simulation::start_groups(size_t index, const node::EndpointIdentity& identity) {
  if (!scenario_.groups.on) return;
  Node& node = nodes_[index];
  const wire::StreamName self{identity.gid, identity.data_qpn, identity.incarnation};
  const uint64_t seed =
      base::mix64(scenario_.nodes[index].repair.seed ^ 0x6709 ^ uint64_t{node.life} << 32);
  GroupWorld& world = *this;
  node.groups = std::make_unique<GroupHost>(world, node.life, self, seed, scenario_.groups);
  if (node.lives == 1)  // from then on whoever lives acts
    events_.push(now_ns_ + scenario_.groups.act_every_ns,
                 {Event::What::kGroups, static_cast<uint32_t>(index), 0, {}});
}

void Simulation::act_on_groups(size_t index) {
  Node& node = nodes_[index];
  events_.push(now_ns_ + scenario_.groups.act_every_ns,
               {Event::What::kGroups, static_cast<uint32_t>(index), 0, {}});
  if (!node.alive() || node.paused) return;
  if (act_for_application) {
    act_for_application(index, *node.groups);
    node.groups->poll(now_ns_);
    return wake_all(index);
  }
  const bool leaves = recorder_.log().lives[node.life].left_ns != kNever;
  const bool busy = now_ns_ < scenario_.groups.busy_ns && !leaves;
  node.groups->act(busy);
  if (busy && scenario_.groups.locks) node.groups->act_on_locks();
  if (scenario_.groups.calls) node.groups->act_on_calls(busy);
  // What nobody can answer is repeated for ever: the last of the fabric is not owed to that.
  const bool over = now_ns_ > (scenario_.epilogue_ns + scenario_.end_ns) / 2;
  if (scenario_.groups.sessions != 0 && !over) node.groups->act_on_outside_calls(busy);
  if (over) node.groups->cancel_outside_calls();
  node.groups->poll(now_ns_);
  wake_all(index);
}

void Simulation::tell_groups(Node& node, const Told& told, const node::PacketInfo& info,
                             std::span<const uint8_t> message) {
  if (node.groups == nullptr || told.sender == kNobody) return;
  group::Delivery delivery;
  delivery.group = info.group;
  const Life& sender = recorder_.log().lives[told.sender];
  delivery.source = {recorder_.gid(sender.node), node_identity(scenario_, sender.node).data_qpn,
                     sender.incarnation};
  delivery.qos = info.qos;
  delivery.epoch = told.epoch;
  delivery.domain = told.domain;
  delivery.index = told.index;
  const bool layered = info.kind == wire::Kind::kGroup || wire::is_request(info.kind);
  if (!layered) return node.groups->deliver(delivery, message, info.place);
  if (message.size() < kMessageIdBytes) return;
  const std::span<const uint8_t> bytes = message.subspan(kMessageIdBytes);
  if (info.kind == wire::Kind::kGroup) {
    node.groups->group_message(delivery, bytes);
  } else {
    node.groups->request_message(delivery, bytes);
  }
}

bool Simulation::publish_to_group(uint32_t life, std::span<const uint8_t> bytes, uint32_t group,
                                  wire::Qos qos, wire::Kind kind) {
  Node& node = nodes_[recorder_.log().lives[life].node];
  const MessageId id{life, static_cast<uint32_t>(recorder_.log().publications.size())};
  std::vector<uint8_t> message =
      make_message(id, bytes.empty() ? kApplicationBytes : kMessageIdBytes);
  message.insert(message.end(), bytes.begin(), bytes.end());
  const uint64_t before = node.endpoint->published();
  if (!node.endpoint->publish(message, group, qos, kind)) return false;
  const uint64_t packets = node.endpoint->published() - before;
  Publication publication;
  publication.life = life;
  publication.group = group;
  publication.qos = qos;
  publication.bytes = static_cast<uint32_t>(message.size());
  if (!bytes.empty()) publication.content = hash_content(bytes);
  publication.accepted_ns = now_ns_;
  if (kind == wire::Kind::kGroup) {
    locks_.said(life, id.publication, group, bytes,
                [&](const wire::StreamName& name) { return life_called(name); });
  }
  recorder_.published(publication, packets);
  return true;
}

bool Simulation::write_register(uint32_t life, const LockName& lock, const LockGrant& grant) {
  const bool taken = locks_.write(life, now_ns_, lock, grant);
  recorder_.trace().add(grant.epoch << 32 ^ grant.place << 1 ^ uint64_t{taken});
  if (recorder_.trace().heard()) {
    recorder_.trace().say(recorder_.name_of(life) + " writes by " + std::to_string(grant.epoch) +
                          "." + std::to_string(grant.place) + " to register " +
                          std::to_string(lock.handler) + " of " + std::to_string(lock.group) +
                          (taken ? "" : ", refused"));
  }
  return taken;
}

uint64_t Simulation::operational(uint32_t life) const {
  const Node& node = nodes_[recorder_.log().lives[life].node];
  return node.endpoint == nullptr ? 0 : node.endpoint->node().publisher().operational();
}

uint32_t Simulation::newest_view(uint32_t life) const {
  const auto& views = recorder_.log().views;
  for (size_t i = views.size(); i-- > 0;) {
    if (views[i].life == life) return static_cast<uint32_t>(i);
  }
  return kNobody;
}

void Simulation::told_of_call(CallTold told) {
  told.view = newest_view(told.life);
  recorder_.trace().add(told.number << 8 ^ static_cast<uint64_t>(told.what) << 4 ^ told.outcome);
  if (recorder_.trace().heard()) {
    std::string line = recorder_.name_of(told.life) + " " + word_of(told.what) + ", call " +
                       std::to_string(told.number) + " of " + recorder_.name_of(told.caller);
    if (told.what == CallTold::What::kCalled) {
      line += std::string(", group ") + kGroupNames[told.name] + ", " +
              word_of(static_cast<Want>(told.want)) + " " + std::to_string(told.k) + ", level " +
              std::to_string(static_cast<int>(told.qos));
    }
    if (told.what == CallTold::What::kRequested)
      line += " at " + std::to_string(told.epoch) + "." + std::to_string(told.index);
    if (told.asked) line += ", and is asked";
    if (told.what == CallTold::What::kAnswer) line += " by " + recorder_.name_of(told.from);
    if (told.what == CallTold::What::kEnded)
      line += std::string(": ") + word_of(static_cast<Outcome::What>(told.outcome));
    for (const CallTold::Fate& each : told.fates)
      line +=
          ", " + recorder_.name_of(each.life) + " " + word_of(static_cast<Asked::Fate>(each.fate));
    recorder_.trace().say(line);
  }
  recorder_.log().calls_told.push_back(std::move(told));
}

void Simulation::told_of_group(GroupTold told) {
  told.view = newest_view(told.life);
  recorder_.trace().add(told.state);
  if (recorder_.trace().heard()) {
    std::string line = recorder_.name_of(told.life) + " in group " + kGroupNames[told.name] + ": " +
                       word_of(told.what) + ", state " + std::to_string(told.state);
    if (told.what == GroupTold::What::kLock) {
      line += std::string(", ") + word_of(told.lock) + " " + std::to_string(told.handler) + " by " +
              std::to_string(told.grant.epoch) + "." + std::to_string(told.grant.place);
      if (told.holder != kNobody) line += " to " + recorder_.name_of(told.holder);
    }
    for (const uint32_t member : told.members) line += ", " + recorder_.name_of(member);
    recorder_.trace().say(line);
  }
  if (told.what == GroupTold::What::kLock) recorder_.trace().add(told.grant.place);
  locks_.told(told);
  recorder_.log().group_told.push_back(std::move(told));
}

}  // namespace lambdacast::sim
