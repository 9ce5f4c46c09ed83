// SPDX-License-Identifier: BSD-3-Clause
#include "order.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "bench_rack.h"
#include "order_application.h"
#include "order_report.h"
#include "ordering/total_order.h"
#include "rack/incarnation.h"

namespace lambdacast::bench {
namespace {

constexpr int kPatienceMs = 10'000;

// Of all nodes at one moment.
struct Counts {
  uint64_t published = 0;
  uint64_t delivered = 0;
  uint64_t least_delivered = ~uint64_t{0};  // of one node
  uint64_t marks = 0;
  uint64_t control = 0;
  std::vector<uint64_t> busy_ns;  // by lcore
  uint64_t now_ns = 0;
};

class OrderBench {
 public:
  OrderBench(const OrderOptions& options, const config::Config& config, rack::Rack& rack,
             dpdk::StopSignal& stop)
      : options_(options), rack_(rack), stop_(stop) {
    run_.nodes = options.nodes;
    run_.payload_bytes = options.payload_bytes;
    run_.groups = options.groups;
    run_.coalesce = options.coalesce;
    // The first view has its members in the order of their addresses.
    run_.sequencer = static_cast<uint32_t>(ordering::sequencer_of(
        ordering::domain_of(kOrderGroup, config.endpoints.front().membership.order.domains),
        options.nodes));
    for (uint32_t node = 0; node < options.nodes; ++node) {
      auto application =
          std::make_unique<OrderApplication>(run_, node, rack.endpoint(node), rack.clock());
      applications_.push_back(application.get());
      rack.set_application(node, std::move(application));
    }
  }

  [[nodiscard]] int run() {
    if (auto started = rack_.start(); !started)
      return complain(started.error().message, app::kExitEnvironment);
    if (!await_view()) return app::kExitEnvironment;
    for (size_t node = 0; node < rack_.size(); ++node) {
      if (!await_receivers(rack_, node, rack_.size() - 1, stop_)) return app::kExitEnvironment;
    }
    if (options_.rx_rate_bps != 0) report_.capacity_mps = measure_capacity();
    const uint64_t fair =
        static_cast<uint64_t>(report_.capacity_mps * options_.share / (options_.nodes - 1));
    measure(options_.rx_rate_bps != 0 ? fair : options_.rate);
    // Before the nodes leave.
    for (const OrderApplication* application : applications_) report_.views += application->views();
    rack_.stop();
    finish_report();
    print(text_of(report_, options_), options_.json);
    if (!write_file(json_of(report_, options_), options_.json)) return app::kExitEnvironment;
    return report_.sound(options_) ? app::kExitOk : app::kExitFailed;
  }

 private:
  bool await_view() {
    const auto complete = [&] {
      for (size_t node = 0; node < rack_.size(); ++node) {
        if (rack_.endpoint(node).view_members() != rack_.size()) return false;
      }
      return true;
    };
    for (int ms = 0; ms < kPatienceMs && !stop_.came(); ++ms) {
      if (complete()) return true;
      stop_.wait_ms(1);
    }
    (void)complain("no view of all nodes after 10 s", app::kExitEnvironment);
    return false;
  }

  [[nodiscard]] Counts counts() {
    Counts counts;
    for (const OrderApplication* application : applications_) {
      counts.published += application->published();
      counts.delivered += application->delivered();
      counts.least_delivered = std::min(counts.least_delivered, application->delivered());
    }
    for (size_t node = 0; node < rack_.size(); ++node) {
      rack::Endpoint& endpoint = rack_.endpoint(node);
      rack_.loop(endpoint.config().stages.ordering).run_here([&] {
        counts.marks += endpoint.marks_sent();
        counts.control += endpoint.control_packets();
      });
    }
    for (const auto& loop : rack_.loops()) counts.busy_ns.push_back(loop->duty().busy_ns.get());
    counts.now_ns = rack_.clock().now_ns();
    return counts;
  }

  void begin_phase(wire::Qos level, uint64_t rate, uint32_t senders) {
    run_.level.store(level);
    run_.rate.store(rate);
    run_.phase.fetch_add(1);
    run_.senders.store(senders);
  }
  void pause_s(double seconds) { stop_.wait_ms(static_cast<uint64_t>(seconds * 1e3)); }

  // What unreliable messages of all senders, more than it bears, leave at each node.
  [[nodiscard]] double measure_capacity() {
    const double bytes = options_.payload_bytes + 110.0;
    const double most = static_cast<double>(options_.rx_rate_bps) / 8 / bytes;
    begin_phase(wire::Qos::kUnreliable,
                static_cast<uint64_t>(1.3 * most / (options_.nodes - 1)) + 1, all());
    pause_s(0.2);
    const Counts before = counts();
    pause_s(std::max(1.0, options_.seconds / 2));
    const Counts after = counts();
    run_.senders.store(0);
    pause_s(0.2);
    return static_cast<double>(after.delivered - before.delivered) / options_.nodes * 1e9 /
           static_cast<double>(after.now_ns - before.now_ns);
  }

  void measure(uint64_t rate) {
    const uint32_t sender = (run_.sequencer + 1) % options_.nodes;
    const uint64_t lost_before = lost();
    const Counts start = counts();
    begin_phase(options_.level, rate, options_.one_sender ? 1u << sender : all());
    pause_s(options_.warm_up);
    run_.measuring.store(true);
    const Counts before = counts();
    pause_s(options_.seconds);
    const Counts after = counts();
    run_.measuring.store(false);
    run_.senders.store(0);
    report_.elapsed_s = static_cast<double>(after.now_ns - before.now_ns) / 1e9;
    report_.delivered = after.delivered - before.delivered;
    report_.marks = after.marks - before.marks;
    report_.control_frames = after.control - before.control;
    for (size_t i = 0; i < before.busy_ns.size(); ++i) {
      const double busy = static_cast<double>(after.busy_ns[i] - before.busy_ns[i]);
      report_.duty =
          std::max(report_.duty, busy / static_cast<double>(after.now_ns - before.now_ns));
    }
    settle(start);
    report_.lost = lost() - lost_before;
  }

  // Until every node has delivered everything, or none gets any further.
  void settle(const Counts& start) {
    uint64_t last = 0;
    for (int ms = 0, quiet_ms = 0; ms < kPatienceMs && quiet_ms < 500 && !stop_.came(); ++ms) {
      stop_.wait_ms(1);
      const Counts now = counts();
      report_.total_published = now.published - start.published;
      report_.total_delivered = now.delivered - start.delivered;
      const uint64_t copies =
          options_.level >= wire::Qos::kTotallyOrdered ? options_.nodes : options_.nodes - 1;
      report_.total_expected = report_.total_published * copies;
      if (report_.total_delivered == report_.total_expected) return;
      quiet_ms = now.delivered == last ? quiet_ms + 1 : 0;
      last = now.delivered;
    }
  }

  void finish_report() {
    for (const OrderApplication* application : applications_) {
      report_.wrong += application->wrong();
      report_.out_of_order += application->out_of_order();
      report_.same_order =
          report_.same_order && application->digest() == applications_.front()->digest();
      report_.latency_ns.add(application->latency_ns());
    }
    // Unreliable ones may be lost, and then come out of turn.
    if (options_.level < wire::Qos::kSourceOrdered) report_.out_of_order = 0;
  }

  [[nodiscard]] uint64_t lost() const {
    uint64_t lost = 0;
    for (const OrderApplication* application : applications_) lost += application->lost();
    return lost;
  }
  [[nodiscard]] uint32_t all() const {
    return static_cast<uint32_t>((uint64_t{1} << options_.nodes) - 1);
  }

  const OrderOptions& options_;
  rack::Rack& rack_;
  dpdk::StopSignal& stop_;
  OrderRun run_;
  std::vector<OrderApplication*> applications_;
  OrderReport report_;
};

}  // namespace

int run_order(const app::CommandLine& line, const OrderOptions& options) {
  const config::Loaded config = rack_of(options);
  if (!config) {
    std::fputs(config::text(config.error()).c_str(), stderr);
    return app::kExitUsage;
  }
  dpdk::StopSignal stop;
  auto bench = BenchRack::create(line, *config, {rack::incarnation_now(), 0});
  if (!bench) return bench.error();
  return OrderBench(options, *config, *bench->rack, stop).run();
}

}  // namespace lambdacast::bench
