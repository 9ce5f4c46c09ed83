// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "../harness/session.h"
#include "failover.h"
#include "order.h"
#include "order_application.h"

namespace lambdacast::bench {
namespace {

constexpr uint64_t kPatienceMs = 10'000;
constexpr double kTrafficS = 0.02;  // before nodes stop, and after the view

using Nodes = std::vector<uint32_t>;

// One run: nodes of its own, from their first view to the settled second one.
class FailoverRun {
 public:
  FailoverRun(const FailoverOptions& options, Session& session, FailoverReport& report)
      : options_(options),
        nodes_(options.rack.fabric.nodes),
        patience_ms_(kPatienceMs + options.rack.suspect_after_us / 1000),
        session_(session),
        report_(report) {
    run_.nodes = nodes_;
    run_.payload_bytes = options.payload_bytes;
    run_.sequencer = sequencer_of(options);
    victims_ = victims_of(options);
    if (options.lock) run_.holder = victims_.front();
    for (uint32_t node = 0; node < nodes_; ++node) {
      applications_.push_back(
          session.add<OrderApplication>(node, run_, node, session.rack().clock()));
    }
    for (uint32_t node = 0; node < nodes_; ++node) {
      if (std::find(victims_.begin(), victims_.end(), node) == victims_.end())
        survivors_.push_back(node);
    }
  }

  // False, and has complained: there is no sense in another run.
  [[nodiscard]] bool run() {
    if (!session_.start()) return false;
    Nodes all(nodes_);
    std::iota(all.begin(), all.end(), 0u);
    if (!session_.await(patience_ms_, [&] { return in_views_of(nodes_, all); })) {
      if (!session_.stopped())
        (void)complain("no view of all nodes after 10 s", app::kExitEnvironment);
      return false;
    }
    if (!session_.await(patience_ms_, [&] { return all_contend(); })) {
      if (!session_.stopped())
        (void)complain("not all nodes wait for the lock after 10 s", app::kExitEnvironment);
      return false;
    }
    begin();
    session_.pause_s(kTrafficS);
    const uint64_t epoch = session_.rack().endpoint(survivors_.front()).view_epoch();
    const uint64_t since_ns = session_.hold(victims_, true);
    const bool found = session_.await(patience_ms_, [&] {
      return std::all_of(survivors_.begin(), survivors_.end(),
                         [&](uint32_t node) {
                           return applications_[node]->epoch() > epoch || view_members(node) == 0;
                         }) &&
             (!options_.lock || next_held_ns() != 0);
    });
    session_.pause_s(kTrafficS);
    run_.senders.store(0);
    if (!session_.stopped()) judge(found, since_ns);
    session_.hold(victims_, false);
    return !session_.stopped();
  }

 private:
  [[nodiscard]] uint32_t view_members(uint32_t node) {  // 0: excluded
    return session_.rack().endpoint(node).view_members();
  }
  [[nodiscard]] bool in_views_of(size_t members, const Nodes& nodes) {
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](uint32_t node) { return view_members(node) == members; });
  }
  [[nodiscard]] bool all_contend() const {
    return !options_.lock || std::ranges::all_of(applications_, [](const OrderApplication* each) {
      return each->contender().contends();
    });
  }
  // When a survivor got the lock; 0: none has it.
  [[nodiscard]] uint64_t next_held_ns() const {
    uint64_t since_ns = 0;
    for (const uint32_t node : survivors_)
      since_ns = std::max(since_ns, applications_[node]->contender().held_since_ns());
    return since_ns;
  }
  void begin() {
    run_.level.store(wire::Qos::kTotallyResilient);
    run_.rate.store(options_.rate);
    run_.phase.fetch_add(1);
    run_.senders.store(all_nodes(nodes_));
  }

  void judge(bool found, uint64_t since_ns) {
    ++report_.runs;
    if (!found) {
      ++report_.stuck;
      return;
    }
    // Each is told of two views: the first, and the one without the victims.
    if (!in_views_of(survivors_.size(), survivors_) ||
        !std::all_of(survivors_.begin(), survivors_.end(),
                     [&](uint32_t node) { return applications_[node]->views() == 2; })) {
      ++report_.disturbed;
      return;
    }
    ++report_.measured;
    uint64_t delivery_ns = since_ns;
    uint64_t view_ns = since_ns;
    for (const uint32_t node : survivors_) {
      delivery_ns = std::max(delivery_ns, applications_[node]->epoch_began_ns());
      view_ns = std::max(view_ns, applications_[node]->view_began_ns());
    }
    report_.standstill_ns.push_back(delivery_ns - since_ns);
    report_.view_ns.push_back(view_ns - since_ns);
    if (options_.lock) report_.lock_ns.push_back(next_held_ns() - since_ns);
    audit();
  }

  // Every survivor has to deliver what the survivors published, and all of them in one order.
  void audit() {
    (void)session_.await(patience_ms_, [&] { return missing() == 0; });
    report_.missing += missing();
    std::vector<uint64_t> digests;
    for (const uint32_t node : survivors_) {
      const OrderApplication& application = *applications_[node];
      session_.on(node, [&] { digests.push_back(application.digest()); });
      report_.published += application.published();
      report_.wrong += application.wrong();
      report_.out_of_order += application.out_of_order();
      report_.gaps += application.lost();
    }
    if (std::adjacent_find(digests.begin(), digests.end(), std::not_equal_to<>()) != digests.end())
      ++report_.different;
  }
  [[nodiscard]] uint64_t missing() {
    uint64_t missing = 0;
    for (const uint32_t node : survivors_) {
      session_.on(node, [&] {
        for (const uint32_t sender : survivors_)
          missing += applications_[sender]->published() - applications_[node]->delivered_of(sender);
      });
    }
    return missing;
  }

  const FailoverOptions& options_;
  const uint32_t nodes_;
  const uint64_t patience_ms_;
  Session& session_;
  FailoverReport& report_;
  OrderRun run_;
  std::vector<OrderApplication*> applications_;
  Nodes victims_;
  Nodes survivors_;
};

}  // namespace

int run(const app::CommandLine& line, const FailoverOptions& options) {
  if (options.kill) return run_kill(line, options);
  const auto session = Session::open(line, rack_of(options), options.output);
  if (!session) return session.error();
  FailoverReport report;
  for (uint32_t round = 0; round < options.runs; ++round) {
    if (round != 0 && !(*session)->begin_again()) return app::kExitEnvironment;
    const bool go_on = FailoverRun(options, **session, report).run();
    // The applications point into the run that is over.
    (*session)->close_rack();
    if (!go_on) break;
  }
  return tell(readings_of(report, options), report.sound(), options.output);
}

}  // namespace lambdacast::bench
