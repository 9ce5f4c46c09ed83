// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/call_run.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "sim/multicast/group_host.h"
#include "sim/multicast/run_figures.h"
#include "sim/multicast/simulation.h"
#include "wire/control/request.h"
#include "wire/control/reserved_groups.h"

namespace lambdacast::sim {

namespace {

constexpr const char* kName = kGroupNames[0];
constexpr uint32_t kLock = 0;
// No multiple of any timer, and so often that no heartbeat falls between two calls: with one just
// before it an acknowledgement would wait for ack_ns, always for the same time.
constexpr uint64_t kActEveryNs = 47'000;
constexpr uint64_t kBeginNs = 20'000'000;

Scenario scenario_of(const CallRun& run) {
  Scenario scenario = quiet_scenario(run.nodes);
  scenario.membership.on = true;
  scenario.membership.order.order = run.order;
  scenario.membership.order.domains = 1;
  scenario.membership.views.ack_ns = run.ack_ns;
  scenario.groups.on = true;
  scenario.groups.act_every_ns = kActEveryNs;
  for (size_t i = 0; i < run.nodes; ++i) {
    scenario.nodes[i].poll_every_ns = 200;
    for (const uint32_t number : group_numbers()) scenario.nodes[i].subscribe.push_back(number);
    const node::EndpointIdentity identity = node_identity(scenario, i);
    for (NodeScenario& node : scenario.nodes)
      node.subscribe.push_back(wire::personal_group(identity.gid, identity.data_qpn));
  }
  scenario.fabric.latency_ns = run.latency_ns;
  scenario.fabric.faults_end_ns = 0;
  scenario.epilogue_ns = kBeginNs + 8 * run.calls * kActEveryNs;
  scenario.end_ns = scenario.epilogue_ns + 2'000'000;
  return scenario;
}

// The application of a node: it joins unless it is the caller, and does what its part is.
class Part final : public group::Handlers, public group::CallHandler {
 public:
  enum class Role : uint8_t { kMember, kHolder, kCaller };
  // Runs of the holder: first the lock is acquired and given back, then it is kept.
  Part(const Simulation& simulation, Role role, uint64_t times)
      : simulation_(simulation), role_(role), times_(times) {}

  void act(GroupHost& host, const wire::StreamName& entry) {
    layer_ = &host.layer();
    if (simulation_.now_ns() < kBeginNs / 2) return;
    if (role_ == Role::kCaller) return call(host, entry);
    if (!joined_) joined_ = layer_->join(kName, *this) == group::Result::kOk;
    if (role_ != Role::kHolder || !layer_->is_member(kName) || asked_ns_) return;
    if (token_ && grants.size() < times_) {
      (void)layer_->release(kName, kLock, *token_, nullptr);
    } else if (!token_ && layer_->acquire(kName, kLock) == group::Result::kOk) {
      asked_ns_ = simulation_.now_ns();
    }
  }

  std::vector<uint64_t> grants, inside, outside;  // times, in their order

 private:
  // Not before the holder keeps the lock: until then nobody answers.
  void call(GroupHost& host, const wire::StreamName& entry) {
    if (asked_ns_ || simulation_.now_ns() < kBeginNs + 3 * times_ * kActEveryNs) return;
    if (outside.size() == times_) return;
    by_session_ = !by_session_;
    group::CallOptions options{.handler = kLock};
    options.via = entry;
    const group::Result result = by_session_ ? host.outside().call(kName, {}, options, this, 0)
                                             : layer_->call(kName, {}, options, this, 0);
    if (result == group::Result::kOk) asked_ns_ = simulation_.now_ns();
  }

  void requested(const group::Request& request, std::span<const uint8_t>) override {
    if (request.answers) (void)layer_->answer(request.ticket, {});
  }
  void handler(const group::HandlerEvent& event) override {
    if (!event.own) {
      if (event.what == group::HandlerEvent::What::kFreed) token_.reset();
      return;
    }
    token_ = event.token;
    if (asked_ns_) grants.push_back(simulation_.now_ns() - *asked_ns_);
    asked_ns_.reset();
  }
  void delivered(const group::Delivery&, std::span<const uint8_t>) override {}
  void ended(group::End) override {}
  void ended(uint64_t, const group::Outcome& outcome) override {
    const uint64_t took_ns = simulation_.now_ns() - *asked_ns_;
    asked_ns_.reset();
    const bool first = by_session_ && !opened_;  // it has opened the session, too
    opened_ |= by_session_;
    if (first || outcome.what != group::Outcome::What::kAnswered) return;
    (by_session_ ? outside : inside).push_back(took_ns);
  }

  const Simulation& simulation_;
  const Role role_;
  const uint64_t times_;
  group::GroupLayer* layer_ = nullptr;
  bool joined_ = false;
  bool by_session_ = false;
  bool opened_ = false;
  std::optional<group::FencingToken> token_;
  std::optional<uint64_t> asked_ns_;
};

uint64_t median(std::vector<uint64_t> times_ns) {
  std::ranges::sort(times_ns);
  return value_at(times_ns, 0.5);
}

}  // namespace

CallFigures measure_calls(const CallRun& run, const EndpointFactory& factory) {
  const Scenario scenario = scenario_of(run);
  Simulation simulation(scenario, run.seed, factory);
  // The first view has its members in the order of the nodes, and one domain has its sequencer.
  const size_t sequencer = ordering::sequencer_of(0, run.nodes);
  const size_t holder = (sequencer + 1) % run.nodes;
  const size_t caller = (sequencer + 2) % run.nodes;
  const size_t entry = (sequencer + 3) % run.nodes;
  std::vector<std::unique_ptr<Part>> parts;
  for (size_t i = 0; i < run.nodes; ++i) {
    const Part::Role role = i == holder   ? Part::Role::kHolder
                            : i == caller ? Part::Role::kCaller
                                          : Part::Role::kMember;
    parts.push_back(std::make_unique<Part>(simulation, role, run.calls));
  }
  const node::EndpointIdentity of_entry = node_identity(scenario, entry);
  const wire::StreamName via{of_entry.gid, of_entry.data_qpn, of_entry.incarnation};
  simulation.act_for_application = [&](size_t node, GroupHost& host) {
    parts[node]->act(host, via);
  };
  (void)simulation.run();
  const Part& asks = *parts[caller];
  return {parts[holder]->grants.size(),  asks.inside.size(),  asks.outside.size(),
          median(parts[holder]->grants), median(asks.inside), median(asks.outside)};
}

}  // namespace lambdacast::sim
