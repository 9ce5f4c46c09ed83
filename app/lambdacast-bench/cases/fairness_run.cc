// SPDX-License-Identifier: BSD-3-Clause
#include <rte_ethdev.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "../harness/sending.h"
#include "../harness/session.h"
#include "base/counter.h"
#include "base/wire_bytes.h"
#include "fairness.h"

namespace lambdacast::bench {
namespace {

constexpr uint32_t kGroup = 1;

// The traffic that one node should offer. The control thread writes it.
struct Wanted {
  std::atomic<uint64_t> bps{0};      // on the wire
  std::atomic<uint64_t> granted{0};  // written before `bps`: a share of so much is enough
};

// Publishes as much as is wanted, and takes what the others publish.
class FairApplication final : public node::Stage {
 public:
  FairApplication(rack::Endpoint& endpoint, Wanted& wanted, uint32_t payload_bytes, wire::Qos qos,
                  bool told, const dpdk::TscClock& clock)
      : endpoint_(endpoint),
        wanted_(wanted),
        payload_bytes_(payload_bytes),
        qos_(qos),
        told_(told),
        clock_(clock),
        burst_(burst_of(endpoint)),
        loans_(endpoint),
        frame_bytes_(base::wire_bytes(static_cast<uint32_t>(
            endpoint.payload_offset() + payload_bytes + (4 - payload_bytes % 4) % 4 + 4))) {}

  [[nodiscard]] const char* name() const override { return "application"; }

  uint32_t poll(uint64_t now_ns) override {
    const uint32_t got = endpoint_.take_deliveries(burst_, Sink(*this));
    const uint64_t bps = wanted_.bps.load(std::memory_order_acquire);
    if (bps != bps_) {
      bps_ = bps;
      pacer_.set_rate({bps / 8, 16 * frame_bytes_}, now_ns);
      if (told_) endpoint_.node().rates().set_need(bps);
      asked_ns_ = clock_.now_ns();
      waits_ = true;
    }
    if (waits_ && endpoint_.node().rates().limits().bits_per_second >=
                      wanted_.granted.load(std::memory_order_relaxed)) {
      waits_ = false;
      granted_ns_.store(clock_.now_ns() - asked_ns_, std::memory_order_relaxed);
    }
    return got + publish(now_ns);
  }

  // From any thread.
  [[nodiscard]] uint64_t wire_bytes() const { return packets_.get() * frame_bytes_; }
  [[nodiscard]] uint64_t lost() const { return lost_.get(); }
  // From the last need to a share that is enough for it.
  [[nodiscard]] uint64_t granted_ns() const { return granted_ns_.load(std::memory_order_relaxed); }

 private:
  struct Sink : node::DeliverySink {
    explicit Sink(FairApplication& application) : application_(application) {}
    void gap(const node::GapEvent& gap) { application_.lost_.add(gap.count); }
    FairApplication& application_;
  };

  // `publish` takes what rate_control has room for: what it takes is on the wire soon.
  uint32_t publish(uint64_t now_ns) {
    if (bps_ == 0) return 0;
    const uint64_t most = std::min<uint64_t>(burst_, pacer_.allowance(now_ns) / frame_bytes_);
    if (most == 0) return 0;
    const uint32_t taken = loans_.publish(most, [&](dpdk::Loan& loan) {
      std::fill_n(loan.payload(), payload_bytes_, uint8_t{0x5a});
      (void)loan.describe(payload_bytes_, kGroup, qos_);
    });
    pacer_.spend(uint64_t{taken} * frame_bytes_);
    packets_.add(taken);
    return taken;
  }

  rack::Endpoint& endpoint_;
  Wanted& wanted_;
  const uint32_t payload_bytes_;
  const wire::Qos qos_;
  const bool told_;
  const dpdk::TscClock& clock_;
  const uint32_t burst_;
  Loans loans_;
  const uint64_t frame_bytes_;
  uint64_t bps_ = 0;
  uint64_t asked_ns_ = 0;
  rate_control::Pacer pacer_{{1, 1}};
  base::Counter packets_;
  base::Counter lost_;
  bool waits_ = false;  // for its share
  std::atomic<uint64_t> granted_ns_{0};
};

class FairnessBench {
 public:
  FairnessBench(const FairnessOptions& options, Session& session)
      : options_(options), session_(session), wanted_(kFairNodes) {
    for (uint32_t node = 0; node < kFairNodes; ++node) {
      applications_.push_back(session.add<FairApplication>(
          node, wanted_[node], options.payload_bytes,
          floods(node) ? wire::Qos::kUnreliable : wire::Qos::kSourceOrdered,
          !options.measured_needs, session.rack().clock()));
    }
    report_.flood = options.flood;
    report_.room_bps =
        static_cast<double>(rate_control::room_bps({.capacity_bps = options.rack.rx_rate_bps}));
  }

  [[nodiscard]] FairnessReport measure() {
    const double phase_s = kFairPhaseSeconds * options_.scale;
    for (uint32_t phase = 0; phase < kFairPhases && !session_.stopped(); ++phase)
      measure(phase, phase_s);
    for (Wanted& each : wanted_) each.bps.store(0);
    session_.pause_s(0.2);
    look_back();
    session_.rack().stop();
    return report_;
  }

 private:
  [[nodiscard]] bool floods(uint32_t node) const { return options_.flood && node == kFloodNode; }
  using Sent = std::array<uint64_t, kFairNodes + 1>;  // the time, then bytes of each

  [[nodiscard]] Sent sent() const {
    Sent sent{session_.now_ns()};
    for (uint32_t node = 0; node < kFairNodes; ++node)
      sent[node + 1] = applications_[node]->wire_bytes();
    return sent;
  }
  [[nodiscard]] static FairRates rates(const Sent& from, const Sent& to) {
    FairRates bps;
    for (uint32_t node = 0; node < kFairNodes; ++node) {
      bps[node] =
          static_cast<double>(to[node + 1] - from[node + 1]) * 8 / seconds_between(from[0], to[0]);
    }
    return bps;
  }

  // The first fifth of a phase is for the change.
  void measure(uint32_t phase, double phase_s) {
    constexpr uint32_t kSamples = 20;
    const FairRates needs = needs_of(phase, options_.flood);
    const FairRates optimum = optimum_of(phase, options_.flood);
    const FairRates before = needs_of(phase == 0 ? 0 : phase - 1, options_.flood);
    for (uint32_t node = 0; node < kFairNodes; ++node) {
      wanted_[node].granted.store(static_cast<uint64_t>(0.95 * optimum[node] * report_.room_bps));
      wanted_[node].bps.store(static_cast<uint64_t>(needs[node] * report_.room_bps),
                              std::memory_order_release);
    }
    Sent last = sent();
    Sent settled = last;
    if (phase == 0) begin_ns_ = last[0];
    for (uint32_t sample = 0; sample < kSamples && !session_.stopped(); ++sample) {
      session_.pause_s(phase_s / kSamples);
      const Sent now = sent();
      const FairRates bps = rates(last, now);
      report_.samples.push_back(
          {seconds_between(begin_ns_, now[0]), bps[0], bps[1], bps[2], bps[3]});
      last = now;
      if (sample == kSamples / 5 - 1) settled = now;
    }
    report_.achieved_bps[phase] = rates(settled, last);
    for (uint32_t node = 0; node < kFairNodes; ++node) {
      if (needs[node] <= before[node]) continue;
      report_.increase_us = std::max(report_.increase_us,
                                     static_cast<double>(applications_[node]->granted_ns()) / 1e3);
    }
  }

  void look_back() {
    for (uint32_t node = 0; node < kFairNodes; ++node) {
      rack::Endpoint& endpoint = session_.rack().endpoint(node);
      report_.lost += applications_[node]->lost();
      rte_eth_stats stats{};
      if (rte_eth_stats_get(endpoint.port().id(), &stats) == 0) report_.dropped += stats.imissed;
      session_.on(node, [&] {
        report_.repairs += endpoint.node().sender().counters().repairs;
        report_.rtt_us = std::max(
            report_.rtt_us, static_cast<double>(endpoint.round_trips_ns().value_at(0.5)) / 1e3);
      });
    }
  }

  const FairnessOptions& options_;
  Session& session_;
  std::vector<Wanted> wanted_;
  std::vector<FairApplication*> applications_;
  uint64_t begin_ns_ = 0;
  FairnessReport report_;
};

}  // namespace

int run(const app::CommandLine& line, const FairnessOptions& options) {
  const auto session = Session::open(line, rack_of(options), options.output);
  if (!session) return session.error();
  FairnessBench bench(options, **session);
  if (!(*session)->start() || !(*session)->await_view() || !(*session)->await_all_receivers())
    return app::kExitEnvironment;
  const FairnessReport report = bench.measure();
  return tell(readings_of(report, options), report.sound(), options.output, {},
              plot_of(report, options));
}

}  // namespace lambdacast::bench
