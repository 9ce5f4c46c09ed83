// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
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
    uint64_t rate = options_.rate;
    if (options_.rack.rx_rate_bps != 0) {
      report_.capacity_mps = measure_capacity();
      rate = static_cast<uint64_t>(report_.capacity_mps * options_.share / (nodes_ - 1));
    }
    measure(rate);
    report_.views = sum(&OrderApplication::views);  // before the nodes leave
    session_.rack().stop();
    finish_report();
    return report_;
  }

 private:
  [[nodiscard]] Traffic traffic() const { return traffic_of(applications_, session_.now_ns()); }

  [[nodiscard]] Counts counts() {
    Counts counts{traffic(), 0, 0, {}};
    for (uint32_t node = 0; node < nodes_; ++node) {
      rack::Endpoint& endpoint = session_.rack().endpoint(node);
      session_.on(node, [&] {
        counts.marks += endpoint.marks_sent();
        counts.control += endpoint.control_packets();
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

  // What unreliable messages of all senders, more than it bears, leave at each node.
  [[nodiscard]] double measure_capacity() {
    constexpr double kSettleS = 0.2;
    const double bytes = options_.payload_bytes + 110.0;
    const double most = static_cast<double>(options_.rack.rx_rate_bps) / 8 / bytes;
    begin_phase(wire::Qos::kUnreliable, static_cast<uint64_t>(1.3 * most / (nodes_ - 1)) + 1,
                all_nodes(nodes_));
    const auto [begin, end] = session_.measure(kSettleS, std::max(1.0, options_.seconds / 2),
                                               [this] { return traffic(); });
    run_.senders.store(0);
    session_.pause_s(kSettleS);
    return per_second(end.delivered - begin.delivered, seconds_between(begin.now_ns, end.now_ns)) /
           nodes_;
  }

  void measure(uint64_t rate) {
    const uint32_t sender = (run_.sequencer + 1) % nodes_;
    const uint64_t lost_before = sum(&OrderApplication::lost);
    const Traffic start = traffic();
    begin_phase(options_.level, rate, options_.one_sender ? 1u << sender : all_nodes(nodes_));
    const auto [begin, end] = session_.measure(options_.warm_up, options_.seconds, [this] {
      run_.measuring.store(!run_.measuring.load());
      return counts();
    });
    run_.senders.store(0);
    report_.elapsed_s = seconds_between(begin.traffic.now_ns, end.traffic.now_ns);
    report_.delivered = end.traffic.delivered - begin.traffic.delivered;
    report_.marks = end.marks - begin.marks;
    report_.control_frames = end.control - begin.control;
    for (size_t i = 0; i < begin.busy_ns.size(); ++i) {
      const double busy_s = static_cast<double>(end.busy_ns[i] - begin.busy_ns[i]) / 1e9;
      report_.duty = std::max(report_.duty, busy_s / report_.elapsed_s);
    }
    const uint32_t copies = options_.level >= wire::Qos::kTotallyOrdered ? nodes_ : nodes_ - 1;
    const Traffic all = session_.drain(start, copies, [this] { return traffic(); });
    report_.total_published = all.published;
    report_.total_delivered = all.delivered;
    report_.total_expected = all.published * copies;
    report_.lost = sum(&OrderApplication::lost) - lost_before;
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
