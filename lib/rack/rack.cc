// SPDX-License-Identifier: BSD-3-Clause
#include "rack/rack.h"

#include <rte_launch.h>
#include <rte_lcore.h>
#include <sched.h>

#include <algorithm>

#include "dpdk/icrc_choice.h"

namespace lambdacast::rack {
namespace {

int run_loop(void* loop) {
  static_cast<dpdk::LcoreLoop*>(loop)->run();
  return 0;
}

}  // namespace

base::Result<std::unique_ptr<Rack>> Rack::create(const config::Config& config,
                                                 const Endpoint::Options& options) {
  (void)dpdk::icrc_choice();  // measured while no lcore runs
  std::unique_ptr<Rack> rack(new Rack);
  for (const config::Lcore& lcore : config.lcores) {
    rack->loops_.push_back(std::make_unique<dpdk::LcoreLoop>(lcore, rack->clock_));
  }
  if (auto usable = rack->check_lcores(); !usable) return tl::unexpected(usable.error());
  for (const config::Endpoint& endpoint : config.endpoints) {
    auto created = Endpoint::create(endpoint, config.fabric, options);
    if (!created) return tl::unexpected(created.error());
    rack->endpoints_.push_back(std::move(*created));
  }
  rack->applications_.resize(rack->endpoints_.size());
  if (config.fabric && options.watches_deaths) rack->fabric_ = config.fabric->name;
  return rack;
}

Rack::~Rack() { stop(); }

base::Result<void> Rack::check_lcores() const {
  for (const auto& loop : loops_) {
    const unsigned id = loop->id();
    if (rte_lcore_is_enabled(id) != 0 && id != rte_get_main_lcore()) continue;
    return base::fail("lcore " + std::to_string(id) +
                      (id == rte_get_main_lcore() ? " is EAL's main lcore, which controls"
                                                  : " is none of EAL's") +
                      "; leave --lcores out, or name it there with another --main-lcore");
  }
  return {};
}

dpdk::LcoreLoop& Rack::loop(uint32_t lcore) {
  for (const auto& loop : loops_) {
    if (loop->id() == lcore) return *loop;
  }
  return *loops_.front();  // config lists every lcore that a stage names
}

void Rack::set_application(size_t endpoint, std::unique_ptr<node::Stage> application) {
  applications_[endpoint] = std::move(application);
}

namespace {

uint32_t lcore_of(node::StageId stage, const config::StageLcores& lcores) {
  switch (stage) {
    case node::StageId::kReceive:
    case node::StageId::kNeighbor:
      return lcores.receive;
    case node::StageId::kReliability:
      return lcores.reliability;
    case node::StageId::kOrdering:
    case node::StageId::kApplication:
      return lcores.ordering;
    case node::StageId::kRateControl:
      return lcores.rate_control;
  }
  return lcores.receive;
}

}  // namespace

// In the order of a turn (node/node.h), each stage on its lcore; the application behind ordering.
void Rack::assign_stages() {
  for (size_t i = 0; i < endpoints_.size(); ++i) {
    Endpoint& endpoint = *endpoints_[i];
    const config::StageLcores& lcores = endpoint.config().stages;
    const std::string& name = endpoint.config().name;
    endpoint.node().for_each_stage([&](node::StageId id, node::Stage& stage) {
      loop(lcore_of(id, lcores)).add(stage, name);
      if (id == node::StageId::kOrdering && applications_[i] != nullptr)
        loop(lcores.ordering).add(*applications_[i], name);
    });
  }
}

base::Result<void> Rack::start() {
  assign_stages();
  for (const auto& endpoint : endpoints_) {
    if (auto started = endpoint->attachment().start(); !started) {
      return base::fail("endpoint " + endpoint->config().name + ": " + started.error().message);
    }
  }
  for (const auto& loop : loops_) {
    if (rte_eal_remote_launch(run_loop, loop.get(), loop->id()) != 0) {
      return base::fail("lcore " + std::to_string(loop->id()) + " is busy and cannot be launched");
    }
    launched_ = true;
    // From here on the lcore alone touches its stages (LcoreLoop::run_here).
    while (!loop->running()) ::sched_yield();
  }
  if (auto watched = watch_deaths(); !watched) return watched;
  running_ = true;
  return {};
}

base::Result<void> Rack::watch_deaths() {
  DeathWatch::Owners owners;
  for (const auto& endpoint : endpoints_) {
    if (endpoint->node().view() == nullptr || !endpoint->config().wavelength) continue;
    owners.emplace_back(endpoint->config().wavelength_index,
                        endpoint->node().view()->membership().self());
  }
  if (fabric_.empty() || owners.empty()) return {};
  auto begun = DeathWatch::begin(fabric_, owners, [this](const wire::StreamName& name) {
    for (const auto& endpoint : endpoints_) {
      if (endpoint->node().view() == nullptr) continue;
      loop(endpoint->config().stages.ordering).run_here([&] {
        endpoint->node().view()->bury(name);
      });
    }
  });
  if (!begun) return tl::unexpected(begun.error());
  deaths_ = std::move(*begun);
  return {};
}

// Waits until each endpoint's `quiet`, asked on the lcore of its rate_control, or the time is over.
void Rack::await_senders(uint64_t end_ns, const std::function<bool(const RateControl&)>& quiet) {
  for (const auto& endpoint : endpoints_) {
    dpdk::LcoreLoop& sending = loop(endpoint->config().stages.rate_control);
    for (bool done = false; !done && clock_.now_ns() < end_ns; ::sched_yield()) {
      sending.run_here([&] { done = quiet(endpoint->node().rate_control()); });
    }
  }
}

// All that is in front of the ports is taken: a poll that began since then found nothing, and the
// embedded fabric holds nothing back for an injected delay or rate.
void Rack::await_receivers(uint64_t end_ns) {
  const auto idle = [&](uint32_t lcore, const node::Stage& stage) {
    const uint64_t before = loop(lcore).empty_polls(stage);
    while (loop(lcore).empty_polls(stage) < before + 2 && clock_.now_ns() < end_ns) {
      ::sched_yield();
    }
  };
  const auto taken = [&](Endpoint& endpoint) {
    if (!endpoint.attachment().is_embedded_fabric()) return;
    for (bool empty = false; !empty && clock_.now_ns() < end_ns; ::sched_yield()) {
      loop(endpoint.config().stages.receive).run_here([&] {
        empty = endpoint.receiver().waiting() == 0;
      });
    }
  };
  // In the order of a frame's way: what one stage had in its hands is then in the next one's link.
  for (const auto& endpoint : endpoints_) {
    const config::StageLcores& lcores = endpoint->config().stages;
    taken(*endpoint);
    idle(lcores.receive, endpoint->node().receive());
    idle(lcores.reliability, endpoint->node().reliability());
    idle(lcores.rate_control, endpoint->node().rate_control());
  }
}

// The others then go on at once, and need not find out by its silence that it is gone. They have to
// agree to that: where too few are left it goes without.
void Rack::leave_views() {
  constexpr uint64_t kPatienceNs = 2'000'000'000;
  const auto on_its_lcore = [&](Endpoint& endpoint, auto&& act) {
    if (endpoint.node().view() != nullptr) loop(endpoint.config().stages.ordering).run_here(act);
  };
  for (const auto& endpoint : endpoints_)
    on_its_lcore(*endpoint, [&] { endpoint->node().view()->leave(); });
  const uint64_t end_ns = clock_.now_ns() + kPatienceNs;
  for (const auto& endpoint : endpoints_) {
    for (bool gone = false; !gone && clock_.now_ns() < end_ns; ::sched_yield()) {
      gone = true;
      on_its_lcore(*endpoint, [&] { gone = endpoint->node().view()->gone(); });
    }
  }
}

// Before the lcores stop nobody says anything any more, and what was said is heard: otherwise the
// first to stop would leave the last words of the others unread in its port. First those who
// receive, whose last NACKs are answered yet; then those who send.
void Rack::fall_silent() {
  constexpr uint64_t kPatienceNs = 2'000'000'000;  // of lcores that others keep waiting
  // Each wait has its own: a sender that never falls silent must not leave ports unread.
  const auto patience_ends = [this] { return clock_.now_ns() + kPatienceNs; };
  for (const auto& endpoint : endpoints_) {
    const config::StageLcores& lcores = endpoint->config().stages;
    loop(lcores.reliability).run_here([&] { endpoint->node().reliability().quiesce(); });
  }
  await_senders(patience_ends(), [](const RateControl& stage) { return stage.said_all(); });
  await_receivers(patience_ends());
  for (const auto& endpoint : endpoints_) {
    const config::StageLcores& lcores = endpoint->config().stages;
    loop(lcores.rate_control).run_here([&] { endpoint->node().rate_control().quiesce(); });
  }
  await_senders(patience_ends(), [](const RateControl& stage) { return stage.silent(); });
  await_receivers(patience_ends());
}

// Says so while the lcores still run: a switch that snoops stops sending then, and not after
// minutes.
void Rack::leave_groups() {
  constexpr uint64_t kPatienceNs = 500'000'000;
  std::vector<Endpoint*> leaving;
  for (const auto& endpoint : endpoints_) {
    if (endpoint->node().neighbor() != nullptr) leaving.push_back(endpoint.get());
  }
  const uint64_t end_ns = clock_.now_ns() + kPatienceNs;
  for (Endpoint* endpoint : leaving) {
    loop(endpoint->config().stages.receive).run_here([&] {
      endpoint->node().neighbor()->leave(clock_.now_ns());
    });
  }
  for (Endpoint* endpoint : leaving) {
    for (bool quiet = false; !quiet && clock_.now_ns() < end_ns; ::sched_yield()) {
      loop(endpoint->config().stages.receive).run_here([&] {
        quiet = endpoint->node().neighbor()->quiet();
      });
      loop(endpoint->config().stages.rate_control).run_here([&] {
        quiet = quiet && endpoint->node().rate_control().control_idle();
      });
    }
  }
}

neighbor::Lookup Rack::resolve(size_t index, const wire::Gid& gid) {
  Endpoint& endpoint = *endpoints_[index];
  neighbor::Lookup found;
  if (endpoint.node().neighbor() == nullptr) return found;
  loop(endpoint.config().stages.receive).run_here([&] {
    found = endpoint.node().neighbor()->resolve(gid, clock_.now_ns());
  });
  return found;
}

void Rack::renew(size_t index) {
  Endpoint& endpoint = *endpoints_[index];
  if (endpoint.node().neighbor() == nullptr) return;
  loop(endpoint.config().stages.receive).run_here([&] {
    endpoint.node().neighbor()->renew(clock_.now_ns());
  });
}

std::optional<neighbor::AddressConflict> Rack::conflict(size_t index) {
  Endpoint& endpoint = *endpoints_[index];
  std::optional<neighbor::AddressConflict> seen;
  if (endpoint.node().neighbor() == nullptr) return seen;
  loop(endpoint.config().stages.receive).run_here([&] {
    seen = endpoint.node().neighbor()->conflict();
  });
  return seen;
}

std::vector<neighbor::NeighborTable::Entry> Rack::neighbors(size_t index) {
  Endpoint& endpoint = *endpoints_[index];
  std::vector<neighbor::NeighborTable::Entry> known;
  if (endpoint.node().neighbor() == nullptr) return known;
  const auto& entries = endpoint.node().neighbor()->neighbors();
  known.reserve(entries.size());
  loop(endpoint.config().stages.receive).run_here([&] {
    for (const auto& entry : entries) {
      if (entry.state != neighbor::NeighborState::kNone) known.push_back(entry);
    }
  });
  return known;
}

void Rack::stop() {
  running_ = false;
  if (deaths_ != nullptr) deaths_->stop();
  if (launched_) {
    leave_views();
    fall_silent();
    leave_groups();
    for (const auto& loop : loops_) loop->stop();
    for (const auto& loop : loops_) rte_eal_wait_lcore(loop->id());
    launched_ = false;
  }
  deaths_.reset();
  for (const auto& endpoint : endpoints_) endpoint->attachment().stop();
}

std::vector<node::NodeReport> Rack::snapshot() {
  std::vector<node::NodeReport> out(endpoints_.size());
  for (size_t i = 0; i < out.size(); ++i) out[i].reserve(endpoints_[i]->config().max_peers);
  for (const auto& loop : loops_) loop->run_here([&] { collect(*loop, out); });
  for (node::NodeReport& each : out) each.trim();
  return out;
}

std::vector<std::vector<node::GroupStatus>> Rack::groups() {
  std::vector<std::vector<node::GroupStatus>> out(endpoints_.size());
  for (const auto& loop : loops_) {
    for (size_t i = 0; i < endpoints_.size(); ++i) {
      if (endpoints_[i]->config().stages.ordering != loop->id()) continue;
      out[i].reserve(endpoints_[i]->max_groups());  // nothing is allocated on the lcore
      loop->run_here([&] { endpoints_[i]->node().report_groups(out[i]); });
    }
  }
  for (auto& each : out) {
    std::sort(each.begin(), each.end(),
              [](const auto& a, const auto& b) { return a.report.group < b.report.group; });
  }
  return out;
}

// More than `handlers` locks are there only while nodes ask for them at one time.
std::vector<std::vector<node::LockStatus>> Rack::locks() {
  std::vector<std::vector<node::LockStatus>> out(endpoints_.size());
  for (const auto& loop : loops_) {
    for (size_t i = 0; i < endpoints_.size(); ++i) {
      const dpdk::Groups* const groups = endpoints_[i]->named_groups();
      if (groups == nullptr || endpoints_[i]->config().stages.ordering != loop->id()) continue;
      out[i].reserve(2 * endpoints_[i]->config().membership.groups.handlers);
      loop->run_here([&] { groups->report(out[i]); });
    }
  }
  return out;
}

std::vector<node::RequestReport> Rack::requests() {
  std::vector<node::RequestReport> out(endpoints_.size());
  for (const auto& loop : loops_) {
    for (size_t i = 0; i < endpoints_.size(); ++i) {
      Endpoint& endpoint = *endpoints_[i];
      if (endpoint.config().stages.ordering != loop->id()) continue;
      const dpdk::Groups* const groups = endpoint.named_groups();
      loop->run_here(
          [&] { out[i] = groups != nullptr ? groups->requests() : endpoint.caller()->requests(); });
    }
  }
  return out;
}

std::vector<Rack::RepairTraces> Rack::repair_traces() {
  std::vector<RepairTraces> out(endpoints_.size());
  for (RepairTraces& each : out) {
    each.sender.reserve(reliability::RepairTrace::kEvents);
    each.receiver.reserve(reliability::RepairTrace::kEvents);
  }
  const auto copy = [](const reliability::RepairTrace& trace, auto& events) {
    trace.for_each([&](const reliability::TraceEvent& event) { events.push_back(event); });
  };
  for (const auto& loop : loops_) {
    loop->run_here([&] {
      for (size_t i = 0; i < endpoints_.size(); ++i) {
        Endpoint& endpoint = *endpoints_[i];
        const config::StageLcores& lcores = endpoint.config().stages;
        if (lcores.reliability == loop->id())
          copy(endpoint.node().receiver().trace(), out[i].receiver);
        if (lcores.rate_control == loop->id())
          copy(endpoint.node().sender().trace(), out[i].sender);
      }
    });
  }
  return out;
}

// The stages report in the order of a packet's way: receive says how many peers the others tell of.
void Rack::collect(const dpdk::LcoreLoop& here, std::vector<node::NodeReport>& out) const {
  using node::StageId;
  for (size_t i = 0; i < endpoints_.size(); ++i) {
    const Endpoint& endpoint = *endpoints_[i];
    for (const StageId stage : {StageId::kReceive, StageId::kNeighbor, StageId::kReliability,
                                StageId::kOrdering, StageId::kRateControl}) {
      if (lcore_of(stage, endpoint.config().stages) == here.id())
        endpoint.node().report(stage, out[i]);
    }
  }
}

}  // namespace lambdacast::rack
