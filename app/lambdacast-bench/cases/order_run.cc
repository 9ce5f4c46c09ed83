// SPDX-License-Identifier: BSD-3-Clause
#include <rte_ethdev.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../harness/session.h"
#include "order.h"
#include "order_application.h"

namespace lambdacast::bench {
namespace {

// Of all nodes at one moment.
struct Counts {
  Traffic traffic;
  uint64_t marks = 0;
  uint64_t control = 0;
  uint64_t announcements = 0;
  std::array<uint64_t, node::ClassReport::kWaits> waits{};
  std::vector<uint64_t> busy_ns;  // by lcore
};

class OrderBench {
 public:
  OrderBench(const OrderOptions& options, Session& session)
      : options_(options), nodes_(options.rack.fabric.nodes), session_(session) {
    run_.nodes = nodes_;
    run_.payload_bytes = options.payload_bytes;
    run_.groups = options.rack.groups;
    run_.coalesce = options.coalesce;
    run_.sequencer = sequencer_of(kOrderGroup, options.rack);
    for (uint32_t node = 0; node < nodes_; ++node) {
      applications_.push_back(
          session.add<OrderApplication>(node, run_, node, session.rack().clock()));
    }
  }

  // While the rack runs; stops it.
  [[nodiscard]] OrderReport measure() {
    if (options_.rack.rx_rate_bps != 0) report_.capacity_mps = measure_capacity();
    measure_level();
    report_.views = sum(&OrderApplication::views);  // before the nodes leave
    session_.rack().stop();
    finish_report();
    return report_;
  }

 private:
  [[nodiscard]] Traffic traffic() const { return traffic_of(applications_, session_.now_ns()); }

  [[nodiscard]] Counts counts() {
    Counts counts{.traffic = traffic()};
    for (uint32_t node = 0; node < nodes_; ++node) {
      rack::Endpoint& endpoint = session_.rack().endpoint(node);
      session_.on(node, [&] {
        counts.marks += endpoint.marks_sent();
        counts.control += endpoint.control_packets();
        counts.announcements += endpoint.node().rates().counters().announced;
        const auto& waits = endpoint.node().rate_control().classes().waits;
        for (size_t i = 0; i < waits.size(); ++i) counts.waits[i] += waits[i];
      });
    }
    for (const auto& loop : session_.rack().loops())
      counts.busy_ns.push_back(loop->duty().busy_ns.get());
    return counts;
  }

  void begin_phase(wire::Qos level, uint64_t rate, uint32_t senders) {
    run_.level.store(level);
    run_.rate.store(rate);
    run_.phase.fetch_add(1);
    run_.senders.store(senders);
  }

  // All senders send more unreliable messages than a node takes. The rate that each node receives
  // is its capacity; nothing limits the senders meanwhile.
  [[nodiscard]] double measure_capacity() {
    constexpr double kSettleS = 0.2;
    const double bytes = options_.payload_bytes + 110.0;
    const double most = static_cast<double>(options_.rack.rx_rate_bps) / 8 / bytes;
    limit_rates(0, 0);
    begin_phase(wire::Qos::kUnreliable, static_cast<uint64_t>(1.3 * most / (nodes_ - 1)) + 1,
                all_nodes(nodes_));
    const auto [begin, end] = session_.measure(kSettleS, std::max(1.0, options_.seconds / 2),
                                               [this] { return traffic(); });
    run_.senders.store(0);
    limit_rates(options_.rack.rx_rate_bps, options_.rack.rates.limit_bps);
    session_.pause_s(kSettleS);
    return per_second(end.delivered - begin.delivered, seconds_between(begin.now_ns, end.now_ns)) /
           nodes_;
  }

  // The capacity and the limit of each endpoint; 0: none.
  void limit_rates(uint64_t capacity_bps, uint64_t limit_bps) {
    for (uint32_t node = 0; node < nodes_; ++node) {
      session_.on(node, [&] {
        node::RateShares& rates = session_.rack().endpoint(node).node().rates();
        rate_control::RateConfig config = rates.config();
        config.capacity_bps = capacity_bps;
        config.limit_bps = limit_bps;
        rates.set(config);
      });
    }
  }

  // Repairs sent, and frames dropped in front of receivers, by all so far.
  [[nodiscard]] std::pair<uint64_t, uint64_t> repairs_and_drops() {
    uint64_t repairs = 0;
    uint64_t dropped = 0;
    for (uint32_t node = 0; node < nodes_; ++node) {
      rack::Endpoint& endpoint = session_.rack().endpoint(node);
      session_.on(node, [&] { repairs += endpoint.node().sender().counters().repairs; });
      rte_eth_stats stats{};
      if (rte_eth_stats_get(endpoint.port().id(), &stats) == 0) dropped += stats.imissed;
    }
    return {repairs, dropped};
  }

  void measure_level() {
    const uint32_t sender = (run_.sequencer + 1) % nodes_;
    const uint64_t lost_before = sum(&OrderApplication::lost);
    const auto [repairs, dropped] = repairs_and_drops();
    const Traffic start = traffic();
    begin_phase(options_.level, options_.rate,
                options_.one_sender ? 1u << sender : all_nodes(nodes_));
    const auto [begin, end] = session_.measure(options_.warm_up, options_.seconds, [this] {
      run_.measuring.store(!run_.measuring.load());
      return counts();
    });
    if (options_.pause_ms != 0) stop_a_member();
    run_.senders.store(0);
    report_.elapsed_s = seconds_between(begin.traffic.now_ns, end.traffic.now_ns);
    report_.delivered = end.traffic.delivered - begin.traffic.delivered;
    report_.marks = end.marks - begin.marks;
    report_.control_frames = end.control - begin.control;
    report_.announcements = end.announcements - begin.announcements;
    for (size_t i = 0; i < end.waits.size(); ++i) report_.waits[i] = end.waits[i] - begin.waits[i];
    for (size_t i = 0; i < begin.busy_ns.size(); ++i) {
      const double busy_s = static_cast<double>(end.busy_ns[i] - begin.busy_ns[i]) / 1e9;
      report_.duty = std::max(report_.duty, busy_s / report_.elapsed_s);
    }
    const uint32_t copies = options_.level >= wire::Qos::kTotallyOrdered ? nodes_ : nodes_ - 1;
    const Traffic all = session_.drain(start, copies, options_.level, [this] { return traffic(); });
    const auto [all_repairs, all_dropped] = repairs_and_drops();
    report_.repairs = all_repairs - repairs;
    report_.dropped = all_dropped - dropped;
    report_.total_published = all.published;
    report_.total_delivered = all.delivered;
    report_.total_expected = all.published * copies;
    report_.lost = sum(&OrderApplication::lost) - lost_before;
  }

  void stop_a_member() {
    constexpr double kBesideS = 0.05;
    const uint32_t stopped = (run_.sequencer + 2) % nodes_;
    run_.watching.store(true);
    session_.pause_s(kBesideS);
    session_.hold({&stopped, 1}, true);
    session_.pause_s(options_.pause_ms / 1e3);
    session_.hold({&stopped, 1}, false);
    session_.pause_s(kBesideS);
    run_.watching.store(false);
    for (uint32_t node = 0; node < nodes_; ++node) {
      if (node == stopped) continue;
      session_.on(node, [&] {
        report_.silence_ns = std::max(report_.silence_ns, applications_[node]->silence_ns());
      });
    }
  }

  void finish_report() {
    report_.wrong = sum(&OrderApplication::wrong);
    // Unreliable ones may be lost, and then come out of turn.
    if (options_.level >= wire::Qos::kSourceOrdered)
      report_.out_of_order = sum(&OrderApplication::out_of_order);
    for (const OrderApplication* application : applications_) {
      report_.same_order =
          report_.same_order && application->digest() == applications_.front()->digest();
      report_.latency_ns.add(application->latency_ns());
    }
    measure_spread();
  }

  // The spread of messages that all receivers have: one clock tells when each got them.
  void measure_spread() {
    struct Seen {
      uint64_t first_ns = ~uint64_t{0};
      uint64_t last_ns = 0;
      uint32_t receivers = 0;
    };
    std::unordered_map<uint64_t, Seen> messages;
    for (const OrderApplication* application : applications_) {
      for (const OrderApplication::Sampled& each : application->sampled()) {
        Seen& seen = messages[each.message];
        seen.first_ns = std::min(seen.first_ns, each.at_ns);
        seen.last_ns = std::max(seen.last_ns, each.at_ns);
        ++seen.receivers;
      }
    }
    for (const auto& [message, seen] : messages) {
      if (seen.receivers == nodes_ - 1) report_.spread_ns.record(seen.last_ns - seen.first_ns);
    }
  }

  [[nodiscard]] uint64_t sum(uint64_t (OrderApplication::*count)() const) const {
    uint64_t all = 0;
    for (const OrderApplication* application : applications_) all += (application->*count)();
    return all;
  }

  const OrderOptions& options_;
  const uint32_t nodes_;
  Session& session_;
  OrderRun run_;
  std::vector<OrderApplication*> applications_;
  OrderReport report_;
};

}  // namespace

int run(const app::CommandLine& line, const OrderOptions& options) {
  const auto session = Session::open(line, rack_of(options), options.output);
  if (!session) return session.error();
  OrderBench bench(options, **session);
  if (!(*session)->start() || !(*session)->await_view() || !(*session)->await_all_receivers())
    return app::kExitEnvironment;
  const OrderReport report = bench.measure();
  return tell(readings_of(report, options), report.sound(options), options.output);
}

}  // namespace lambdacast::bench
