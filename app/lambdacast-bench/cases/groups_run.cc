// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "../harness/session.h"
#include "group/group_layer.h"
#include "groups.h"
#include "groups_application.h"
#include "order.h"
#include "ordering/subscriptions.h"

namespace lambdacast::bench {
namespace {

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

class GroupsBench {
 public:
  GroupsBench(const GroupsOptions& options, Session& session)
      : options_(options), nodes_(options.rack.fabric.nodes), session_(session) {
    run_.rate = options.rate;
    run_.payload_bytes = options.payload_bytes;
    run_.nodes = nodes_;
    run_.most_groups = options.groups.back();
    for (uint32_t node = 0; node < nodes_; ++node) {
      applications_.push_back(
          session.add<GroupsApplication>(node, run_, node, session.rack().clock()));
    }
  }

  // While the rack runs; stops it. False, and has complained: not all nodes are in all groups.
  [[nodiscard]] bool measure() {
    report_.table_bytes_per_group = table_bytes();
    GroupsStep first;
    if (!join(1, first)) return false;
    // Packet memory grows as it is touched for the first time: not by groups.
    touch();
    const int64_t rss_before = rss_bytes();
    for (const uint32_t groups : options_.groups) {
      GroupsStep step = groups == 1 ? first : GroupsStep{};
      if (groups > 1 && !join(groups, step)) return false;
      step.rss_growth_bytes = rss_bytes() - rss_before;
      for (uint32_t round = 0; round < options_.rounds && !session_.stopped(); ++round)
        measure_round(round, step);
      report_.steps.push_back(step);
    }
    // Before the nodes leave.
    for (const GroupsApplication* each : applications_) report_.views += each->views();
    session_.rack().stop();
    for (const GroupsApplication* each : applications_) {
      report_.wrong += each->wrong();
      report_.out_of_order += each->out_of_order();
    }
    return true;
  }
  [[nodiscard]] const GroupsReport& report() const { return report_; }

 private:
  // Until all are in the first `groups` of them.
  [[nodiscard]] bool join(uint32_t groups, GroupsStep& step) {
    step.groups = groups;
    step.joins = uint64_t{nodes_} * (groups - run_.joined.load());
    const uint64_t begin_ns = session_.now_ns();
    run_.joined.store(groups);
    const bool complete = session_.await(kJoinPatienceMs, [&] {
      return std::all_of(applications_.begin(), applications_.end(),
                         [&](const auto* each) { return each->complete() == groups; });
    });
    if (!complete) {
      if (!session_.stopped())
        (void)complain("not all nodes are in all groups after 120 s", app::kExitFailed);
      return false;
    }
    uint64_t end_ns = begin_ns;
    for (const GroupsApplication* each : applications_)
      end_ns = std::max(end_ns, each->complete_ns());
    step.join_s = seconds_between(begin_ns, end_ns);
    return true;
  }

  void touch() {
    sender_ = (first_sequencer() + 1) % nodes_;
    for (const wire::Qos level : {wire::Qos::kSourceOrdered, wire::Qos::kTotallyOrdered})
      (void)measure(1, level, kTouchSeconds);
  }

  // Of the first group.
  [[nodiscard]] uint32_t first_sequencer() {
    uint32_t number = 0;
    session_.on(0, [&] {
      rack::Endpoint& endpoint = session_.rack().endpoint(0);
      number = *endpoint.named_groups()->layer().number_of(bench_group_name(0));
    });
    return sequencer_of(number, options_.rack);
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
    const auto look = [this] { return traffic_of(applications_, session_.now_ns()); };
    const Traffic start = look();
    run_.in_turn.store(in_turn);
    run_.level.store(level);
    run_.phase.fetch_add(1);
    run_.sender.store(sender_);
    const auto [begin, end] = session_.measure(options_.warm_up, seconds, look);
    run_.sender.store(GroupsRun::kNobody);
    const bool its_own_too = level >= wire::Qos::kTotallyOrdered;
    const uint32_t copies = its_own_too ? nodes_ : nodes_ - 1;
    session_.pause_s(0.002);  // a burst that is on its way into the publisher
    const Traffic all = session_.drain(start, copies, look);
    report_.published += all.published;
    report_.expected += all.published * copies;
    report_.delivered += all.delivered;
    return per_second(end.delivered - begin.delivered, seconds_between(begin.now_ns, end.now_ns)) /
           copies;
  }

  const GroupsOptions& options_;
  const uint32_t nodes_;
  Session& session_;
  GroupsRun run_;
  uint32_t sender_ = 0;
  std::vector<GroupsApplication*> applications_;
  GroupsReport report_;
};

}  // namespace

int run(const app::CommandLine& line, const GroupsOptions& options) {
  const auto session = Session::open(line, rack_of(options), options.output);
  if (!session) return session.error();
  GroupsBench bench(options, **session);
  if (!(*session)->start() || !(*session)->await_all_receivers()) return app::kExitEnvironment;
  if (!bench.measure()) return app::kExitFailed;
  const GroupsReport& report = bench.report();
  return tell(readings_of(report, options), report.sound(options), options.output);
}

}  // namespace lambdacast::bench
