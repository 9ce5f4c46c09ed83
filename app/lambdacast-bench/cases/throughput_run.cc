// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>

#include "../harness/histogram_file.h"
#include "../harness/session.h"
#include "rack/rack_account.h"
#include "throughput.h"
#include "throughput_application.h"

namespace lambdacast::bench {
namespace {

constexpr uint64_t kNoLimit = uint64_t{1} << 62;

// A sender, a receiver and the course of a run.
class ThroughputRun {
 public:
  ThroughputRun(Session& session, const ThroughputOptions& options)
      : session_(session), options_(options), credit_(2, session.window()) {
    Credit* const credit = options.pace.windowed(options.pair.qos) ? &credit_ : nullptr;
    sender_ = session.add<ThroughputSender>(kSenderNode, options, credit);
    receiver_ = session.add<ThroughputReceiver>(kReceiverNode, options, credit);
  }

  // While the rack runs; stops it. A signal ends it early: the report is of what was done.
  [[nodiscard]] ThroughputReport measure() {
    sender_->send_until(kNoLimit);
    session_.pause_s(options_.warm_up_s);
    if (options_.count != 0) settle();  // what is counted shall be of the measurement alone
    session_.on(kReceiverNode, [&] { receiver_->begin_intervals(session_.now_ns()); });
    Look begin = look();
    if (options_.count != 0) begin.at_ns = session_.now_ns();
    sender_->send_until(options_.count != 0 ? sender_->messages() + options_.count : kNoLimit);
    wait_for_end(begin);
    if (options_.count != 0) settle();
    const Look end = look();
    session_.on(kReceiverNode, [&] { receiver_->end_intervals(end.at_ns); });
    settle();
    session_.rack().stop();
    ThroughputReport report = report_of(begin, end);
    report.lost_packets = rack::account_of(session_.rack()).receivers[kReceiverNode].losses;
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
    session_.on(kReceiverNode, [&] {
      now.at_ns = session_.now_ns();
      now.delivered = receiver_->delivered();
      now.packets = session_.rack().endpoint(kReceiverNode).delivered_packets();
    });
    rack::Endpoint& sender = session_.rack().endpoint(kSenderNode);
    session_.rack().loop(sender.config().stages.rate_control).run_here([&] {
      now.sent_at_ns = session_.now_ns();
      now.sent_messages = sender_->messages();
      now.sent_packets = sender.sent_packets();
    });
    return now;
  }

  void wait_for_end(const Look& begin) {
    const auto ns = static_cast<uint64_t>(options_.seconds * 1e9);
    const uint64_t end_ns = ns > 0 ? begin.at_ns + ns : kNoLimit;
    const uint64_t last = begin.sent_messages + options_.count;
    while (!session_.stopped()) {
      const uint64_t now_ns = session_.now_ns();
      if (now_ns >= end_ns || (options_.count != 0 && sender_->messages() >= last)) return;
      const uint64_t left_ms = (end_ns - now_ns) / 1'000'000 + 1;
      session_.signal().wait_ms(options_.count != 0 ? std::min<uint64_t>(left_ms, 20) : left_ms);
    }
  }

  void settle() {
    sender_->send_until(0);
    (void)rack::settle(session_.rack(), session_.signal());
  }

  [[nodiscard]] ThroughputReport report_of(const Look& begin, const Look& end) const {
    ThroughputReport report;
    // A count is over when its last message has come, not when control noticed.
    report.elapsed_s =
        seconds_between(begin.at_ns, options_.count != 0 ? end.delivered.at_ns : end.at_ns);
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
      report.intervals.push_back({seconds_between(marks[0].at_ns, marks[i].at_ns),
                                  per_second(marks[i].messages - marks[i - 1].messages, seconds)});
    }
    return report;
  }

  Session& session_;
  const ThroughputOptions& options_;
  Credit credit_;
  ThroughputSender* sender_ = nullptr;      // the rack's
  ThroughputReceiver* receiver_ = nullptr;  // the rack's
};

}  // namespace

int run(const app::CommandLine& line, const ThroughputOptions& options) {
  const auto session = Session::open(line, rack_of(options), options.pair.output);
  if (!session) return session.error();
  ThroughputRun course(**session, options);
  if (!(*session)->start()) return app::kExitEnvironment;
  if (options.pair.qos.recoverable() && !(*session)->await_receivers(kSenderNode, 1))
    return app::kExitEnvironment;
  const ThroughputReport report = course.measure();
  return tell(readings_of(report, options), report.sound(), options.pair.output,
              {{options.pair.output.histogram, hgrm_of(rates_of(report), 1)}},
              plot_of(report, options));
}

}  // namespace lambdacast::bench
