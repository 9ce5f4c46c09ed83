// SPDX-License-Identifier: BSD-3-Clause
#include "throughput.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "bench_rack.h"
#include "dpdk/stop_signal.h"
#include "histogram_file.h"
#include "rack/incarnation.h"
#include "rack/rack_account.h"
#include "throughput_application.h"
#include "throughput_report.h"

namespace lambdacast::bench {
namespace {

constexpr uint64_t kNoLimit = uint64_t{1} << 62;

bool on_one_lcore(const config::Endpoint& endpoint) {
  const config::StageLcores& s = endpoint.stages;
  return s.receive == s.ordering && s.rate_control == s.ordering;
}

// A sender, a receiver and the course of a run.
class ThroughputRun {
 public:
  ThroughputRun(rack::Rack& rack, const ThroughputOptions& options, uint64_t window,
                dpdk::StopSignal& stop)
      : rack_(rack), options_(options), stop_(stop), credit_(2, window) {
    // Recoverable messages have windows of their own.
    const bool windowed =
        options.pace.kind == Pace::Kind::kWindow && !options.pair.qos.recoverable();
    auto sender = std::make_unique<ThroughputSender>(rack.endpoint(kSenderNode), options,
                                                     windowed ? &credit_ : nullptr);
    auto receiver = std::make_unique<ThroughputReceiver>(rack.endpoint(kReceiverNode), options,
                                                         windowed ? &credit_ : nullptr);
    sender_ = sender.get();
    receiver_ = receiver.get();
    rack.set_application(kSenderNode, std::move(sender));
    rack.set_application(kReceiverNode, std::move(receiver));
  }

  // While the rack runs; stops it. A signal ends it early: the report is of what was done.
  [[nodiscard]] ThroughputReport measure() {
    sender_->send_until(kNoLimit);
    wait_s(options_.warm_up_s);
    if (options_.count != 0) settle();  // what is counted shall be of the measurement alone
    on_receiver([&] { receiver_->begin_intervals(rack_.clock().now_ns()); });
    Look begin = look();
    if (options_.count != 0) begin.at_ns = rack_.clock().now_ns();
    sender_->send_until(options_.count != 0 ? sender_->messages() + options_.count : kNoLimit);
    wait_for_end(begin);
    if (options_.count != 0) settle();
    const Look end = look();
    on_receiver([&] { receiver_->end_intervals(end.at_ns); });
    settle();
    rack_.stop();
    ThroughputReport report = report_of(begin, end);
    report.lost_packets = rack::account_of(rack_).receivers[kReceiverNode].losses;
    return report;
  }

 private:
  // Each half is read on the lcore it belongs to, at a time of its own.
  struct Look {
    uint64_t at_ns = 0;
    Delivered delivered;
    uint64_t packets = 0;
    uint64_t sent_at_ns = 0;
    uint64_t sent_messages = 0;
    uint64_t sent_packets = 0;
  };

  Look look() {
    Look now;
    on_receiver([&] {
      now.at_ns = rack_.clock().now_ns();
      now.delivered = receiver_->delivered();
      now.packets = rack_.endpoint(kReceiverNode).delivered_packets();
    });
    on(rack_.endpoint(kSenderNode).config().stages.rate_control, [&] {
      now.sent_at_ns = rack_.clock().now_ns();
      now.sent_messages = sender_->messages();
      now.sent_packets = rack_.endpoint(kSenderNode).sent_packets();
    });
    return now;
  }

  void wait_s(double seconds) { stop_.wait_ms(static_cast<uint64_t>(seconds * 1000)); }

  void wait_for_end(const Look& begin) {
    const uint64_t end_ns = options_.seconds > 0 ? begin.at_ns + ns_of(options_.seconds) : kNoLimit;
    const uint64_t last = begin.sent_messages + options_.count;
    while (!stop_.came()) {
      const uint64_t now_ns = rack_.clock().now_ns();
      if (now_ns >= end_ns || (options_.count != 0 && sender_->messages() >= last)) return;
      const uint64_t left_ms = (end_ns - now_ns) / 1'000'000 + 1;
      stop_.wait_ms(options_.count != 0 ? std::min<uint64_t>(left_ms, 20) : left_ms);
    }
  }

  void settle() {
    sender_->send_until(0);
    (void)rack::settle(rack_, stop_);
  }

  [[nodiscard]] ThroughputReport report_of(const Look& begin, const Look& end) const {
    ThroughputReport report;
    // A count is over when its last message has come, not when control noticed.
    const uint64_t end_ns = options_.count != 0 ? end.delivered.at_ns : end.at_ns;
    report.elapsed_s = seconds_between(begin.at_ns, end_ns);
    report.sent_elapsed_s = seconds_between(begin.sent_at_ns, end.sent_at_ns);
    report.messages = end.delivered.messages - begin.delivered.messages;
    report.bytes = end.delivered.bytes - begin.delivered.bytes;
    report.packets = end.packets - begin.packets;
    report.sent_messages = end.sent_messages - begin.sent_messages;
    report.sent_packets = end.sent_packets - begin.sent_packets;
    report.total_sent_messages = sender_->messages();
    report.total_messages = receiver_->messages();
    report.wrong_content = receiver_->wrong_content();
    report.window_timeouts = sender_->window_timeouts();
    const std::vector<Delivered>& marks = receiver_->intervals();
    for (size_t i = 1; i < marks.size(); ++i) {
      const double seconds = seconds_between(marks[i - 1].at_ns, marks[i].at_ns);
      if (seconds == 0) continue;
      report.intervals.push_back(
          {seconds_between(marks[0].at_ns, marks[i].at_ns),
           static_cast<double>(marks[i].messages - marks[i - 1].messages) / seconds,
           static_cast<double>(marks[i].bytes - marks[i - 1].bytes) * 8 / seconds});
    }
    return report;
  }

  static double seconds_between(uint64_t from_ns, uint64_t to_ns) {
    return to_ns > from_ns ? static_cast<double>(to_ns - from_ns) / 1e9 : 0;
  }
  static uint64_t ns_of(double seconds) { return static_cast<uint64_t>(seconds * 1e9); }

  void on(uint32_t lcore, const std::function<void()>& order) { rack_.loop(lcore).run_here(order); }
  void on_receiver(const std::function<void()>& order) {
    on(rack_.endpoint(kReceiverNode).config().stages.ordering, order);
  }

  rack::Rack& rack_;
  const ThroughputOptions& options_;
  dpdk::StopSignal& stop_;
  Credit credit_;
  ThroughputSender* sender_ = nullptr;      // the rack's
  ThroughputReceiver* receiver_ = nullptr;  // the rack's
};

}  // namespace

int run_throughput(const app::CommandLine& line, const ThroughputOptions& options) {
  const auto config = rack_of(options);
  if (!config) return std::fputs(config.error().c_str(), stderr), app::kExitUsage;
  if (options.pace.kind == Pace::Kind::kWindow && !on_one_lcore(config->endpoints[kReceiverNode])) {
    return complain("--pace window needs all stages of endpoint " +
                        config->endpoints[kReceiverNode].name +
                        " on one lcore; allowed with this configuration: none, or a rate",
                    app::kExitUsage);
  }
  if (const std::string missing = options.pair.plot.empty() ? "" : gnuplot_missing();
      !missing.empty()) {
    return complain(missing, app::kExitEnvironment);
  }
  dpdk::StopSignal stop;
  auto bench = BenchRack::create(line, *config, {rack::incarnation_now(), 0});
  if (!bench) return bench.error();
  ThroughputRun run(*bench->rack, options, window_of(*config), stop);
  if (auto started = bench->rack->start(); !started) {
    return complain(started.error().message, app::kExitEnvironment);
  }
  if (options.pair.qos.recoverable() && !await_receivers(*bench->rack, kSenderNode, 1, stop)) {
    return app::kExitEnvironment;
  }
  const ThroughputReport report = run.measure();
  print(text_of(report, options), options.pair.json);
  if (!write_file(json_of(report, options), options.pair.json) ||
      (!options.pair.histogram.empty() &&
       !write_file(hgrm_of(rates_of(report), 1), options.pair.histogram))) {
    return app::kExitEnvironment;
  }
  if (!draw_plot(plot_of(report, options), options.pair.plot)) return app::kExitEnvironment;
  return report.sound() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::bench
