// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../harness/message_audit.h"
#include "../harness/sending.h"
#include "../harness/session.h"
#include "base/bytes.h"
#include "base/counter.h"
#include "loss.h"
#include "node/stage.h"
#include "rack/rack_account.h"

namespace lambdacast::bench {
namespace {

// A node publishes to a group of its own (rack_of() in loss.cc): a delivery's group tells its
// sender.
constexpr uint32_t kFirstGroup = 1;

// Shared by the nodes of a run; control writes.
struct LossRun {
  std::atomic<bool> go{false};        // senders may begin
  std::atomic<bool> finished{false};  // senders shall publish no more (time is up, or a signal)
  Credit* credit = nullptr;           // null: another pace
  uint32_t nodes = 0;
  uint64_t first_frame_seq = 0;
  uint32_t application_bytes = 0;
  wire::Qos qos = wire::Qos::kUnreliable;
};

class LossApplication final : public node::Stage {
 public:
  struct Role {
    uint32_t node = 0;
    uint64_t quota = 0;         // packets it publishes, 0 for a mere receiver
    uint64_t publish_rate = 0;  // unless the window paces; 0: unlimited
    uint64_t take_rate = 0;     // of an overloaded receiver; 0: unlimited
  };
  LossApplication(rack::Endpoint& endpoint, LossRun& run, const Role& role)
      : run_(run),
        node_(role.node),
        quota_(role.quota),
        endpoint_(endpoint),
        burst_(burst_of(endpoint)),
        throttle_(run.credit, role.node, role.publish_rate, endpoint.config().burst),
        take_pacer_({role.take_rate, endpoint.config().burst}),
        loans_(endpoint),
        taken_(run.nodes, 0),
        audits_(run.nodes) {}

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) override {
    const uint32_t got =
        run_.qos == wire::Qos::kUnreliable ? take(now_ns) : take_recoverable(now_ns);
    if (published_.get() == quota_ || !run_.go.load(std::memory_order_relaxed) ||
        run_.finished.load(std::memory_order_relaxed)) {
      return got;
    }
    return got + publish(now_ns);
  }

  // From any thread.
  [[nodiscard]] uint64_t published() const { return published_.get(); }
  [[nodiscard]] uint64_t delivered() const { return delivered_.get(); }
  [[nodiscard]] MessageCounts messages() const {
    return {delivered_.get(), twice_.get(), out_of_order_.get(), declared_lost_.get()};
  }
  [[nodiscard]] uint64_t wrong_content() const { return wrong_content_.get(); }
  [[nodiscard]] uint64_t window_timeouts() const { return throttle_.timeouts(); }
  [[nodiscard]] uint64_t last_delivery_ns() const { return last_delivery_ns_.get(); }
  [[nodiscard]] bool done() const { return published() == quota_; }

 private:
  // Judges recoverable messages by their own numbers: repairs make frame sequences and messages
  // differ.
  struct RecoverableSink : node::DeliverySink {
    explicit RecoverableSink(LossApplication& application) : application_(application) {}
    void message(const node::PacketInfo& info, std::span<const uint8_t> payload) {
      if (application_.audit(info, payload)) ++messages;
    }
    void gap(const node::GapEvent& gap) { application_.declared_lost_.add(gap.count); }
    LossApplication& application_;
    uint64_t messages = 0;
  };

  uint32_t take(uint64_t now_ns) {
    uint64_t wrong = 0;
    uint64_t senders = 0;  // a bit each: nodes are at most 32
    // An overloaded receiver catches up once nobody sends any more.
    const uint64_t most = run_.finished.load(std::memory_order_relaxed)
                              ? burst_
                              : std::min<uint64_t>(burst_, take_pacer_.allowance(now_ns));
    if (most == 0) return 0;
    const auto check = [&](const node::PacketInfo& info, std::span<const uint8_t> payload) {
      const uint32_t sender = info.group - kFirstGroup;
      const uint64_t message = info.frame_seq - run_.first_frame_seq;
      if (sender >= run_.nodes || (payload.size() >= sizeof message &&
                                   base::load_be64(payload.data()) != message)) [[unlikely]] {
        ++wrong;
        return;
      }
      taken_[sender] = std::max(taken_[sender], message + 1);
      senders |= uint64_t{1} << sender;
    };
    const uint32_t got =
        endpoint_.take_deliveries(static_cast<uint32_t>(most), node::MessageSink(check));
    if (got == 0) return 0;
    take_pacer_.spend(got);
    delivered_.add(got);
    last_delivery_ns_.add(now_ns - last_delivery_ns_.get());
    if (wrong != 0) wrong_content_.add(wrong);
    if (run_.credit != nullptr) {
      for (; senders != 0; senders &= senders - 1) {
        const auto sender = static_cast<uint32_t>(__builtin_ctzll(senders));
        run_.credit->taken(node_, sender, taken_[sender]);
      }
    }
    return got;
  }
  uint32_t take_recoverable(uint64_t now_ns) {
    const uint64_t most = std::min<uint64_t>(burst_, take_pacer_.allowance(now_ns));
    if (most == 0) return 0;
    RecoverableSink sink(*this);
    const uint32_t got = endpoint_.take_deliveries(static_cast<uint32_t>(most), sink);
    if (got == 0) return 0;
    take_pacer_.spend(got);
    delivered_.add(sink.messages);
    last_delivery_ns_.add(now_ns - last_delivery_ns_.get());
    return got;
  }
  // False: none of this run's messages.
  [[nodiscard]] bool audit(const node::PacketInfo& info, std::span<const uint8_t> payload) {
    const uint32_t sender = info.group - kFirstGroup;
    if (sender >= run_.nodes || payload.size() != run_.application_bytes) {
      wrong_content_.add(1);
      return false;
    }
    using Finding = MessageAudit::Finding;
    const bool ordered = info.qos != wire::Qos::kReliable;
    switch (audits_[sender].accept(base::load_be64(payload.data()), ordered)) {
      case Finding::kRight:
        break;
      case Finding::kTwice:
        twice_.add(1);
        break;
      case Finding::kOutOfOrder:
        out_of_order_.add(1);
        break;
      case Finding::kTooFar:
        wrong_content_.add(1);
        break;
    }
    return true;
  }
  uint32_t publish(uint64_t now_ns) {
    const uint64_t allowance =
        std::min(throttle_.allowance(published_.get(), now_ns), quota_ - published_.get());
    if (allowance == 0) return 0;
    const uint32_t published = loans_.publish(allowance, [this](dpdk::Loan& loan) {
      uint8_t number[sizeof(uint64_t)];
      base::store_be64(number, next_message_++);
      std::memcpy(loan.payload(), number, std::min<size_t>(sizeof number, run_.application_bytes));
      // The options have been checked: it fits.
      (void)loan.describe(run_.application_bytes, kFirstGroup + node_, run_.qos);
    });
    published_.add(published);
    throttle_.spend(published);
    return published;
  }

  LossRun& run_;
  const uint32_t node_;
  const uint64_t quota_;
  rack::Endpoint& endpoint_;
  const uint32_t burst_;
  Throttle throttle_;
  rate_control::Pacer take_pacer_;
  Loans loans_;
  uint64_t next_message_ = 0;
  std::vector<uint64_t> taken_;       // by sender: frames up to here have been seen
  std::vector<MessageAudit> audits_;  // by sender: recoverable messages
  base::Counter published_;
  base::Counter delivered_;
  base::Counter wrong_content_;
  base::Counter twice_;
  base::Counter out_of_order_;
  base::Counter declared_lost_;
  base::Counter last_delivery_ns_;  // kept by adding differences: it only rises
};

using Applications = std::vector<LossApplication*>;

Applications make_applications(Session& session, LossRun& run, const LossOptions& options) {
  const uint32_t senders = options.one_sender ? 1 : run.nodes;
  const uint64_t all = options.packets == 0 ? uint64_t{1} << 60 : options.packets;
  // Senders share the rate; each may catch up a burst.
  const bool by_rate = options.pace.kind == Pace::Kind::kRate;
  const uint64_t rate = by_rate ? std::max<uint64_t>(1, options.pace.per_second / senders) : 0;
  Applications applications;
  for (uint32_t node = 0; node < run.nodes; ++node) {
    LossApplication::Role role{node, 0, rate, 0};
    if (node < senders) role.quota = all / senders + (node < all % senders ? 1 : 0);
    if (options.slow_at == node) role.take_rate = options.slow_pps;
    applications.push_back(session.add<LossApplication>(node, run, role));
  }
  return applications;
}

void show_progress(const Applications& applications, Session& session, bool end) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const Traffic traffic = traffic_of(applications, session.now_ns());
  std::fprintf(stderr, "\r%8.1f s  sent %lu  delivered %lu%s",
               static_cast<double>(traffic.now_ns) / 1e9, traffic.published, traffic.delivered,
               end ? "\n" : "");
}

// Until every sender has its quota out, the time is over or a signal came.
void send(Session& session, LossRun& run, const Applications& applications,
          const LossOptions& options, uint64_t start_ns) {
  const uint64_t end_ns =
      options.seconds > 0 ? start_ns + static_cast<uint64_t>(options.seconds * 1e9) : ~uint64_t{0};
  run.go.store(true);
  while (!std::all_of(applications.begin(), applications.end(),
                      [](const LossApplication* a) { return a->done(); })) {
    const uint64_t now_ns = session.now_ns();
    if (now_ns >= end_ns || session.stopped()) break;
    session.signal().wait_ms(std::clamp<uint64_t>((end_ns - now_ns) / 1'000'000, 1, 20));
    show_progress(applications, session, false);
  }
  run.finished.store(true);
}

// By sequence: what `receiver` has not seen of what its peers have numbered. The rack stands still.
uint64_t missing_at(rack::Rack& rack, const rack::RackAccount& account, size_t receiver) {
  reliability::FrameAccount frames = rack.endpoint(receiver).frames();  // a copy to finish
  uint64_t missing = 0;
  for (size_t sender = 0; sender < rack.size(); ++sender) {
    const node::RateControlReport& sent = account.stages[sender].rate_control;
    if (sender == receiver || sent.packets == 0) continue;
    const auto& identity = rack.endpoint(sender).identity();
    const auto& peers = account.stages[receiver].receive.peers;
    const auto peer = std::find_if(peers.begin(), peers.end(), [&](const auto& p) {
      return p.gid == identity.gid && p.qpn == identity.data_qpn;
    });
    if (peer == peers.end()) {
      missing += sent.packets;
      continue;
    }
    const auto index = static_cast<size_t>(peer - peers.begin());
    frames.finish(index, identity.incarnation, sent.first_frame_seq, sent.next_frame_seq - 1);
    missing += frames.report(index).current.missing;
  }
  return missing;
}

LossReport report_of(rack::Rack& rack, const rack::RackAccount& account,
                     const Applications& applications, uint64_t start_ns) {
  LossReport report;
  report.receivers = account.receivers;
  report.transmitters = account.transmitters;
  uint64_t last_ns = start_ns;
  for (size_t i = 0; i < rack.size(); ++i) {
    report.names.push_back(rack.endpoint(i).config().name);
    report.missing.push_back(missing_at(rack, account, i));
    report.psn_wraps_sent += account.stages[i].rate_control.psn_wraps;
    for (const auto& peer : account.stages[i].reliability.peers) {
      report.psn_wraps_seen += peer.stream.psn_wraps;
      report.psn_mismatches += peer.stream.psn_mismatches;
    }
    report.wrong_content += applications[i]->wrong_content();
    report.recoverable.add(account.stages[i], applications[i]->messages());
    report.published += applications[i]->published();
    report.recoverable.round_trips_ns.add(rack.endpoint(i).round_trips_ns());
    report.recoverable.repair_ns.add(rack.endpoint(i).repair_ns());
    report.window_timeouts += applications[i]->window_timeouts();
    last_ns = std::max(last_ns, applications[i]->last_delivery_ns());
  }
  report.elapsed_s = seconds_between(start_ns, last_ns);
  return report;
}

// On an error it has complained.
tl::expected<LossReport, app::ExitCode> measure(const app::CommandLine& line,
                                                const LossOptions& options) {
  const auto opened =
      Session::open(line, rack_of(options), {}, {.first_frame_seq = options.psn_start});
  if (!opened) return tl::unexpected(opened.error());
  Session& session = **opened;
  rack::Rack& rack = session.rack();
  Credit credit(static_cast<uint32_t>(rack.size()), session.window());
  LossRun run;
  run.credit = options.pace.windowed(options.qos) ? &credit : nullptr;
  run.qos = options.qos.qos;
  run.nodes = static_cast<uint32_t>(rack.size());
  run.first_frame_seq = options.psn_start;
  run.application_bytes = options.application_bytes();
  const Applications applications = make_applications(session, run, options);
  if (!session.start() || (options.qos.recoverable() && !session.await_all_receivers()))
    return tl::unexpected(app::kExitEnvironment);
  const uint64_t start_ns = session.now_ns();
  send(session, run, applications, options, start_ns);
  (void)settle(rack, session.signal());
  show_progress(applications, session, true);
  rack.stop();
  return report_of(rack, account_of(rack), applications, start_ns);
}

template <typename Options>
int run_and_tell(const app::CommandLine& line, const Options& options) {
  const auto report = measure(line, options);
  if (!report) return report.error();
  return tell(readings_of(*report, options), report->sound(options), options.output);
}

}  // namespace

int run(const app::CommandLine& line, const LossOptions& options) {
  return run_and_tell(line, options);
}
int run(const app::CommandLine& line, const RepairOptions& options) {
  return run_and_tell(line, options);
}

}  // namespace lambdacast::bench
