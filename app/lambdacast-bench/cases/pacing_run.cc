// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <utility>

#include "../harness/sending.h"
#include "../harness/session.h"
#include "pacing.h"

namespace lambdacast::bench {
namespace {

enum class Doing : uint8_t { kNothing, kSending, kMeasuring };

// Publishes as much as the endpoint takes, and looks once a turn of the lcore at what has gone.
class PacingSender final : public node::Stage {
 public:
  PacingSender(rack::Endpoint& endpoint, const PacingOptions& options)
      : endpoint_(endpoint),
        payload_bytes_(options.payload_bytes),
        burst_(burst_of(endpoint)),
        loans_(endpoint),
        windows_(options.rate_bps, options.burst_us * uint64_t{1'000}) {
    windows_.reserve(static_cast<size_t>(options.seconds * 1'100) + 1'000);
  }

  [[nodiscard]] const char* name() const override { return "application"; }

  uint32_t poll(uint64_t now_ns) override {
    const Doing doing = doing_.load(std::memory_order_acquire);
    if (doing == Doing::kNothing) return 0;
    if (doing == Doing::kMeasuring)
      windows_.turn(endpoint_.node().rate_control().classes().data.bytes, now_ns);
    return loans_.publish(burst_, [&](dpdk::Loan& loan) {
      std::fill_n(loan.payload(), payload_bytes_, uint8_t{0x5a});
      (void)loan.describe(payload_bytes_, kMessageGroup, wire::Qos::kUnreliable);
    });
  }

  // From any thread.
  void tell(Doing doing) { doing_.store(doing, std::memory_order_release); }
  // On its lcore, or when that has ended.
  [[nodiscard]] const PacingWindows& windows() const { return windows_; }

 private:
  rack::Endpoint& endpoint_;
  const uint32_t payload_bytes_;
  const uint32_t burst_;
  Loans loans_;
  PacingWindows windows_;
  std::atomic<Doing> doing_{Doing::kNothing};
};

PacingReport measure(const PacingOptions& options, Session& session, PacingSender& sender) {
  const auto look = [&] {
    std::pair<uint64_t, uint64_t> seen;
    session.on(kSenderNode, [&] {
      const auto& stage = session.rack().endpoint(kSenderNode).node().rate_control();
      seen = {stage.classes().data.bytes, session.now_ns()};
    });
    return seen;
  };
  sender.tell(Doing::kSending);
  session.pause_s(options.warm_up);
  sender.tell(Doing::kMeasuring);
  const auto [begin, end] = session.measure(0, options.seconds, look);
  sender.tell(Doing::kNothing);
  PacingReport report;
  session.on(kSenderNode, [&] {
    report.ratios = sender.windows().ratios();
    report.left_out = sender.windows().left_out();
  });
  std::sort(report.ratios.begin(), report.ratios.end());
  report.bytes = end.first - begin.first;
  report.mean_ratio = per_second(report.bytes * 8, seconds_between(begin.second, end.second)) /
                      static_cast<double>(options.rate_bps);
  session.rack().stop();
  return report;
}

}  // namespace

int run(const app::CommandLine& line, const PacingOptions& options) {
  const auto session = Session::open(line, rack_of(options), options.output);
  if (!session) return session.error();
  auto* sender = (*session)->add<PacingSender>(kSenderNode, options);
  if (!(*session)->start()) return app::kExitEnvironment;
  const PacingReport report = measure(options, **session, *sender);
  return tell(readings_of(report, options), report.sound(), options.output);
}

}  // namespace lambdacast::bench
