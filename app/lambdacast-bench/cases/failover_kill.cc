// SPDX-License-Identifier: BSD-3-Clause
// `lambdacast-bench failover --kill`: a process for each node, made by fork before there is an EAL,
// and memory that all of them share to report in. Times are those of the machine's one monotonic
// clock.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../harness/session.h"
#include "dpdk/eal_options.h"
#include "failover.h"
#include "order.h"
#include "order_application.h"

namespace lambdacast::bench {
namespace {

constexpr uint64_t kPatienceMs = 20'000;
constexpr uint64_t kTrafficMs = 30;  // before nodes are killed, and after the view
constexpr uint32_t kSleepUs = 5;     // of an idle lcore, with --idle sleep
constexpr uint32_t kSleepMaxUs = 20;

uint64_t monotonic_ns() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

enum class Phase : uint32_t { kForm, kTraffic, kAudit, kEnd };

// The state of a node, as it writes it; times by monotonic_ns().
struct NodeBoard {
  std::atomic<uint32_t> members, audited;
  std::atomic<uint64_t> epoch, epoch_began_ns, view_began_ns, views;
  std::atomic<bool> contends;           // for the lock
  std::atomic<uint64_t> held_since_ns;  // the lock; 0: not
  std::atomic<uint64_t> published, wrong, out_of_order, lost, digest;
  std::array<std::atomic<uint64_t>, config::kMaxEndpoints> delivered_of;
};
struct Board {
  std::atomic<Phase> phase{Phase::kForm};
  std::array<NodeBoard, config::kMaxEndpoints> nodes;
};

// --- a node --------------------------------------------------------------------------------------

class NodeProcess {
 public:
  NodeProcess(const FailoverOptions& options, uint32_t node, Board& board)
      : options_(options), node_(node), board_(board), own_(board.nodes[node]) {
    run_.nodes = options.rack.fabric.nodes;
    run_.payload_bytes = options.payload_bytes;
    run_.sequencer = sequencer_of(options);
    if (options.lock) run_.holder = victims_of(options).front();
    // The one phase begins before any node publishes: a message of another phase is not counted.
    run_.phase = 1;
  }

  int run(app::CommandLine line, config::Config config, bool told) {
    keep_own(config);
    place(line, config.lcores.front().id);
    rack::Endpoint::Options endpoint;
    endpoint.watches_deaths = told;
    const auto session = Session::open(line, std::move(config), {}, endpoint);
    if (!session) return session.error();
    session_ = session->get();
    application_ = session_->add<OrderApplication>(0, run_, node_, session_->rack().clock());
    if (!session_->start()) return app::kExitEnvironment;
    bool publishes = false;
    while (!session_->stopped() && phase() != Phase::kEnd) {
      if (phase() == Phase::kTraffic && !std::exchange(publishes, true)) begin();
      if (phase() == Phase::kAudit) run_.senders.store(0);
      report();
      session_->pause_s(0.001);
    }
    return app::kExitOk;
  }

 private:
  [[nodiscard]] Phase phase() const { return board_.phase.load(std::memory_order_acquire); }

  void keep_own(config::Config& config) const {
    config::Endpoint own = config.endpoints[node_];
    config.endpoints = {own};
    config.lcores = {{.id = own.stages.ordering,
                      .idle = options_.idle,
                      .sleep_us = kSleepUs,
                      .sleep_max_us = kSleepMaxUs}};
  }
  // Its lcore has the CPU that it would have among those of all nodes in one process.
  void place(app::CommandLine& line, uint32_t lcore) const {
    if (dpdk::has(line.eal, {"-l", "-c", "--lcores", "-s"})) return;
    const std::vector<uint32_t> cpus = dpdk::Machine::this_one().cpus;
    const std::vector<uint32_t>& lcores = options_.rack.fabric.lcores;
    const auto index = static_cast<size_t>(std::ranges::find(lcores, lcore) - lcores.begin());
    std::string all;
    for (const uint32_t cpu : cpus) all += (all.empty() ? "" : ",") + std::to_string(cpu);
    const uint32_t main = lcore + 1;
    line.eal.insert(line.eal.end(),
                    {"--lcores",
                     std::to_string(lcore) + "@" + std::to_string(cpus[index % cpus.size()]) + "," +
                         std::to_string(main) + "@(" + all + ")",
                     "--main-lcore", std::to_string(main)});
  }
  void begin() {
    run_.level.store(wire::Qos::kTotallyResilient);
    run_.rate.store(options_.rate);
    run_.senders.store(all_nodes(run_.nodes));
  }
  // A recent time of the rack's clock, by the machine's: the two run apart with time. Both are read
  // at once, as nearly as of several tries.
  [[nodiscard]] uint64_t monotonic_of(uint64_t at_ns) const {
    constexpr int kTries = 8;
    uint64_t offset_ns = 0;
    uint64_t least_ns = ~uint64_t{0};
    for (int i = 0; i < kTries; ++i) {
      const uint64_t before_ns = monotonic_ns();
      const uint64_t now_ns = session_->now_ns();
      const uint64_t took_ns = monotonic_ns() - before_ns;
      if (took_ns >= least_ns) continue;
      least_ns = took_ns;
      offset_ns = before_ns + took_ns / 2 - now_ns;
    }
    return at_ns + offset_ns;
  }
  void report() {
    own_.published = application_->published();
    own_.wrong = application_->wrong();
    own_.out_of_order = application_->out_of_order();
    own_.lost = application_->lost();
    if (const uint64_t views = application_->views(); views != own_.views) {
      own_.view_began_ns = monotonic_of(application_->view_began_ns());
      own_.views = views;
    }
    if (const uint64_t epoch = application_->epoch(); epoch != own_.epoch) {
      own_.epoch_began_ns = monotonic_of(application_->epoch_began_ns());
      own_.epoch.store(epoch, std::memory_order_release);
    }
    if (options_.lock) {
      const uint64_t since_ns = application_->contender().held_since_ns();
      if (since_ns == 0) {
        own_.held_since_ns = 0;
      } else if (own_.held_since_ns == 0) {
        own_.held_since_ns = monotonic_of(since_ns);
      }
      own_.contends = application_->contender().contends();
    }
    own_.members = static_cast<uint32_t>(session_->rack().endpoint(0).view_members());
    if (phase() != Phase::kAudit) return;
    session_->on(0, [&] {
      own_.digest = application_->digest();
      for (uint32_t sender = 0; sender < run_.nodes; ++sender)
        own_.delivered_of[sender] = application_->delivered_of(sender);
    });
    own_.audited.fetch_add(1, std::memory_order_release);
  }

  const FailoverOptions& options_;
  const uint32_t node_;
  Board& board_;
  NodeBoard& own_;
  OrderRun run_;
  Session* session_ = nullptr;
  OrderApplication* application_ = nullptr;
};

// --- all of them ---------------------------------------------------------------------------------

class KillRun {
 public:
  KillRun(const FailoverOptions& options, dpdk::StopSignal& stop, FailoverReport& report)
      : options_(options),
        nodes_(options.rack.fabric.nodes),
        stop_(stop),
        report_(report),
        victims_(victims_of(options)),
        board_(new (::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Board{}) {
    for (uint32_t node = 0; node < nodes_; ++node) {
      if (std::ranges::find(victims_, node) == victims_.end()) survivors_.push_back(node);
    }
  }
  ~KillRun() {
    for (const pid_t process : processes_) {
      if (process <= 0) continue;
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
    ::munmap(board_, sizeof(Board));
  }
  KillRun(const KillRun&) = delete;
  KillRun& operator=(const KillRun&) = delete;

  // False, and has complained: there is no sense in another run.
  [[nodiscard]] bool run(const app::CommandLine& line, const config::Config& config, bool told) {
    for (uint32_t node = 0; node < nodes_; ++node) {
      const pid_t process = ::fork();
      if (process == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::_Exit(NodeProcess(options_, node, *board_).run(line, config, told));
      }
      processes_.push_back(process);
    }
    if (!await([&] { return all([&](uint32_t n) { return board(n).members == nodes_; }); })) {
      (void)complain("no view of all nodes after 20 s", app::kExitEnvironment);
      return false;
    }
    if (options_.lock &&
        !await([&] { return all([&](uint32_t n) { return board(n).contends.load(); }); })) {
      (void)complain("not all nodes wait for the lock after 20 s", app::kExitEnvironment);
      return false;
    }
    board_->phase = Phase::kTraffic;
    if (!await([&] { return all([&](uint32_t n) { return board(n).epoch != 0; }); })) return false;
    pause(kTrafficMs);
    measure(told);
    return end();
  }

 private:
  [[nodiscard]] NodeBoard& board(uint32_t node) const { return board_->nodes[node]; }
  void pause(uint64_t ms) { stop_.wait_ms(ms); }
  template <typename Condition>
  [[nodiscard]] bool all(Condition&& condition) const {
    for (uint32_t node = 0; node < nodes_; ++node) {
      if (!condition(node)) return false;
    }
    return true;
  }
  // False: it did not come about in time, or a node has ended that should not have.
  [[nodiscard]] bool await(const std::function<bool()>& condition) {
    for (uint64_t ms = 0; ms < kPatienceMs + options_.rack.suspect_after_us / 1000; ++ms) {
      if (condition()) return true;
      for (const pid_t process : processes_) {
        siginfo_t ended{};
        if (process > 0 &&
            ::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            ended.si_pid != 0)
          return false;
      }
      pause(1);
      if (stop_.came()) return false;
    }
    return condition();
  }

  void measure(bool told) {
    ++report_.runs;
    const uint64_t epoch = board(survivors_.front()).epoch;
    const bool disturbed = !all([&](uint32_t n) { return board(n).views == 1; });
    const uint64_t since_ns = monotonic_ns();
    for (const uint32_t victim : victims_) ::kill(processes_[victim], SIGKILL);
    for (const uint32_t victim : victims_) {
      ::waitpid(processes_[victim], nullptr, 0);
      processes_[victim] = -1;
    }
    const bool found = await([&] {
      return std::ranges::all_of(survivors_,
                                 [&](uint32_t n) {
                                   return board(n).epoch.load(std::memory_order_acquire) > epoch ||
                                          board(n).members == 0;
                                 }) &&
             (!options_.lock || next_held_ns() != 0);
    });
    pause(kTrafficMs);
    if (!found) {
      ++report_.stuck;
      return;
    }
    if (disturbed || !std::ranges::all_of(survivors_, [&](uint32_t n) {
          return board(n).views == 2 && board(n).members == survivors_.size();
        })) {
      ++report_.disturbed;
      return;
    }
    ++report_.measured;
    uint64_t delivery_ns = since_ns;
    uint64_t view_ns = since_ns;
    for (const uint32_t node : survivors_) {
      delivery_ns = std::max<uint64_t>(delivery_ns, board(node).epoch_began_ns);
      view_ns = std::max<uint64_t>(view_ns, board(node).view_began_ns);
    }
    (told ? report_.standstill_ns : report_.untold_ns).push_back(delivery_ns - since_ns);
    if (told) report_.view_ns.push_back(view_ns - since_ns);
    if (told && options_.lock) report_.lock_ns.push_back(next_held_ns() - since_ns);
    audit();
  }

  // When a survivor got the lock; 0: none has it.
  [[nodiscard]] uint64_t next_held_ns() const {
    uint64_t since_ns = 0;
    for (const uint32_t node : survivors_)
      since_ns = std::max<uint64_t>(since_ns, board(node).held_since_ns);
    return since_ns;
  }

  // Every survivor has to deliver what the survivors published, and all of them in one order.
  void audit() {
    board_->phase = Phase::kAudit;
    (void)await([&] { return audited() && missing() == 0; });
    report_.missing += missing();
    for (const uint32_t node : survivors_) {
      report_.published += board(node).published;
      report_.wrong += board(node).wrong;
      report_.out_of_order += board(node).out_of_order;
      report_.gaps += board(node).lost;
    }
    const bool differs = std::ranges::any_of(survivors_, [&](uint32_t node) {
      return board(node).digest != board(survivors_.front()).digest;
    });
    report_.different += differs ? 1 : 0;
  }
  // Each has looked twice since: once may have been before the last one stopped publishing.
  [[nodiscard]] bool audited() const {
    return std::ranges::all_of(survivors_, [&](uint32_t n) { return board(n).audited >= 2; });
  }
  [[nodiscard]] uint64_t missing() const {
    uint64_t missing = 0;
    for (const uint32_t node : survivors_) {
      for (const uint32_t sender : survivors_)
        missing += board(sender).published - board(node).delivered_of[sender];
    }
    return missing;
  }

  // In order: the last one removes the fabric's files.
  [[nodiscard]] bool end() {
    board_->phase = Phase::kEnd;
    bool right = true;
    for (const uint32_t node : survivors_) {
      int status = 0;
      ::waitpid(processes_[node], &status, 0);
      processes_[node] = -1;
      right = right && WIFEXITED(status) && WEXITSTATUS(status) == app::kExitOk;
    }
    if (!right) (void)complain("a node did not end as it should", app::kExitEnvironment);
    return right;
  }

  const FailoverOptions& options_;
  const uint32_t nodes_;
  dpdk::StopSignal& stop_;
  FailoverReport& report_;
  const std::vector<uint32_t> victims_;
  std::vector<uint32_t> survivors_;
  std::vector<pid_t> processes_;  // by node; -1: it has ended
  Board* const board_;
};

}  // namespace

int run_kill(const app::CommandLine& line, const FailoverOptions& options) {
  const Planned planned = rack_of(options);
  if (!planned) {
    std::fputs(planned.error().c_str(), stderr);
    return app::kExitUsage;
  }
  FailoverReport report;
  dpdk::StopSignal stop;
  for (uint32_t round = 0; round < options.runs; ++round) {
    for (const bool told : {true, false}) {
      if (!KillRun(options, stop, report).run(line, *planned, told)) return app::kExitEnvironment;
    }
  }
  return tell(readings_of(report, options), report.sound(), options.output);
}

}  // namespace lambdacast::bench
