// SPDX-License-Identifier: BSD-3-Clause
// The program around a peer: paces a sender, keeps a receiver's account, prints one line of JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "message.h"
#include "options.h"
#include "peer.h"
#include "recorder.h"

namespace lambdacast::peers {
namespace {

constexpr uint64_t kWarmUpRate = 5'000;
constexpr uint64_t kEndEveryNs = 5'000'000;  // the end is said again and again: it may be lost
constexpr double kNsPerSecond = 1e9;
constexpr int kFailed = 1;

uint64_t to_ns(double seconds) { return static_cast<uint64_t>(seconds * kNsPerSecond); }

class Sending {
 public:
  Sending(Sender& sender, uint32_t bytes) : sender_(sender), message_(bytes) {
    for (size_t i = 0; i < message_.size(); ++i) message_[i] = static_cast<std::byte>(i);
  }

  // Messages 0, 1, ... until `end_ns` or `count`; returns how many.
  uint64_t run(Kind kind, uint64_t rate, uint64_t end_ns, uint64_t count) {
    const uint64_t begin_ns = now_ns();
    uint64_t number = 0;
    for (; count == 0 || number < count; ++number) {
      if (rate != 0) wait_until(begin_ns + due_ns(number, rate));
      const uint64_t sent_ns = now_ns();
      if (end_ns != 0 && sent_ns >= end_ns) break;
      if (!send(kind, number, sent_ns, end_ns)) break;
      if (rate != 0) sender_.flush();
    }
    sender_.flush();
    return number;
  }

  // Says how many there were, and lets the library repair meanwhile.
  void end(uint64_t sent, uint64_t until_ns) {
    for (uint64_t at = now_ns(); at < until_ns; at += kEndEveryNs) {
      send(Kind::kEnd, sent, now_ns(), now_ns() + kEndEveryNs);
      sender_.flush();
      wait_until(at + kEndEveryNs);
    }
  }

 private:
  static uint64_t due_ns(uint64_t number, uint64_t rate) {
    return static_cast<uint64_t>(static_cast<double>(number) * kNsPerSecond /
                                 static_cast<double>(rate));
  }

  void wait_until(uint64_t at_ns) {
    sender_.serve();
    while (now_ns() < at_ns) {
      if (sender_.sleeps()) {
        std::this_thread::sleep_until(
            std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at_ns)));
      }
      sender_.serve();
    }
  }

  // A refused message is offered until its time is over, with the time of its first offer: what
  // it waits for the peer counts.
  bool send(Kind kind, uint64_t number, uint64_t sent_ns, uint64_t end_ns) {
    const Header header{kind, static_cast<uint32_t>(message_.size()), number, sent_ns};
    std::memcpy(message_.data(), &header, sizeof(header));
    while (!sender_.send(message_)) {
      sender_.serve();
      if (end_ns != 0 && now_ns() >= end_ns) return false;
    }
    return true;
  }

  Sender& sender_;
  std::vector<std::byte> message_;
};

void say(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump());
  std::fflush(stdout);
}

nlohmann::ordered_json account(const Recorder& recorder, uint64_t sent) {
  const base::Histogram& ns = recorder.latency_ns();
  return {{"sent", sent},
          {"received", recorder.received()},
          {"lost", sent - std::min(sent, recorder.received())},
          {"repeated", recorder.repeated()},
          {"out_of_order", recorder.out_of_order()},
          {"strange", recorder.strange()},
          {"ended", recorder.sent().has_value()},
          {"seconds", recorder.seconds()},
          {"messages_per_second", recorder.per_second()},
          {"min_ns", ns.min()},
          {"p50_ns", ns.value_at(0.5)},
          {"p99_ns", ns.value_at(0.99)},
          {"p999_ns", ns.value_at(0.999)},
          {"max_ns", ns.max()}};
}

void send_all(const Options& o) {
  const std::unique_ptr<Sender> sender = make_sender(o);
  Sending sending(*sender, o.bytes);
  sending.run(Kind::kWarmUp, kWarmUpRate, now_ns() + to_ns(o.warm_up_s), 0);
  const uint64_t begin_ns = now_ns();
  const uint64_t end_ns = o.seconds > 0 ? begin_ns + to_ns(o.seconds) : 0;
  const uint64_t sent = sending.run(Kind::kMeasured, o.rate, end_ns, o.count);
  const double seconds = static_cast<double>(now_ns() - begin_ns) / kNsPerSecond;
  nlohmann::ordered_json report = {
      {"peer", kPeerName},  {"role", "send"},
      {"bytes", o.bytes},   {"sent", sent},
      {"seconds", seconds}, {"messages_per_second", static_cast<double>(sent) / seconds}};
  const Recorder* const own = sender->own_deliveries();
  if (own == nullptr) say(report);  // before others have it all, for theirs is the account
  sending.end(sent, now_ns() + to_ns(o.linger_s));
  if (own == nullptr) return;
  report["own"] = account(*own, sent);
  say(report);
}

int receive_all(const Options& o) {
  const std::unique_ptr<Receiver> receiver = make_receiver(o);
  Recorder recorder(o.bytes);
  fmt::print(stderr, "ready\n");  // whoever starts the sender waits for this
  const uint64_t begin_ns = now_ns();
  while (!recorder.complete()) {
    receiver->poll(recorder);
    const uint64_t silent_ns = now_ns() - std::max(recorder.last_ns(), begin_ns);
    if (silent_ns > (to_ns(recorder.sent() ? o.quiet_s : o.deaf_s))) break;
  }
  nlohmann::ordered_json report = {{"peer", kPeerName}, {"role", "receive"}, {"bytes", o.bytes}};
  report.update(account(recorder, recorder.sent().value_or(0)));
  say(report);
  return recorder.sent() ? 0 : kFailed;
}

}  // namespace
}  // namespace lambdacast::peers

int main(int argc, char** argv) {
  namespace peers = lambdacast::peers;
  const peers::Options options = peers::parse_options(argc, argv);
  int code = 0;
  try {
    if (options.sends) {
      peers::send_all(options);
    } else {
      code = peers::receive_all(options);
    }
  } catch (const peers::Failure& failure) {
    fmt::print(stderr, "{}: {}\n", peers::kPeerName, failure.what);
    code = peers::kFailed;
  }
  // Libraries whose threads may be in the middle of something are not torn down.
  std::fflush(stdout);
  ::_exit(code);
}
