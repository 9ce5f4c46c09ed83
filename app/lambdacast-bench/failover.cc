// SPDX-License-Identifier: BSD-3-Clause
#include "failover.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "bench_rack.h"
#include "failover_report.h"
#include "order_application.h"
#include "ordering/total_order.h"
#include "rack/incarnation.h"

namespace lambdacast::bench {
namespace {

constexpr uint64_t kPatienceMs = 10'000;
constexpr uint64_t kBeforeMs = 20;  // of traffic
constexpr uint64_t kAfterMs = 20;

// One run: nodes of its own, from their first view to the settled second one.
class FailoverRun {
 public:
  FailoverRun(const FailoverOptions& options, rack::Rack& rack, uint32_t sequencer,
              dpdk::StopSignal& stop, FailoverReport& report)
      : options_(options), rack_(rack), stop_(stop), report_(report) {
    run_.nodes = options.nodes;
    run_.payload_bytes = options.payload_bytes;
    run_.sequencer = sequencer;
    for (uint32_t node = 0; node < options.nodes; ++node) {
      auto application =
          std::make_unique<OrderApplication>(run_, node, rack.endpoint(node), rack.clock());
      applications_.push_back(application.get());
      rack.set_application(node, std::move(application));
    }
    const bool with_sequencer = options.victims != Victims::kMember;
    if (with_sequencer) victims_.push_back(sequencer);
    if (!with_sequencer || options.victims == Victims::kTwo)
      victims_.push_back((sequencer + 1) % options.nodes);
    for (uint32_t node = 0; node < options.nodes; ++node) {
      if (std::find(victims_.begin(), victims_.end(), node) == victims_.end())
        survivors_.push_back(node);
    }
  }

  // False, and has complained: there is no sense in another run.
  [[nodiscard]] bool run() {
    if (auto started = rack_.start(); !started) {
      (void)complain(started.error().message, app::kExitEnvironment);
      return false;
    }
    if (!await([&] { return in_views_of(options_.nodes, all()); })) {
      if (!stop_.came()) (void)complain("no view of all nodes after 10 s", app::kExitEnvironment);
      return false;
    }
    begin();
    stop_.wait_ms(kBeforeMs);
    const uint64_t epoch = rack_.endpoint(survivors_.front()).view_epoch();
    const uint64_t since_ns = hold_victims();
    const bool found = await([&] {
      return std::all_of(survivors_.begin(), survivors_.end(), [&](uint32_t node) {
        return applications_[node]->epoch() > epoch || excluded(node);
      });
    });
    stop_.wait_ms(kAfterMs);
    run_.senders.store(0);
    if (!stop_.came()) judge(found, since_ns);
    for (const uint32_t victim : victims_) hold(victim, false);
    return !stop_.came();
  }

 private:
  template <typename Condition>
  bool await(Condition&& condition) {
    const uint64_t ms = kPatienceMs + options_.suspect_after_us / 1000;
    for (uint64_t waited = 0; waited < ms && !stop_.came(); ++waited) {
      if (condition()) return true;
      stop_.wait_ms(1);
    }
    return false;
  }
  [[nodiscard]] std::vector<uint32_t> all() const {
    std::vector<uint32_t> nodes(options_.nodes);
    for (uint32_t node = 0; node < options_.nodes; ++node) nodes[node] = node;
    return nodes;
  }
  [[nodiscard]] bool in_views_of(size_t members, const std::vector<uint32_t>& nodes) {
    return std::all_of(nodes.begin(), nodes.end(), [&](uint32_t node) {
      return rack_.endpoint(node).view_members() == members;
    });
  }
  [[nodiscard]] bool excluded(uint32_t node) { return rack_.endpoint(node).view_members() == 0; }
  void begin() {
    run_.level.store(wire::Qos::kTotallyResilient);
    run_.rate.store(options_.rate);
    run_.phase.fetch_add(1);
    run_.senders.store(static_cast<uint32_t>((uint64_t{1} << options_.nodes) - 1));
  }

  // All stages of an endpoint are on one lcore here. Returns when.
  uint64_t hold(uint32_t node, bool held) {
    const config::Endpoint& config = rack_.endpoint(node).config();
    dpdk::LcoreLoop& loop = rack_.loop(config.stages.ordering);
    uint64_t at_ns = 0;
    loop.run_here([&] {
      loop.hold(config.name, held);
      at_ns = rack_.clock().now_ns();
    });
    return at_ns;
  }
  // Of two the first counts.
  uint64_t hold_victims() {
    uint64_t first_ns = ~uint64_t{0};
    for (const uint32_t victim : victims_) first_ns = std::min(first_ns, hold(victim, true));
    return first_ns;
  }

  void judge(bool found, uint64_t since_ns) {
    ++report_.runs;
    // Each is told of two views: the first, and the one without the victims.
    const bool as_wanted = in_views_of(survivors_.size(), survivors_) &&
                           std::all_of(survivors_.begin(), survivors_.end(), [&](uint32_t node) {
                             return applications_[node]->views() == 2;
                           });
    if (found && !as_wanted) {
      ++report_.disturbed;
      return;
    }
    if (!found) {
      ++report_.stuck;
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
    audit();
  }

  // What survivors published is to be delivered at all of them, and everything in one order.
  void audit() {
    (void)await([&] { return missing() == 0; });
    report_.missing += missing();
    std::vector<uint64_t> digests;
    for (const uint32_t node : survivors_) {
      const OrderApplication& application = *applications_[node];
      on_lcore_of(node, [&] { digests.push_back(application.digest()); });
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
      on_lcore_of(node, [&] {
        for (const uint32_t sender : survivors_) {
          missing += applications_[sender]->published() - applications_[node]->delivered_of(sender);
        }
      });
    }
    return missing;
  }
  template <typename Task>
  void on_lcore_of(uint32_t node, Task&& task) {
    rack_.loop(rack_.endpoint(node).config().stages.ordering).run_here(task);
  }

  const FailoverOptions& options_;
  rack::Rack& rack_;
  dpdk::StopSignal& stop_;
  FailoverReport& report_;
  OrderRun run_;
  std::vector<OrderApplication*> applications_;
  std::vector<uint32_t> victims_;
  std::vector<uint32_t> survivors_;
};

}  // namespace

int run_failover(const app::CommandLine& line, const FailoverOptions& options) {
  // The first view has its members in the order of their addresses.
  const auto sequencer = static_cast<uint32_t>(ordering::sequencer_of(
      ordering::domain_of(kOrderGroup, config::Membership{}.order.domains), options.nodes));
  const config::Loaded config =
      rack_of(order_options(options, (sequencer + options.nodes - 1) % options.nodes));
  if (!config) {
    std::fputs(config::text(config.error()).c_str(), stderr);
    return app::kExitUsage;
  }
  dpdk::StopSignal stop;
  FailoverReport report;
  auto bench = BenchRack::create(line, *config, {rack::incarnation_now(), 0});
  if (!bench) return bench.error();
  for (uint32_t run = 0; run < options.runs; ++run) {
    if (!FailoverRun(options, *bench->rack, sequencer, stop, report).run()) break;
    bench->rack.reset();  // its ports go before others come by their names
    if (run + 1 == options.runs) break;
    auto rack = rack::Rack::create(*config, {rack::incarnation_now(), 0});
    if (!rack) return complain(rack.error().message, app::kExitEnvironment);
    bench->rack = std::move(*rack);
  }
  if (bench->rack != nullptr) bench->rack->stop();
  print(text_of(report, options), options.json);
  if (!write_file(json_of(report, options), options.json)) return app::kExitEnvironment;
  return report.sound() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::bench
