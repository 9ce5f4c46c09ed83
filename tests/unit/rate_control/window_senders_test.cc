// SPDX-License-Identifier: BSD-3-Clause
// Senders with a congestion window at one receiver that takes less than they have: a model in
// virtual time, a microsecond a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "rate_control/share_bucket.h"
#include "rate_control/window.h"

namespace lambdacast::rate_control {
namespace window_senders_test {

constexpr uint64_t kUs = 1'000;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kFrame = 4'186;  // on the wire
constexpr uint64_t kLineBps = 10'000'000'000;

// A receiver that takes a rate, and has a buffer in front: what does not fit is lost.
class Bottleneck {
 public:
  Bottleneck(uint64_t bps, uint64_t buffer) : bps_(bps), buffer_(buffer) {}
  // When the frame that comes has been taken; 0: it is lost.
  uint64_t offer(uint64_t now_ns) {
    const uint64_t ahead_ns = free_ns_ > now_ns ? free_ns_ - now_ns : 0;
    if (ahead_ns * bps_ / 8'000'000'000 + kFrame > buffer_) return 0;
    return free_ns_ = now_ns + ahead_ns + kFrame * 8'000'000'000 / bps_;
  }

 private:
  const uint64_t bps_;
  const uint64_t buffer_;
  uint64_t free_ns_ = 0;
};

// One that always has more to send, and the receiver's account of its stream.
class Sender {
 public:
  Sender(uint64_t way_ns, uint64_t status_ns, uint64_t first_status_ns)
      : way_ns_(way_ns), status_ns_(status_ns), next_status_ns_(first_status_ns) {}

  void step(uint64_t now_ns, Bottleneck& receiver) {
    hear(now_ns);
    window_.look(now_ns);
    if (window_.revision() != revision_) bucket_.set(window_.limits(), now_ns);
    revision_ = window_.revision();
    while (window_.frames() != 0 && bucket_.allows(now_ns) && line_ns_ <= now_ns) {
      window_.sent(++last_, kFrame);
      bucket_.spend(kFrame);
      line_ns_ = std::max(line_ns_, now_ns) + kFrame * 8'000'000'000 / kLineBps;
      const uint64_t taken_ns = receiver.offer(now_ns + way_ns_);
      if (taken_ns != 0) taken_.push_back({taken_ns, last_, now_ns});
    }
    if (window_.frames() == 0) window_.refused(now_ns);
    take(now_ns);
  }
  [[nodiscard]] uint64_t sent() const { return last_; }
  [[nodiscard]] uint64_t received() const { return received_; }
  [[nodiscard]] const Window& window() const { return window_; }

 private:
  struct Taken {
    uint64_t at_ns;
    uint64_t position;
    uint64_t sent_ns;
  };
  struct Said {
    uint64_t at_ns;
    uint64_t heard_of;
    uint64_t losses;
    uint64_t round_trip_ns;
  };

  // The receiver takes what has come, and says how far it is.
  void take(uint64_t now_ns) {
    for (; !taken_.empty() && taken_.front().at_ns <= now_ns; taken_.pop_front()) {
      const Taken& frame = taken_.front();
      losses_ += frame.position - heard_of_ - 1;
      heard_of_ = frame.position;
      ++received_;
      const uint64_t trip_ns = frame.at_ns - frame.sent_ns + way_ns_;
      round_trip_ns_ = round_trip_ns_ == 0 ? trip_ns : (7 * round_trip_ns_ + trip_ns) / 8;
    }
    if (now_ns < next_status_ns_) return;
    next_status_ns_ += status_ns_;
    if (round_trip_ns_ != 0)
      said_.push_back({now_ns + way_ns_, heard_of_, losses_, round_trip_ns_});
  }
  void hear(uint64_t now_ns) {
    if (last_ == 0) window_.heard(0, {2 * way_ns_, way_ns_, status_ns_});
    for (; !said_.empty() && said_.front().at_ns <= now_ns; said_.pop_front()) {
      const Said& said = said_.front();
      window_.status(0, {1, said.heard_of, said.losses});
      window_.heard(said.heard_of, {said.round_trip_ns, said.round_trip_ns / 4, status_ns_});
    }
  }

  const uint64_t way_ns_;
  const uint64_t status_ns_;
  Window window_{{kFrame, 32, 1 << 16, 1}};
  ShareBucket bucket_;
  uint64_t revision_ = ~uint64_t{0};
  uint64_t last_ = 0;
  uint64_t line_ns_ = 0;
  std::deque<Taken> taken_;
  std::deque<Said> said_;
  // The receiver's.
  uint64_t heard_of_ = 0;
  uint64_t losses_ = 0;
  uint64_t received_ = 0;
  uint64_t round_trip_ns_ = 0;
  uint64_t next_status_ns_;
};

struct Case {
  size_t senders;
  uint64_t bps;
  uint64_t buffer;
  uint64_t way_ns;
  uint64_t status_ns;
};

class WindowSendersTest : public ::testing::TestWithParam<Case> {};

TEST_P(WindowSendersTest, all_flat_out__expect_fair_parts_of_it_all_and_few_losses) {
  const Case& of = GetParam();
  Bottleneck receiver(of.bps, of.buffer);
  std::vector<std::unique_ptr<Sender>> senders;
  for (size_t i = 0; i < of.senders; ++i)
    senders.push_back(
        std::make_unique<Sender>(of.way_ns, of.status_ns, i * of.status_ns / of.senders));
  constexpr uint64_t kBeginNs = 500 * kMs;
  constexpr uint64_t kEndNs = 2'000 * kMs;
  std::vector<uint64_t> sent(of.senders), received(of.senders);
  for (uint64_t now_ns = kUs; now_ns < kEndNs; now_ns += kUs) {
    for (size_t i = 0; i < of.senders; ++i) {
      senders[i]->step(now_ns, receiver);
      if (now_ns == kBeginNs) {
        sent[i] = senders[i]->sent();
        received[i] = senders[i]->received();
      }
    }
  }
  double sum = 0, squares = 0, all_sent = 0;
  for (size_t i = 0; i < of.senders; ++i) {
    const auto got = static_cast<double>(senders[i]->received() - received[i]);
    sum += got;
    squares += got * got;
    all_sent += static_cast<double>(senders[i]->sent() - sent[i]);
  }
  const double jain = sum * sum / (static_cast<double>(of.senders) * squares);
  const double seconds = static_cast<double>(kEndNs - kBeginNs) / 1e9;
  const double used = sum * kFrame * 8 / seconds / static_cast<double>(of.bps);
  const double dropped = (all_sent - sum) / all_sent;
  RecordProperty("jain", std::to_string(jain));
  RecordProperty("used", std::to_string(used));
  RecordProperty("dropped", std::to_string(dropped));
  EXPECT_GE(jain, 0.9);
  EXPECT_GE(used, 0.85);
  EXPECT_LE(dropped, 0.02);
  for (const auto& sender : senders) EXPECT_EQ(sender->window().report().counters.timeouts, 0);
}

INSTANTIATE_TEST_SUITE_P(cases, WindowSendersTest,
                         ::testing::Values(Case{2, 1'000'000'000, 262'144, 10 * kUs, 100 * kUs},
                                           Case{4, 1'000'000'000, 262'144, 10 * kUs, 100 * kUs},
                                           Case{2, 1'000'000'000, 262'144, 10 * kUs, 1'000 * kUs},
                                           Case{4, 2'000'000'000, 524'288, 100 * kUs, 200 * kUs}));

}  // namespace window_senders_test
}  // namespace lambdacast::rate_control
