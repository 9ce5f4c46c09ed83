// SPDX-License-Identifier: BSD-3-Clause
#include "groups.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <vector>

#include "bench_rack.h"
#include "group/group_layer.h"
#include "groups_application.h"
#include "groups_report.h"
#include "ordering/subscriptions.h"
#include "ordering/total_order.h"
#include "rack/incarnation.h"

namespace lambdacast::bench {
namespace {

constexpr uint64_t kPatienceMs = 10'000;
constexpr uint64_t kJoinPatienceMs = 120'000;
constexpr double kTouchSeconds = 0.5;

// Resident in memory, of this process.
int64_t rss_bytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  int64_t resident = 0;
  statm >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

// Of a joined group at one node: its place in the directory, two entries of each of the directory's
// two tables, which are half full at most, its subscription, and what its member keeps.
constexpr uint64_t table_bytes() {
  return sizeof(group::Group) + 4 * sizeof(uint32_t) + ordering::Subscriptions::bytes_of_group() +
         group::GroupLayer::bytes_of_joined();
}

// Of all nodes at one moment.
struct Counts {
  uint64_t published = 0;
  uint64_t delivered = 0;
  uint64_t now_ns = 0;
};

class GroupsBench {
 public:
  GroupsBench(const GroupsOptions& options, rack::Rack& rack, dpdk::StopSignal& stop)
      : options_(options), rack_(rack), stop_(stop) {
    run_.rate = options.rate;
    run_.payload_bytes = options.payload_bytes;
    run_.nodes = options.nodes;
    run_.most_groups = options.groups.back();
    for (uint32_t node = 0; node < options.nodes; ++node) {
      auto application =
          std::make_unique<GroupsApplication>(run_, node, rack.endpoint(node), rack.clock());
      applications_.push_back(application.get());
      rack.set_application(node, std::move(application));
    }
  }

  [[nodiscard]] int run() {
    report_.table_bytes_per_group = table_bytes();
    if (auto started = rack_.start(); !started)
      return complain(started.error().message, app::kExitEnvironment);
    for (size_t node = 0; node < rack_.size(); ++node) {
      if (!await_receivers(rack_, node, rack_.size() - 1, stop_)) return app::kExitEnvironment;
    }
    GroupsStep first;
    if (!join(1, first)) return app::kExitFailed;
    // Packet memory grows as it is touched for the first time: not by groups.
    touch();
    const int64_t rss_before = rss_bytes();
    for (const uint32_t groups : options_.groups) {
      GroupsStep step = groups == 1 ? first : GroupsStep{};
      if (groups > 1 && !join(groups, step)) return app::kExitFailed;
      step.rss_growth_bytes = rss_bytes() - rss_before;
      for (uint32_t round = 0; round < options_.rounds && !stop_.came(); ++round)
        measure_round(round, step);
      report_.steps.push_back(step);
    }
    // Before the nodes leave.
    for (const GroupsApplication* application : applications_)
      report_.views += application->views();
    rack_.stop();
    for (const GroupsApplication* application : applications_) {
      report_.wrong += application->wrong();
      report_.out_of_order += application->out_of_order();
    }
    print(text_of(report_, options_), options_.json);
    if (!write_file(json_of(report_, options_), options_.json)) return app::kExitEnvironment;
    return report_.sound(options_) ? app::kExitOk : app::kExitFailed;
  }

 private:
  // Until all are in the first `groups` of them.
  bool join(uint32_t groups, GroupsStep& step) {
    step.groups = groups;
    step.joins = uint64_t{options_.nodes} * (groups - run_.joined.load());
    const uint64_t begin_ns = rack_.clock().now_ns();
    run_.joined.store(groups);
    const auto complete = [&] {
      return std::all_of(applications_.begin(), applications_.end(),
                         [&](const auto* node) { return node->complete() == groups; });
    };
    for (uint64_t ms = 0; !complete(); ++ms) {
      if (stop_.came()) return false;
      if (ms == kJoinPatienceMs) {
        (void)complain("not all nodes are in all groups after 120 s", app::kExitFailed);
        return false;
      }
      stop_.wait_ms(1);
    }
    uint64_t end_ns = begin_ns;
    for (const GroupsApplication* application : applications_)
      end_ns = std::max(end_ns, application->complete_ns());
    step.join_s = static_cast<double>(end_ns - begin_ns) / 1e9;
    return true;
  }

  void touch() {
    sender_ = (sequencer() + 1) % options_.nodes;
    for (const wire::Qos level : {wire::Qos::kSourceOrdered, wire::Qos::kTotallyOrdered})
      (void)measure(1, level, kTouchSeconds);
  }

  // Of the first group, in the first view, which has its members in the order of their addresses.
  [[nodiscard]] uint32_t sequencer() {
    uint32_t number = 0;
    rack::Endpoint& endpoint = rack_.endpoint(0);
    rack_.loop(endpoint.config().stages.ordering).run_here([&] {
      number = *endpoint.named_groups()->layer().number_of(bench_group_name(0));
    });
    const uint32_t domain = ordering::domain_of(number, options_.order_domains);
    return static_cast<uint32_t>(ordering::sequencer_of(domain, options_.nodes));
  }

  void measure_round(uint32_t round, GroupsStep& step) {
    const bool many_first = round % 2 != 0;
    for (const bool many : {many_first, !many_first}) {
      (many ? step.many_mps : step.one_mps)
          .push_back(measure(many ? step.groups : 1, options_.level, options_.seconds));
    }
  }

  // Messages a second at each receiver.
  [[nodiscard]] double measure(uint32_t in_turn, wire::Qos level, double seconds) {
    const Counts start = counts();
    run_.in_turn.store(in_turn);
    run_.level.store(level);
    run_.phase.fetch_add(1);
    run_.sender.store(sender_);
    pause_s(options_.warm_up);
    const Counts before = counts();
    pause_s(seconds);
    const Counts after = counts();
    run_.sender.store(GroupsRun::kNobody);
    const uint32_t copies = level >= wire::Qos::kTotallyOrdered ? options_.nodes  // its own too
                                                                : options_.nodes - 1;
    settle(start, copies);
    return static_cast<double>(after.delivered - before.delivered) / copies * 1e9 /
           static_cast<double>(after.now_ns - before.now_ns);
  }

  // Until everything is delivered, or nothing gets any further.
  void settle(const Counts& start, uint32_t copies) {
    pause_s(0.002);  // a burst that is on its way into the publisher
    Counts now = counts();
    uint64_t expected = 0;
    for (uint64_t ms = 0, quiet_ms = 0; ms < kPatienceMs && quiet_ms < 500; ++ms) {
      expected = (now.published - start.published) * copies;
      if (now.delivered - start.delivered == expected || stop_.came()) break;
      stop_.wait_ms(1);
      const uint64_t last = now.delivered;
      now = counts();
      quiet_ms = now.delivered == last ? quiet_ms + 1 : 0;
    }
    report_.published += now.published - start.published;
    report_.expected += expected;
    report_.delivered += now.delivered - start.delivered;
  }

  [[nodiscard]] Counts counts() const {
    Counts counts;
    for (const GroupsApplication* application : applications_) {
      counts.published += application->published();
      counts.delivered += application->delivered();
    }
    counts.now_ns = rack_.clock().now_ns();
    return counts;
  }
  void pause_s(double seconds) { stop_.wait_ms(static_cast<uint64_t>(seconds * 1e3)); }

  const GroupsOptions& options_;
  rack::Rack& rack_;
  dpdk::StopSignal& stop_;
  GroupsRun run_;
  uint32_t sender_ = 0;
  std::vector<GroupsApplication*> applications_;
  GroupsReport report_;
};

}  // namespace

int run_groups(const app::CommandLine& line, const GroupsOptions& options) {
  const config::Loaded config = rack_of(order_options(options));
  if (!config) {
    std::fputs(config::text(config.error()).c_str(), stderr);
    return app::kExitUsage;
  }
  dpdk::StopSignal stop;
  auto bench = BenchRack::create(line, *config, {rack::incarnation_now(), 0});
  if (!bench) return bench.error();
  return GroupsBench(options, *bench->rack, stop).run();
}

}  // namespace lambdacast::bench
