// SPDX-License-Identifier: BSD-3-Clause
#include "latency_run.h"

#include <algorithm>
#include <memory>

#include "dpdk/clock.h"
#include "rack/rack_account.h"

namespace lambdacast::bench {
namespace {

constexpr double kSliceS = 0.25;
constexpr uint64_t kLeadMs = 5;     // from the order to the first message
constexpr uint64_t kQuietMs = 500;  // nothing has arrived for so long: nothing will
constexpr uint64_t kFloodMs = 500;

double ticks_per_second() { return static_cast<double>(rte_get_tsc_hz()); }

// A bare loop takes a port from all its stages only if it stands in their own loop.
bool on_one_lcore(const config::Endpoint& endpoint) {
  const config::StageLcores& s = endpoint.stages;
  return s.receive == s.reliability && s.receive == s.ordering && s.receive == s.rate_control;
}

bool can_go_bare(rack::Rack& rack) {
  const auto& sender = rack.endpoint(kSenderNode).config();
  const auto& receiver = rack.endpoint(kReceiverNode).config();
  return on_one_lcore(sender) && on_one_lcore(receiver) &&
         sender.stages.receive != receiver.stages.receive;
}

LatencySeries series_of(const LatencyRecorder& recorder, uint64_t sent) {
  LatencySeries series;
  series.sent_to_delivered = recorder.sent_to_delivered();
  series.due_to_delivered = recorder.due_to_delivered();
  series.sent = sent;
  series.repeated = recorder.repeated();
  series.strange = recorder.strange();
  series.negative = recorder.negative();
  return series;
}

}  // namespace

LatencyRun::LatencyRun(rack::Rack& rack, const LatencyOptions& options, uint64_t window,
                       dpdk::StopSignal& stop)
    : rack_(rack),
      options_(options),
      stop_(stop),
      bare_(options.bare && can_go_bare(rack)),
      rate_(static_cast<double>(options.rate)),
      credit_(2, window),
      full_recorder_(1e9 / ticks_per_second(), std::max(options.count, options.warm_up)),
      bare_recorder_(1e9 / ticks_per_second(), std::max(options.count, options.warm_up)),
      end_(full_recorder_, credit_) {
  const bool one_way = options.mode == LatencyMode::kOneWay;
  auto sender =
      std::make_unique<LatencySender>(rack.endpoint(kSenderNode), options.payload_bytes,
                                      options.pair.qos.qos, credit_, one_way ? nullptr : &end_);
  auto receiver =
      std::make_unique<LatencyReceiver>(rack.endpoint(kReceiverNode), options.payload_bytes,
                                        options.pair.qos.qos, one_way ? &end_ : nullptr);
  sender_ = sender.get();
  receiver_ = receiver.get();
  rack.set_application(kSenderNode, std::move(sender));
  rack.set_application(kReceiverNode, std::move(receiver));
}

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
  for (uint64_t first = 0; first < options_.count && !stop_.came(); first += slice) {
    const uint64_t count = std::min(slice, options_.count - first);
    full_sent += full_slice(first, count);
    if (bare_) bare_sent += bare_slice(first, count);
  }
  rack_.stop();
  report.full = series_of(full_recorder_, full_sent);
  if (bare_) report.bare = series_of(bare_recorder_, bare_sent);
  for (const auto& receiver : rack::account_of(rack_).receivers) {
    for (const auto& [reason, count] : receiver.losses) report.lost_packets[reason] += count;
  }
  return report;
}

double LatencyRun::measure_max_rate() {
  at_end([&] { end_.flood(true); });
  on_sender([&] { sender_->begin_flood(); });
  stop_.wait_ms(kFloodMs / 5);
  const uint64_t begin_tsc = dpdk::fenced_tsc();
  const uint64_t begin = end_.flooded();
  stop_.wait_ms(kFloodMs);
  const uint64_t messages = end_.flooded() - begin;
  const uint64_t ticks = dpdk::fenced_tsc() - begin_tsc;
  on_sender([&] { sender_->stop(); });
  (void)rack::settle(rack_, stop_);
  at_end([&] { end_.flood(false); });
  return static_cast<double>(messages) * ticks_per_second() / static_cast<double>(ticks);
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
  on_sender([&] { sender_->begin(slice); });
  wait_for(
      slice, [&] { return sender_->sent() - sent_before; },
      [&] { return full_recorder_.received() - received_before; });
  on_sender([&] { sender_->stop(); });
  if (full_recorder_.received() - received_before != count) (void)rack::settle(rack_, stop_);
  return sender_->sent() - sent_before;
}

uint64_t LatencyRun::bare_slice(uint64_t first, uint64_t count) {
  BareSlice slice;
  slice.schedule = schedule(first, count);
  const bool one_way = options_.mode == LatencyMode::kOneWay;
  const uint64_t sent_before = sender_->bare().sent();
  const uint64_t received_before = bare_recorder_.received();
  at_end([&] { bare_recorder_.begin(slice.schedule); });
  on_receiver([&] { receiver_->begin_bare(slice, one_way ? &bare_recorder_ : nullptr); });
  on_sender([&] { sender_->begin_bare(slice, one_way ? nullptr : &bare_recorder_); });
  wait_for(
      slice.schedule, [&] { return sender_->bare().sent() - sent_before; },
      [&] { return bare_recorder_.received() - received_before; });
  slice.over.store(true);
  // Answered once the loops have left the slice, which then may go.
  on_receiver([] {});
  on_sender([] {});
  return sender_->bare().sent() - sent_before;
}

// Asleep for as long as the slice should take: control shares the lcores' processors.
void LatencyRun::wait_for(const Schedule& schedule, const Counter& sent, const Counter& received) {
  const double seconds =
      static_cast<double>(schedule.count) * schedule.interval_ticks / ticks_per_second();
  stop_.wait_ms(kLeadMs + static_cast<uint64_t>(seconds * 1000) + 1);
  while (sent() < schedule.count && !stop_.came()) stop_.wait_ms(5);
  uint64_t seen = received();
  for (uint64_t quiet_ms = 0; seen < sent() && quiet_ms < kQuietMs;) {
    stop_.wait_ms(5);
    quiet_ms = received() == seen ? quiet_ms + 5 : 0;
    seen = received();
  }
}

void LatencyRun::on_sender(const std::function<void()>& order) {
  rack_.loop(rack_.endpoint(kSenderNode).config().stages.ordering).run_here(order);
}

void LatencyRun::on_receiver(const std::function<void()>& order) {
  rack_.loop(rack_.endpoint(kReceiverNode).config().stages.ordering).run_here(order);
}

void LatencyRun::at_end(const std::function<void()>& order) {
  options_.mode == LatencyMode::kOneWay ? on_receiver(order) : on_sender(order);
}

}  // namespace lambdacast::bench
