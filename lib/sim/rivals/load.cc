// SPDX-License-Identifier: BSD-3-Clause
#include "sim/rivals/load.h"

#include <algorithm>
#include <functional>

#include "base/random.h"
#include "sim/rivals/lcr.h"
#include "sim/rivals/ring_paxos.h"
#include "sim/rivals/switched_network.h"

namespace lambdacast::sim::rivals {

LoadLedger::LoadLedger(const LoadRun& run)
    : run_(run), began_ns_(run.nodes), deliveries_(run.nodes) {}

void LoadLedger::delivered(uint32_t node, uint32_t sender, uint32_t number, uint64_t now_ns) {
  deliveries_[node].push_back({sender, number, now_ns});
}

LoadFigures LoadLedger::figures(uint64_t begin_ns) const {
  LoadFigures figures;
  const uint64_t end_ns = begin_ns + run_.measure_ns;
  const auto measured = [&](uint64_t at_ns) { return at_ns >= begin_ns && at_ns < end_ns; };
  std::vector<uint64_t> responses_ns;
  uint64_t deliveries = 0;
  const auto longest = std::ranges::max_element(
      deliveries_, {}, [](const std::vector<Delivery>& each) { return each.size(); });
  figures.one_order = true;
  for (uint32_t node = 0; node < run_.nodes; ++node) {
    for (size_t i = 0; i < deliveries_[node].size(); ++i) {
      const Delivery& each = deliveries_[node][i];
      const Delivery& there = (*longest)[i];
      if (each.sender != there.sender || each.number != there.number) figures.one_order = false;
      deliveries += measured(each.at_ns) ? 1 : 0;
      if (each.sender != node || !measured(began_ns_[node][each.number])) continue;
      responses_ns.push_back(each.at_ns - began_ns_[node][each.number]);
    }
    for (const uint64_t at_ns : began_ns_[node]) figures.published += measured(at_ns) ? 1 : 0;
  }
  figures.delivered = responses_ns.size();
  figures.delivered_bps = static_cast<double>(deliveries * run_.message_bytes * 8) /
                          (static_cast<double>(run_.measure_ns) / 1e9) / run_.nodes;
  double sum_ns = 0;
  for (const uint64_t each : responses_ns) sum_ns += static_cast<double>(each);
  if (responses_ns.empty()) return figures;
  figures.response_ns = sum_ns / static_cast<double>(responses_ns.size());
  std::ranges::sort(responses_ns);
  figures.response_p99_ns = responses_ns[(responses_ns.size() - 1) * 99 / 100];
  return figures;
}

namespace {

// A message that is broadcast as soon as one of so many is delivered at its sender: enough for any
// ring of these to be full.
constexpr uint32_t kUnderWay = 16;

template <typename Rival>
class Loaded {
 public:
  using Frame = typename Rival::Frame;

  explicit Loaded(const LoadRun& run)
      : run_(run),
        period_ns_(period_ns(run)),
        ledger_(run),
        rival_(run.nodes, {wire_bytes(run), kControlBytes},
               [this](uint32_t node, const Message& message, uint64_t now_ns) {
                 delivered(node, message, now_ns);
               }),
        network_({run.nodes, run.latency_ns, {run.line_bps, run.line_bps}}, *this) {}

  [[nodiscard]] LoadFigures measure() {
    for (uint32_t node = 0; node < run_.nodes; ++node) {
      if (!sends(run_, node)) continue;
      if (period_ns_ != 0) {
        network_.call_at(node, period_ns_ * node / run_.nodes);
      } else {
        for (uint32_t i = 0; i < kUnderWay; ++i) network_.call_at(node, 0);
      }
    }
    // What is published to the end may come behind it.
    network_.run_until(run_.warm_up_ns + run_.measure_ns + run_.warm_up_ns / 10);
    return ledger_.figures(run_.warm_up_ns);
  }

  void on_frame(uint32_t node, const Frame& frame, uint64_t now_ns) {
    rival_.on_frame(node, frame, now_ns);
  }
  [[nodiscard]] std::optional<Outgoing<Frame>> next(uint32_t node, uint64_t now_ns) {
    return rival_.next(node, now_ns);
  }
  void on_time(uint32_t node, uint64_t now_ns) {
    broadcast(node, now_ns);
    if (period_ns_ != 0) network_.call_at(node, now_ns + period_ns_);
  }

 private:
  void broadcast(uint32_t node, uint64_t now_ns) {
    ledger_.published(node, now_ns);
    rival_.broadcast(node);
  }
  void delivered(uint32_t node, const Message& message, uint64_t now_ns) {
    ledger_.delivered(node, message.sender, message.number, now_ns);
    if (period_ns_ == 0 && node == message.sender) broadcast(node, now_ns);
  }

  const LoadRun run_;
  const uint64_t period_ns_;
  LoadLedger ledger_;
  Rival rival_;
  SwitchedNetwork<Loaded> network_;
};

}  // namespace

LoadFigures measure_lcr(const LoadRun& run) { return Loaded<Lcr>(run).measure(); }
LoadFigures measure_ring_paxos(const LoadRun& run) { return Loaded<RingPaxos>(run).measure(); }

}  // namespace lambdacast::sim::rivals
