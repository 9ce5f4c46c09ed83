// SPDX-License-Identifier: BSD-3-Clause
// The course of a latency run: warm-up, the greatest rate if the rate follows from it, then slices
// of the endpoints and of the bare ports in turn, so that whatever else the machine does meets
// both.
#include <algorithm>
#include <functional>

#include "../harness/histogram_file.h"
#include "../harness/session.h"
#include "dpdk/clock.h"
#include "latency.h"
#include "latency_application.h"
#include "rack/rack_account.h"

namespace lambdacast::bench {
namespace {

constexpr double kSliceS = 0.25;
constexpr uint64_t kLeadMs = 5;     // from the order to the first message
constexpr uint64_t kQuietMs = 500;  // nothing has arrived for so long: nothing will
constexpr double kFloodS = 0.5;

double ticks_per_second() { return static_cast<double>(rte_get_tsc_hz()); }

// A bare loop takes a port from all its stages only if it stands in their own loop.
bool can_go_bare(rack::Rack& rack) {
  const config::StageLcores& sender = rack.endpoint(kSenderNode).config().stages;
  const config::StageLcores& receiver = rack.endpoint(kReceiverNode).config().stages;
  return on_one_lcore(sender) && on_one_lcore(receiver) && sender.receive != receiver.receive;
}

LatencySeries series_of(const LatencyRecorder& recorder, uint64_t sent) {
  return {recorder.sent_to_delivered(), recorder.due_to_delivered(), sent,
          recorder.repeated(),          recorder.strange(),          recorder.negative()};
}

class LatencyRun {
 public:
  // Sets the rack's applications: before it starts.
  LatencyRun(Session& session, const LatencyOptions& options)
      : session_(session),
        options_(options),
        one_way_(options.mode == LatencyMode::kOneWay),
        bare_(options.bare && can_go_bare(session.rack())),
        rate_(static_cast<double>(options.rate)),
        credit_(2, session.window()),
        full_recorder_(1e9 / ticks_per_second(), std::max(options.count, options.warm_up)),
        bare_recorder_(1e9 / ticks_per_second(), std::max(options.count, options.warm_up)),
        end_(full_recorder_, credit_),
        sender_(session.add<LatencySender>(kSenderNode, options.payload_bytes, options.pair.qos.qos,
                                           credit_, one_way_ ? nullptr : &end_)),
        receiver_(session.add<LatencyReceiver>(kReceiverNode, options.payload_bytes,
                                               options.pair.qos.qos, one_way_ ? &end_ : nullptr)) {}

  // While the rack runs; stops it. A signal ends it early: the report is of what was done.
  [[nodiscard]] LatencyReport measure();

 private:
  using Counter = std::function<uint64_t()>;

  [[nodiscard]] double measure_max_rate();
  [[nodiscard]] Schedule schedule(uint64_t first, uint64_t count) const;
  // Each returns the messages sent.
  uint64_t full_slice(uint64_t first, uint64_t count);
  uint64_t bare_slice(uint64_t first, uint64_t count);
  void wait_for(const Schedule& schedule, const Counter& sent, const Counter& received);
  // Where the recorders live.
  void at_end(const std::function<void()>& order) {
    session_.on(one_way_ ? kReceiverNode : kSenderNode, order);
  }
  void settle() { (void)rack::settle(session_.rack(), session_.signal()); }

  Session& session_;
  const LatencyOptions& options_;
  const bool one_way_;
  const bool bare_;
  double rate_;
  Credit credit_;
  LatencyRecorder full_recorder_;
  LatencyRecorder bare_recorder_;
  LatencyEnd end_;
  LatencySender* const sender_;      // the rack's
  LatencyReceiver* const receiver_;  // the rack's
};

LatencyReport LatencyRun::measure() {
  LatencyReport report;
  if (options_.half_max) {
    report.max_rate = measure_max_rate();
    rate_ = std::max(1.0, *report.max_rate / 2);
  }
  report.rate = rate_;
  (void)full_slice(0, options_.warm_up);
  if (bare_) (void)bare_slice(0, options_.warm_up);
  at_end([&] { full_recorder_.clear(), bare_recorder_.clear(); });

  const auto slice = std::max<uint64_t>(1, static_cast<uint64_t>(rate_ * kSliceS));
  uint64_t full_sent = 0;
  uint64_t bare_sent = 0;
  for (uint64_t first = 0; first < options_.count && !session_.stopped(); first += slice) {
    const uint64_t count = std::min(slice, options_.count - first);
    full_sent += full_slice(first, count);
    if (bare_) bare_sent += bare_slice(first, count);
  }
  session_.rack().stop();
  report.full = series_of(full_recorder_, full_sent);
  if (bare_) report.bare = series_of(bare_recorder_, bare_sent);
  for (const auto& receiver : rack::account_of(session_.rack()).receivers) {
    for (const auto& [reason, count] : receiver.losses) report.lost_packets[reason] += count;
  }
  return report;
}

double LatencyRun::measure_max_rate() {
  struct Look {
    uint64_t tsc, messages;
  };
  at_end([&] { end_.flood(true); });
  session_.on(kSenderNode, [&] { sender_->begin_flood(); });
  const auto [begin, end] = session_.measure(kFloodS / 5, kFloodS, [&] {
    return Look{dpdk::fenced_tsc(), end_.flooded()};
  });
  session_.on(kSenderNode, [&] { sender_->stop(); });
  settle();
  at_end([&] { end_.flood(false); });
  return static_cast<double>(end.messages - begin.messages) * ticks_per_second() /
         static_cast<double>(end.tsc - begin.tsc);
}

Schedule LatencyRun::schedule(uint64_t first, uint64_t count) const {
  const double lead_ticks = ticks_per_second() * kLeadMs / 1000;
  return {first, count, dpdk::fenced_tsc() + static_cast<uint64_t>(lead_ticks),
          ticks_per_second() / rate_};
}

uint64_t LatencyRun::full_slice(uint64_t first, uint64_t count) {
  const Schedule slice = schedule(first, count);
  const uint64_t sent_before = sender_->sent();
  const uint64_t received_before = full_recorder_.received();
  at_end([&] { full_recorder_.begin(slice); });
  session_.on(kSenderNode, [&] { sender_->begin(slice); });
  wait_for(
      slice, [&] { return sender_->sent() - sent_before; },
      [&] { return full_recorder_.received() - received_before; });
  session_.on(kSenderNode, [&] { sender_->stop(); });
  if (full_recorder_.received() - received_before != count) settle();
  return sender_->sent() - sent_before;
}

uint64_t LatencyRun::bare_slice(uint64_t first, uint64_t count) {
  BareSlice slice;
  slice.schedule = schedule(first, count);
  const uint64_t sent_before = sender_->bare().sent();
  const uint64_t received_before = bare_recorder_.received();
  at_end([&] { bare_recorder_.begin(slice.schedule); });
  session_.on(kReceiverNode,
              [&] { receiver_->begin_bare(slice, one_way_ ? &bare_recorder_ : nullptr); });
  session_.on(kSenderNode,
              [&] { sender_->begin_bare(slice, one_way_ ? nullptr : &bare_recorder_); });
  wait_for(
      slice.schedule, [&] { return sender_->bare().sent() - sent_before; },
      [&] { return bare_recorder_.received() - received_before; });
  slice.over.store(true);
  // Answered once the loops have left the slice, which then may go.
  session_.on(kReceiverNode, [] {});
  session_.on(kSenderNode, [] {});
  return sender_->bare().sent() - sent_before;
}

// Asleep for as long as the slice should take: control shares the lcores' processors.
void LatencyRun::wait_for(const Schedule& schedule, const Counter& sent, const Counter& received) {
  const double seconds =
      static_cast<double>(schedule.count) * schedule.interval_ticks / ticks_per_second();
  session_.signal().wait_ms(kLeadMs + static_cast<uint64_t>(seconds * 1000) + 1);
  while (sent() < schedule.count && !session_.stopped()) session_.signal().wait_ms(5);
  uint64_t seen = received();
  for (uint64_t quiet_ms = 0; seen < sent() && quiet_ms < kQuietMs;) {
    session_.signal().wait_ms(5);
    quiet_ms = received() == seen ? quiet_ms + 5 : 0;
    seen = received();
  }
}

// Every histogram, those beside the first as its name says.
std::vector<HistogramFile> histograms_of(const LatencyReport& report, const std::string& file) {
  if (file.empty()) return {};
  std::vector<HistogramFile> files = {
      {file, hgrm_of(report.full.sent_to_delivered, kNsPerUs)},
      {beside(file, "intended"), hgrm_of(report.full.due_to_delivered, kNsPerUs)}};
  if (report.bare)
    files.push_back({beside(file, "bare"), hgrm_of(report.bare->sent_to_delivered, kNsPerUs)});
  return files;
}

}  // namespace

int run(const app::CommandLine& line, const LatencyOptions& options) {
  const auto session = Session::open(line, rack_of(options), options.pair.output);
  if (!session) return session.error();
  LatencyRun course(**session, options);
  if (!(*session)->start()) return app::kExitEnvironment;
  const bool answers = options.mode == LatencyMode::kRoundTrip;
  if (options.pair.qos.recoverable() &&
      (!(*session)->await_receivers(kSenderNode, 1) ||
       (answers && !(*session)->await_receivers(kReceiverNode, 1)))) {
    return app::kExitEnvironment;
  }
  const LatencyReport report = course.measure();
  return tell(readings_of(report, options), report.sound(), options.pair.output,
              histograms_of(report, options.pair.output.histogram), plot_of(report, options));
}

}  // namespace lambdacast::bench
