// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/group_host.h"

#include <map>
#include <utility>

#include "base/bytes.h"
#include "sim/multicast/message.h"

namespace lambdacast::sim {

namespace {

constexpr size_t kStateBytes = 200;  // several pieces
constexpr uint32_t kLocks = 2;       // of a group

constexpr uint64_t kRetryNs = 200'000;

group::GroupConfig config_of(const wire::StreamName& self, uint32_t sessions) {
  group::GroupConfig config;
  config.self = self;
  config.names = 16;
  config.handlers = 64;
  config.packet_bytes = 128;
  config.requests.calls = 16;
  config.requests.tickets = 8;
  config.requests.retry_ns = kRetryNs;
  if (sessions == 0) return config;
  config.sessions = sessions;
  // Where callers do not push one another out, entries refuse copies for want of room.
  if (sessions > 2) config.requests.forwards = 2;
  return config;
}

}  // namespace

std::vector<uint32_t> group_numbers() {
  std::vector<uint32_t> numbers{wire::kDirectoryGroup};
  for (const char* name : kGroupNames) {
    for (uint32_t attempt = 0; attempt < 2; ++attempt)
      numbers.push_back(group::numbered(group::hash_name(name), attempt));
  }
  return numbers;
}

class GroupHost::Application final : public group::Handlers {
 public:
  Application(GroupHost& host, uint32_t name) : host_(host), name_(name) {}

  void delivered(const group::Delivery& delivery, std::span<const uint8_t> message) override {
    const auto id = read_message_id(message);
    if (is_ordered(delivery.qos)) state_ = base::mix64(state_ ^ (id ? id->publication + 1u : 0u));
    GroupTold told = entry(GroupTold::What::kMessage);
    told.publication = id ? id->publication : kNobody;
    host_.world_.told_of_group(std::move(told));
  }
  void view(const group::GroupView& view) override {
    number_ = view.group;
    GroupTold told = entry(GroupTold::What::kView);
    for (const wire::StreamName& member : view.members)
      told.members.push_back(host_.world_.life_called(member));
    told.suspended = view.suspended;
    host_.world_.told_of_group(std::move(told));
  }
  void requested(const group::Request& request, std::span<const uint8_t> message) override {
    if (is_ordered(request.delivery.qos)) state_ = base::mix64(state_ ^ message.size());
    host_.calls_.requested(name_, request, message);
  }
  void snapshot(std::vector<uint8_t>& out) override {
    out.resize(kStateBytes);
    base::store_be64(out.data(), state_);
    host_.world_.told_of_group(entry(GroupTold::What::kSnapshot));
  }
  void restore(std::span<const uint8_t> state) override {
    state_ = state.size() == kStateBytes ? base::load_be64(state.data()) : 0;
    host_.world_.told_of_group(entry(GroupTold::What::kRestored));
  }
  void state_lost() override { host_.world_.told_of_group(entry(GroupTold::What::kLost)); }
  void handler(const group::HandlerEvent& event) override {
    using What = group::HandlerEvent::What;
    GroupTold told = entry(GroupTold::What::kLock);
    told.lock = static_cast<GroupTold::Lock>(event.what);
    told.handler = event.handler;
    if (event.holder != wire::StreamName{}) told.holder = host_.world_.life_called(event.holder);
    told.grant = {event.token.lineage, event.token.epoch, event.token.place};
    if (event.own) {
      held_[event.handler] = event.token;
    } else if (event.what != What::kQueued && event.what != What::kRefused) {
      held_.erase(event.handler);
    }
    host_.world_.told_of_group(std::move(told));
  }
  void ended(group::End) override {
    held_.clear();
    host_.world_.told_of_group(entry(GroupTold::What::kEnded));
    state_ = 0;
    number_ = 0;
    wanted_ = false;
  }

  void join() {
    const group::JoinOptions options{.minimum = static_cast<uint8_t>(needs_two() ? 2 : 0)};
    if (host_.core_.join(kGroupNames[name_], *this, options) == group::Result::kOk) wanted_ = true;
  }
  void leave() {
    wanted_ = false;
    (void)host_.core_.leave(kGroupNames[name_]);
  }
  [[nodiscard]] bool wanted() const { return wanted_; }

  // It asks the host nothing before it writes: what it was told last is all it knows.
  void act_on_locks(base::SplitMix64& random) {
    if (needs_two() && !host_.groups_.suspended_locks) return;
    const auto handler = static_cast<uint32_t>(random.below(kLocks));
    const auto held = held_.find(handler);
    const uint64_t drawn = random.below(16);
    if (drawn == 0) (void)host_.core_.withdraw(kGroupNames[name_], handler);
    if (held == held_.end()) {
      if (drawn < 8) (void)host_.core_.acquire(kGroupNames[name_], handler, drawn < 2);
      return;
    }
    const group::FencingToken& token = held->second;
    if (drawn < 10)
      (void)host_.world_.write_register(host_.life_, {number_, handler},
                                        {token.lineage, token.epoch, token.place});
    if (drawn == 10 || drawn == 11) release(handler, token, nullptr);
    if (drawn == 11) release(handler, token, nullptr);  // twice: the second one is void
    const auto nodes = host_.core_.nodes();
    if (drawn == 12 && !nodes.empty()) release(handler, token, &nodes[random.below(nodes.size())]);
    if (drawn == 13) (void)host_.core_.acquire(kGroupNames[name_], handler);
  }

 private:
  [[nodiscard]] bool needs_two() const {
    return name_ == kSuspendedName &&
           (host_.groups_.sessions != 0 || host_.groups_.suspended_locks);
  }
  void release(uint32_t handler, const group::FencingToken& token, const wire::StreamName* heir) {
    (void)host_.core_.release(kGroupNames[name_], handler, token, heir);
  }
  [[nodiscard]] GroupTold entry(GroupTold::What what) const {
    GroupTold told;
    told.what = what;
    told.life = host_.life_;
    told.name = name_;
    told.number = number_;
    told.state = state_;
    return told;
  }

  GroupHost& host_;
  uint32_t name_;
  uint32_t number_ = 0;  // 0: in no view of it
  uint64_t state_ = 0;
  std::map<uint32_t, group::FencingToken> held_;  // as it was told
  bool wanted_ = false;
};

GroupHost::GroupHost(GroupWorld& world, uint32_t life, const wire::StreamName& self, uint64_t seed,
                     const GroupScenario& groups)
    : world_(world),
      life_(life),
      random_(seed),
      lock_random_(base::mix64(seed)),
      self_(self),
      groups_(groups),
      core_(config_of(self, groups.sessions), *this),
      outside_({self, config_of(self, groups.sessions).requests, {}}, *this),
      calls_(world, core_, nullptr, life, base::mix64(seed ^ 0xca11)),
      outside_host_(world, core_, &outside_, life, base::mix64(seed ^ 0x0075)) {
  for (uint32_t name = 0; name < kGroupNames.size(); ++name)
    applications_.push_back(std::make_unique<Application>(*this, name));
}

GroupHost::~GroupHost() = default;

// Messages to callers outside the view go to this one, which is in it.
void GroupHost::request_message(const group::Delivery& from, std::span<const uint8_t> message) {
  using Type = wire::RequestType;
  wire::Envelope envelope;
  if (!wire::load_envelope(message, envelope)) return core_.request_message(from, message);
  const bool outside = envelope.session != wire::RequestPlace{};
  if (envelope.type == Type::kStatus || envelope.type == Type::kPlaced ||
      envelope.type == Type::kEntry || (envelope.type == Type::kAnswer && outside))
    return outside_.take(from.source, message);
  core_.request_message(from, message);
}

void GroupHost::act(bool busy) {
  const uint64_t name = random_.below(kGroupNames.size());
  const uint64_t drawn = random_.below(20);
  const wire::Qos qos = random_.below(4) == 0 ? wire::Qos::kReliable : wire::Qos::kTotallyOrdered;
  if (busy && drawn < 5) applications_[name]->join();
  if (busy && drawn == 5) applications_[name]->leave();
  if (busy && drawn > 9) (void)core_.publish(kGroupNames[name], {}, qos);
}

void GroupHost::act_on_locks() {
  for (uint64_t times = lock_random_.below(4); times != 0; --times)
    applications_[lock_random_.below(kGroupNames.size())]->act_on_locks(lock_random_);
}

GroupStanding GroupHost::standing(uint32_t life) const {
  GroupStanding standing;
  standing.life = life;
  standing.informed = core_.informed();
  for (uint32_t name = 0; name < kGroupNames.size(); ++name) {
    GroupStanding::Group of;
    of.wanted = applications_[name]->wanted();
    of.in = core_.is_member(kGroupNames[name]);
    if (const group::Group* const known = core_.directory().find(kGroupNames[name])) {
      of.number = known->number;
      of.waiting = !known->members.waiting.empty();
      known->members.all.for_each(
          [&](size_t rank) { of.members.push_back(world_.life_called(core_.nodes()[rank])); });
    }
    standing.groups.push_back(std::move(of));
  }
  return standing;
}

bool GroupHost::say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) {
  return world_.publish_to_group(life_, payload, group, qos, wire::Kind::kGroup);
}

group::Result GroupHost::publish(std::span<const uint8_t>, uint32_t group, wire::Qos qos) {
  return publish({}, group, qos, wire::Kind::kData);
}

group::Result GroupHost::request(std::span<const uint8_t> envelope,
                                 std::span<const uint8_t> message, uint32_t group, wire::Qos qos) {
  std::vector<uint8_t> bytes(envelope.begin(), envelope.end());
  bytes.insert(bytes.end(), message.begin(), message.end());
  return publish(bytes, group, qos, wire::Kind::kRequest);
}

// What a life says to its own caller outside the view does not come back to it.
group::Result GroupHost::answer(std::span<const uint8_t> envelope, const group::Content& message,
                                uint32_t group) {
  if (group == wire::personal_group(self_.gid, self_.qpn)) {
    std::vector<uint8_t> bytes(envelope.begin(), envelope.end());
    bytes.insert(bytes.end(), message.bytes().begin(), message.bytes().end());
    own_.push_back(std::move(bytes));
    return group::Result::kOk;
  }
  return request(envelope, message.bytes(), group, wire::Qos::kReliable);
}

group::Result GroupHost::publish(std::span<const uint8_t> bytes, uint32_t group, wire::Qos qos,
                                 wire::Kind kind) {
  return world_.publish_to_group(life_, bytes, group, qos, kind) ? group::Result::kOk
                                                                 : group::Result::kAgain;
}

}  // namespace lambdacast::sim
