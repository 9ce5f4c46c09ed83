// SPDX-License-Identifier: BSD-3-Clause
#include <rte_ethdev.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "../harness/sending.h"
#include "../harness/session.h"
#include "base/counter.h"
#include "base/wire_bytes.h"
#include "incast.h"

namespace lambdacast::bench {
namespace {

// Publishes at a rate while `sends`, and counts what the others publish.
class IncastApplication final : public node::Stage {
 public:
  IncastApplication(rack::Endpoint& endpoint, const IncastOptions& options, bool sender,
                    const std::atomic<bool>& sends)
      : endpoint_(endpoint),
        payload_bytes_(options.payload_bytes),
        qos_(options.qos),
        sender_(sender),
        sends_(sends),
        burst_(burst_of(endpoint)),
        loans_(endpoint),
        frame_bytes_(base::wire_bytes(static_cast<uint32_t>(
            endpoint.payload_offset() + payload_bytes_ + (4 - payload_bytes_ % 4) % 4 + 4))),
        pacer_(rate_control::smooth(rate_of(options, frame_bytes_), burst_)) {}

  [[nodiscard]] const char* name() const override { return "application"; }

  uint32_t poll(uint64_t now_ns) override {
    const uint32_t got = endpoint_.take_deliveries(burst_, Sink(*this));
    if (!sender_ || !sends_.load(std::memory_order_acquire)) return got;
    const uint64_t most = std::min<uint64_t>(burst_, pacer_.allowance(now_ns));
    if (most == 0) return got;
    const uint32_t taken = loans_.publish(most, [&](dpdk::Loan& loan) {
      std::fill_n(loan.payload(), payload_bytes_, uint8_t{0x5a});
      (void)loan.describe(payload_bytes_, kIncastGroup, qos_);
    });
    pacer_.spend(taken);
    published_.add(taken);
    return got + taken;
  }

  // From any thread.
  [[nodiscard]] uint64_t published() const { return published_.get(); }
  [[nodiscard]] uint64_t delivered() const { return delivered_.get(); }
  [[nodiscard]] uint64_t lost() const { return lost_.get(); }
  [[nodiscard]] uint64_t frame_bytes() const { return frame_bytes_; }

 private:
  struct Sink : node::DeliverySink {
    explicit Sink(IncastApplication& application) : application_(application) {}
    void message(const node::PacketInfo&, std::span<const uint8_t>) {
      application_.delivered_.add(1);
    }
    void gap(const node::GapEvent& gap) { application_.lost_.add(gap.count); }
    IncastApplication& application_;
  };

  rack::Endpoint& endpoint_;
  const uint32_t payload_bytes_;
  const wire::Qos qos_;
  const bool sender_;
  const std::atomic<bool>& sends_;
  const uint32_t burst_;
  Loans loans_;
  const uint64_t frame_bytes_;
  rate_control::Pacer pacer_;
  base::Counter published_;
  base::Counter delivered_;
  base::Counter lost_;
};

// One policy, on a rack of its own.
class IncastBench {
 public:
  IncastBench(const IncastOptions& options, rate_control::Policy policy, Session& session)
      : options_(options), session_(session) {
    row_.policy = policy;
    for (uint32_t node = 0; node < options.rack.fabric.nodes; ++node) {
      applications_.push_back(
          session.add<IncastApplication>(node, options, node != kSlowNode, sends_));
    }
  }

  // While the rack runs; stops it.
  [[nodiscard]] IncastRow measure() {
    struct Counts {
      uint64_t published = 0;
      uint64_t at_slow = 0;
      uint64_t now_ns = 0;
    };
    sends_.store(true);
    const auto [begin, end] = session_.measure(options_.warm_up, options_.seconds, [this] {
      return Counts{traffic().published, applications_[kSlowNode]->delivered(), session_.now_ns()};
    });
    sends_.store(false);
    row_.elapsed_s = seconds_between(begin.now_ns, end.now_ns);
    row_.sent_wire_bytes =
        (end.published - begin.published) * applications_[kSlowNode]->frame_bytes();
    row_.slow_delivered = end.at_slow - begin.at_slow;
    session_.pause_s(0.002);  // a burst that is on its way into the publisher
    (void)session_.drain({}, options_.senders(), options_.qos, [this] { return traffic(); });
    look_back();
    session_.rack().stop();
    return row_;
  }

 private:
  // A copy of each message goes to every other node.
  [[nodiscard]] Traffic traffic() const { return traffic_of(applications_, session_.now_ns()); }

  void look_back() {
    for (uint32_t node = 0; node < options_.rack.fabric.nodes; ++node) {
      const IncastApplication& application = *applications_[node];
      row_.by_node.push_back(application.delivered());
      row_.published_by.push_back(application.published());
      row_.total_published += application.published();
      if (options_.qos != wire::Qos::kUnreliable) row_.declared_lost += application.lost();
      rack::Endpoint& endpoint = session_.rack().endpoint(node);
      session_.on(node, [&] { row_.repairs += endpoint.node().sender().counters().repairs; });
    }
    rte_eth_stats stats{};
    if (rte_eth_stats_get(session_.rack().endpoint(kSlowNode).port().id(), &stats) == 0)
      row_.dropped = stats.imissed;
  }

  const IncastOptions& options_;
  Session& session_;
  std::atomic<bool> sends_{false};
  std::vector<IncastApplication*> applications_;
  IncastRow row_;
};

}  // namespace

int run(const app::CommandLine& line, const IncastOptions& options) {
  const auto session = Session::open(line, rack_of(options, options.policies[0]), options.output);
  if (!session) return session.error();
  IncastReport report;
  for (const rate_control::Policy policy : options.policies) {
    if ((*session)->stopped()) break;
    if (!report.rows.empty() && !(*session)->begin_again(rack_of(options, policy)))
      return app::kExitEnvironment;
    const auto bench = std::make_unique<IncastBench>(options, policy, **session);
    if (!(*session)->start() || !(*session)->await_all_receivers()) return app::kExitEnvironment;
    const bool in_view = (*session)->rack().endpoint(0).config().membership.enabled;
    if (in_view && !(*session)->await_view()) return app::kExitEnvironment;
    report.rows.push_back(bench->measure());
    (*session)->close_rack();
  }
  return tell(readings_of(report, options), report.sound(options), options.output);
}

}  // namespace lambdacast::bench
