// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <vector>

#include "../harness/histogram_file.h"
#include "../harness/sending.h"
#include "../harness/session.h"
#include "base/bytes.h"
#include "base/counter.h"
#include "rack/rack_account.h"
#include "throughput.h"

namespace lambdacast::bench {
namespace {

constexpr uint64_t kNoLimit = uint64_t{1} << 62;

// A message begins and ends with its sequence, as far as it has room for it.
bool holds_sequence(size_t bytes) { return bytes >= sizeof(uint64_t); }

class Sender final : public node::Stage {
 public:
  // credit: of the window pace, else null.
  Sender(rack::Endpoint& endpoint, const ThroughputOptions& options, const Credit* credit)
      : endpoint_(endpoint),
        fill_(options.fill),
        qos_(options.pair.qos.qos),
        lends_(!options.coalesce && options.payload_bytes <= endpoint.max_loan_bytes()),
        message_(options.payload_bytes),
        throttle_(credit, kSenderNode, options.pace.rate(), burst_of(endpoint)),
        loans_(endpoint) {
    for (size_t i = 0; i < message_.size(); ++i) message_[i] = static_cast<uint8_t>(i);
  }

  [[nodiscard]] const char* name() const override { return "application"; }

  uint32_t poll(uint64_t now_ns) override {
    uint64_t quota = quota_.load(std::memory_order_relaxed);
    if (!outgoing_.done()) quota = std::max(quota, messages_.get() + 1);  // what was begun is ended
    if (quota <= messages_.get()) return 0;
    // The window counts packets. A message is at most one of them if it shares one; those of a long
    // one wait in a link that is short against the window.
    const uint64_t allowance =
        std::min(throttle_.allowance(endpoint_.sent_packets(), now_ns), quota - messages_.get());
    if (allowance == 0) return 0;
    const uint32_t sent = lends_ ? publish(allowance) : send(allowance, now_ns);
    messages_.add(sent);
    throttle_.spend(sent);
    return sent;
  }

  // From any thread: sends until that many messages have gone in all. Less than have: nothing more.
  void send_until(uint64_t messages) { quota_.store(messages, std::memory_order_relaxed); }
  [[nodiscard]] uint64_t messages() const { return messages_.get(); }
  [[nodiscard]] uint64_t window_timeouts() const { return throttle_.timeouts(); }

 private:
  uint32_t publish(uint64_t most) {
    return loans_.publish(most, [this](dpdk::Loan& loan) {
      if (fill_ == Fill::kEach) {
        write_next();
        std::memcpy(loan.payload(), message_.data(), message_.size());
      }
      // Longer messages are sent, not lent.
      (void)loan.describe(message_.size(), kMessageGroup, qos_);
    });
  }

  uint32_t send(uint64_t most, uint64_t now_ns) {
    constexpr uint64_t kSendBatch = 256;  // messages a poll
    uint32_t sent = 0;
    for (most = std::min(most, kSendBatch); sent < most; ++sent) {
      if (outgoing_.done()) {
        if (fill_ == Fill::kEach) write_next();
        outgoing_ = node::Outgoing(message_, kMessageGroup, qos_);
      }
      if (endpoint_.publisher().send(outgoing_, now_ns) != node::SendResult::kSent) break;
    }
    return sent;
  }

  void write_next() {
    if (holds_sequence(message_.size())) {
      base::store_be64(message_.data(), next_);
      base::store_be64(message_.data() + message_.size() - sizeof next_, next_);
    }
    ++next_;
  }

  rack::Endpoint& endpoint_;
  const Fill fill_;
  const wire::Qos qos_;
  const bool lends_;              // a message each packet, written in place; else copied by send()
  std::vector<uint8_t> message_;  // the next one
  node::Outgoing outgoing_;       // of message_, by send()
  Throttle throttle_;
  Loans loans_;
  uint64_t next_ = 0;  // sequence of the next message to be written
  std::atomic<uint64_t> quota_{0};
  base::Counter messages_;
};

// What has been delivered by a time.
struct Delivered {
  uint64_t at_ns = 0;
  uint64_t messages = 0;
  uint64_t bytes = 0;
};

class Receiver final : public node::Stage {
 public:
  Receiver(rack::Endpoint& endpoint, const ThroughputOptions& options, Credit* credit)
      : endpoint_(endpoint),
        payload_bytes_(options.payload_bytes),
        checks_(options.fill == Fill::kEach),
        burst_(burst_of(endpoint)),
        credit_(credit) {
    intervals_.reserve(kMostIntervals + 1);
  }

  [[nodiscard]] const char* name() const override { return "application"; }

  uint32_t poll(uint64_t now_ns) override {
    uint64_t messages = 0;
    const uint32_t got = endpoint_.take_deliveries(
        burst_, node::MessageSink([&](const node::PacketInfo&, std::span<const uint8_t> message) {
          ++messages;
          bytes_ += message.size();
          if (checks_) check(message);
        }));
    if (got != 0) {
      messages_.add(messages);
      last_ns_ = now_ns;
    }
    if (credit_ != nullptr) give_credit();
    if (now_ns >= next_interval_ns_ && intervals_.size() < kMostIntervals) [[unlikely]] {
      intervals_.push_back({now_ns, messages_.get(), bytes_});
      next_interval_ns_ = now_ns + kIntervalNs;
    }
    return got;
  }

  [[nodiscard]] uint64_t messages() const { return messages_.get(); }  // from any thread
  // On its lcore, or while none runs.
  void begin_intervals(uint64_t now_ns) {
    intervals_.clear();
    next_interval_ns_ = now_ns;
  }
  void end_intervals(uint64_t now_ns) {
    intervals_.push_back({now_ns, messages_.get(), bytes_});
    next_interval_ns_ = ~uint64_t{0};
  }
  [[nodiscard]] Delivered delivered() const { return {last_ns_, messages_.get(), bytes_}; }
  // What had been delivered when each began, and at the end.
  [[nodiscard]] const std::vector<Delivered>& intervals() const { return intervals_; }
  [[nodiscard]] uint64_t wrong_content() const { return wrong_content_; }

 private:
  static constexpr uint64_t kIntervalNs = 10'000'000;
  static constexpr size_t kMostIntervals = 100'000;

  // For the frames that have left the ring, whatever has become of them.
  void give_credit() {
    const uint64_t received = endpoint_.received_frames();
    if (received == credited_) return;
    credited_ = received;
    credit_->taken(kReceiverNode, kSenderNode, received);
  }

  void check(std::span<const uint8_t> message) {
    bool right = message.size() == payload_bytes_;
    if (right && holds_sequence(message.size())) {
      const uint64_t sequence = base::load_be64(message.data());
      right = sequence >= next_ &&
              base::load_be64(message.data() + message.size() - sizeof sequence) == sequence;
      if (right) next_ = sequence + 1;
    }
    if (!right) [[unlikely]]
      ++wrong_content_;
  }

  rack::Endpoint& endpoint_;
  const uint32_t payload_bytes_;
  const bool checks_;
  const uint32_t burst_;
  Credit* const credit_;
  uint64_t credited_ = 0;  // frames
  uint64_t next_ = 0;      // the sequence expected next: what comes may only be later
  uint64_t bytes_ = 0;
  uint64_t last_ns_ = 0;  // of a delivery
  uint64_t wrong_content_ = 0;
  uint64_t next_interval_ns_ = ~uint64_t{0};
  std::vector<Delivered> intervals_;
  base::Counter messages_;
};

// A sender, a receiver and the course of a run.
class Course {
 public:
  Course(Session& session, const ThroughputOptions& options)
      : session_(session), options_(options), credit_(2, session.window()) {
    Credit* const credit = options.pace.windowed(options.pair.qos) ? &credit_ : nullptr;
    sender_ = session.add<Sender>(kSenderNode, options, credit);
    receiver_ = session.add<Receiver>(kReceiverNode, options, credit);
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
  Sender* sender_ = nullptr;      // the rack's
  Receiver* receiver_ = nullptr;  // the rack's
};

}  // namespace

int run(const app::CommandLine& line, const ThroughputOptions& options) {
  const auto session = Session::open(line, rack_of(options), options.pair.output);
  if (!session) return session.error();
  Course course(**session, options);
  if (!(*session)->start()) return app::kExitEnvironment;
  if (options.pair.qos.recoverable() && !(*session)->await_receivers(kSenderNode, 1))
    return app::kExitEnvironment;
  const ThroughputReport report = course.measure();
  return tell(readings_of(report, options), report.sound(), options.pair.output,
              {{options.pair.output.histogram, hgrm_of(rates_of(report), 1)}},
              plot_of(report, options));
}

}  // namespace lambdacast::bench
