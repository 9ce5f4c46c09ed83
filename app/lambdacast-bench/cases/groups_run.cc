// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "../harness/sending.h"
#include "../harness/session.h"
#include "base/counter.h"
#include "dpdk/clock.h"
#include "group/group_layer.h"
#include "group/handlers.h"
#include "groups.h"
#include "order.h"
#include "ordering/subscriptions.h"
#include "rack/application.h"

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

std::string bench_group_name(uint32_t group) {
  return std::string(kPrefix) + std::to_string(group);
}

// Shared by the nodes; control writes. A phase begins when nothing is on its way, with a sender
// that is stored last.
struct GroupsRun {
  static constexpr uint32_t kNobody = ~0u;
  std::atomic<uint32_t> joined{0};        // groups that all should be in
  std::atomic<uint32_t> sender{kNobody};  // node
  std::atomic<uint32_t> in_turn{1};       // the first so many groups are published to
  std::atomic<wire::Qos> level{wire::Qos::kSourceOrdered};
  std::atomic<uint32_t> phase{0};
  uint64_t rate = 0;  // messages a second; 0: unlimited
  uint32_t payload_bytes = 64;
  uint32_t nodes = 0;
  uint32_t most_groups = 0;
};

// The first bytes of every message.
struct GroupsStamp {
  uint32_t phase = 0;
  uint32_t group = 0;     // 0: the first joined
  uint32_t sequence = 0;  // in the group, from 0 in each phase, and round again
};

class GroupsApplication final : public rack::Application, private group::Handlers {
 public:
  GroupsApplication(rack::Endpoint& endpoint, GroupsRun& run, uint32_t node,
                    const dpdk::TscClock& clock)
      : Application(endpoint),
        run_(run),
        node_(node),
        clock_(clock),
        loans_(endpoint),
        pacer_({run.rate, 4}),
        places_(run.most_groups) {}

  // From any thread.
  [[nodiscard]] uint64_t published() const { return published_.get(); }
  [[nodiscard]] uint64_t delivered() const { return delivered_.get(); }
  [[nodiscard]] uint64_t wrong() const { return wrong_.get(); }
  [[nodiscard]] uint64_t out_of_order() const { return out_of_order_.get(); }
  [[nodiscard]] uint64_t views() const { return views_.get(); }  // of the nodes
  // Groups that this node has seen all nodes in, and when the last became one.
  [[nodiscard]] uint64_t complete() const { return complete_.get(); }
  [[nodiscard]] uint64_t complete_ns() const {
    return complete_ns_.load(std::memory_order_relaxed);
  }

 private:
  struct Place {
    uint32_t number = 0;  // on the wire
    uint32_t next = 0;    // sequence
  };

  uint32_t tick(uint64_t now_ns) override {
    join(run_.joined.load(std::memory_order_relaxed));
    // Before the phase, which control sets first: nothing is published for an older one.
    const uint32_t sender = run_.sender.load(std::memory_order_acquire);
    follow_phase();
    return sender == node_ ? publish(now_ns) : 0;
  }
  void numbered(const node::PacketInfo&, std::span<const uint8_t>) override { wrong_.add(1); }
  void node_view(const node::ViewEvent&) override { views_.add(1); }
  // A message of a group that this node has joined.
  void delivered(const group::Delivery& delivery, std::span<const uint8_t> message) override {
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
  void view(const group::GroupView& view) override {
    const uint32_t group = group_of(view.name);
    if (group >= places_.size()) return wrong_.add(1);
    places_[group].number = view.group;
    if (view.members.size() != run_.nodes) return;
    complete_ns_.store(clock_.now_ns(), std::memory_order_relaxed);
    complete_.add(1);
  }

  void join(uint32_t count) {
    for (; asked_ < count; ++asked_) {
      if (groups().join(bench_group_name(asked_), *this) != group::Result::kOk)
        return wrong_.add(1);
    }
  }
  void follow_phase() {
    const uint32_t phase = run_.phase.load(std::memory_order_acquire);
    if (phase == phase_) return;
    phase_ = phase;
    group_ = lap_ = 0;
    for (Place& place : places_) place.next = 0;
  }
  // In place, a packet each: with one group as with many, where no two that follow each other could
  // share one.
  [[nodiscard]] uint32_t publish(uint64_t now_ns) {
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

  GroupsRun& run_;
  const uint32_t node_;
  const dpdk::TscClock& clock_;
  Loans loans_;
  rate_control::Pacer pacer_;
  uint32_t asked_ = 0;  // groups
  uint32_t phase_ = 0;
  uint32_t group_ = 0;  // the next message's
  uint32_t lap_ = 0;    // its sequence
  std::vector<Place> places_;
  base::Counter published_;
  base::Counter delivered_;
  base::Counter wrong_;
  base::Counter out_of_order_;
  base::Counter views_;
  base::Counter complete_;
  std::atomic<uint64_t> complete_ns_{0};
};

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

// The memory that a joined group takes at one node: its place in the directory, two entries of each
// of the directory's two tables (which are half full at most), its subscription, and its member.
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

  // The sequencer of the first group.
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
    const Traffic all = session_.drain(start, copies, level, look);
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
