// SPDX-License-Identifier: BSD-3-Clause
#include "groups_application.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace lambdacast::bench {
namespace {

constexpr std::string_view kPrefix = "bench.";

// The most there can be if it is none of ours.
uint32_t group_of(std::string_view name) {
  uint32_t group = ~0u;
  if (name.starts_with(kPrefix))
    (void)std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), group);
  return group;
}

}  // namespace

std::string bench_group_name(uint32_t group) {
  return std::string(kPrefix) + std::to_string(group);
}

GroupsApplication::GroupsApplication(rack::Endpoint& endpoint, GroupsRun& run, uint32_t node,
                                     const dpdk::TscClock& clock)
    : Application(endpoint),
      run_(run),
      node_(node),
      clock_(clock),
      loans_(endpoint),
      pacer_({run.rate, 4}),
      places_(run.most_groups) {}

GroupsApplication::~GroupsApplication() = default;

uint32_t GroupsApplication::tick(uint64_t now_ns) {
  join(run_.joined.load(std::memory_order_relaxed));
  // Before the phase, which control sets first: nothing is published for an older one.
  const uint32_t sender = run_.sender.load(std::memory_order_acquire);
  follow_phase();
  return sender == node_ ? publish(now_ns) : 0;
}

void GroupsApplication::join(uint32_t count) {
  for (; asked_ < count; ++asked_) {
    if (groups().join(bench_group_name(asked_), *this) != group::Result::kOk) return wrong_.add(1);
  }
}

void GroupsApplication::follow_phase() {
  const uint32_t phase = run_.phase.load(std::memory_order_acquire);
  if (phase == phase_) return;
  phase_ = phase;
  group_ = lap_ = 0;
  for (Place& place : places_) place.next = 0;
}

void GroupsApplication::view(const group::GroupView& view) {
  const uint32_t group = group_of(view.name);
  if (group >= places_.size()) return wrong_.add(1);
  places_[group].number = view.group;
  if (view.members.size() != run_.nodes) return;
  complete_ns_.store(clock_.now_ns(), std::memory_order_relaxed);
  complete_.add(1);
}

void GroupsApplication::node_view(const node::ViewEvent&) { views_.add(1); }

void GroupsApplication::numbered(const node::PacketInfo&, std::span<const uint8_t>) {
  wrong_.add(1);
}

void GroupsApplication::delivered(const group::Delivery& delivery,
                                  std::span<const uint8_t> message) {
  GroupsStamp stamp;
  if (message.size() != run_.payload_bytes) return wrong_.add(1);
  std::memcpy(&stamp, message.data(), sizeof stamp);
  if (stamp.phase != phase_) follow_phase();  // its first message may be here before tick()
  if (stamp.phase != phase_ || stamp.group >= places_.size()) return wrong_.add(1);
  Place& place = places_[stamp.group];
  if (place.number != delivery.group) return wrong_.add(1);
  if (stamp.sequence != place.next) out_of_order_.add(1);
  place.next = stamp.sequence + 1;
  delivered_.add(1);
}

// In place, a packet each: with one group as with many, where no two that follow each other could
// share one.
uint32_t GroupsApplication::publish(uint64_t now_ns) {
  const auto most =
      static_cast<uint32_t>(std::min<uint64_t>(burst_of(endpoint()), pacer_.allowance(now_ns)));
  if (most == 0) return 0;
  const wire::Qos level = run_.level.load(std::memory_order_relaxed);
  const uint32_t in_turn = run_.in_turn.load(std::memory_order_relaxed);
  GroupsStamp stamp{phase_, group_, lap_};
  const uint32_t taken = loans_.publish_now(most, [&](dpdk::Loan& loan) {
    std::memcpy(loan.payload(), &stamp, sizeof stamp);
    (void)loan.describe(run_.payload_bytes, places_[stamp.group].number, level);
    if (++stamp.group == in_turn) {
      stamp.group = 0;
      ++stamp.sequence;
    }
  });
  lap_ += (group_ + taken) / in_turn;
  group_ = (group_ + taken) % in_turn;
  published_.add(taken);
  pacer_.spend(taken);
  return taken;
}

}  // namespace lambdacast::bench
