// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../harness/session.h"
#include "base/bytes.h"
#include "base/counter.h"
#include "calls.h"
#include "dpdk/clock.h"
#include "group/handlers.h"
#include "rack/application.h"

namespace lambdacast::bench {
namespace {

constexpr uint32_t kHeldLock = 0;
constexpr uint32_t kFreeLock = 1;
constexpr uint64_t kPatienceMs = 60'000;

enum class Phase : uint8_t {
  kNothing,
  kMessages,      // one majority message at a time
  kInside,        // one call at a time
  kOutside,       // the same of the endpoint outside the view
  kGrants,        // a free lock, again and again
  kManyMessages,  // majority messages as fast as they are taken
  kManyCalls,
  kPaced,       // majority messages at kPacedPerSecond
  kLongAnswers  // the same, and one call at a time with a long answer
};
constexpr size_t kPhases = 9;
constexpr uint64_t kPacedNs = 1'000'000'000 / kPacedPerSecond;

// A byte of a long answer.
constexpr uint8_t byte_at(size_t at) { return static_cast<uint8_t>(at * 31 + (at >> 12)); }

// Shared by the nodes; control writes the phase, the holder what it has seen.
struct CallsRun {
  CallsRoles roles;
  uint32_t outside = ~0u;  // node
  uint32_t under_way = 64;
  uint32_t answer_bytes = 0;
  std::shared_ptr<const std::vector<uint8_t>> answer;  // a long one
  std::atomic<Phase> phase{Phase::kNothing};
  std::atomic<bool> held{false};
  std::atomic<uint64_t> seen{0};  // messages that the holder has delivered
};

using Times = std::vector<uint64_t>;

uint64_t quantile_of(Times times, double part) {
  if (times.empty()) return 0;
  std::ranges::sort(times);
  return times[static_cast<size_t>(static_cast<double>(times.size()) * part)];
}
uint64_t median_of(Times times) { return quantile_of(std::move(times), 0.5); }

class CallsApplication final : public rack::Application,
                               private group::Handlers,
                               private group::CallHandler {
 public:
  CallsApplication(rack::Endpoint& endpoint, CallsRun& run, uint32_t node,
                   const dpdk::TscClock& clock)
      : Application(endpoint), run_(run), node_(node), clock_(clock) {}

  // From any thread.
  [[nodiscard]] uint64_t views() const { return views_.get(); }
  [[nodiscard]] uint64_t ended_calls() const { return ended_.get(); }
  [[nodiscard]] uint64_t answered_calls() const { return answered_.get(); }
  [[nodiscard]] uint64_t long_answers() const { return long_answers_.get(); }
  [[nodiscard]] uint64_t spoiled() const { return spoiled_.get(); }
  [[nodiscard]] bool idle() const { return called_.get() == ended_.get(); }
  [[nodiscard]] bool member() const { return member_.load(std::memory_order_acquire); }
  // On this node's lcore: what was measured since the last time.
  [[nodiscard]] Times take(Phase phase) { return std::exchange(times_[size_t(phase)], {}); }
  [[nodiscard]] Times take_hops() { return std::exchange(hops_, {}); }

 private:
  [[nodiscard]] bool is_caller() const { return node_ == run_.roles.caller; }
  [[nodiscard]] bool is_outside() const { return node_ == run_.outside; }

  uint32_t tick(uint64_t) override {
    if (!joined_ && !is_caller() && !is_outside())
      joined_ = groups().join(kCallsGroup, *this) == group::Result::kOk;
    if (member() && node_ == run_.roles.holder && !asked_for_held_)
      asked_for_held_ = groups().acquire(kCallsGroup, kHeldLock, false) == group::Result::kOk;
    while (!owed_.empty() && give(owed_.front())) owed_.pop_front();
    const Phase phase = run_.phase.load(std::memory_order_acquire);
    if (is_caller()) return call_or_publish(phase);
    if (is_outside() && phase == Phase::kOutside && begun_.empty()) call();
    if (node_ == run_.roles.locker) lock(phase);
    return 0;
  }
  void node_view(const node::ViewEvent&) override { views_.add(1); }

  // --- the caller -----------------------------------------------------------------------------
  uint32_t call_or_publish(Phase phase) {
    uint32_t moved = 0;
    if (phase == Phase::kMessages && sent_ == run_.seen.load(std::memory_order_acquire))
      moved += publish() ? 1 : 0;
    if (phase == Phase::kManyMessages) {
      while (moved < 64 && publish()) ++moved;
    }
    const bool paced = phase == Phase::kPaced || phase == Phase::kLongAnswers;
    if (!paced) next_ns_ = 0;
    if (paced) moved += publish_what_is_due();
    const bool one = phase == Phase::kInside || phase == Phase::kLongAnswers;
    const size_t most = one ? 1 : phase == Phase::kManyCalls ? run_.under_way : 0;
    while (begun_.size() < most && call(phase == Phase::kLongAnswers ? run_.answer_bytes : 0))
      ++moved;
    return moved;
  }
  // A message that is late counts from when it was due.
  uint32_t publish_what_is_due() {
    uint32_t moved = 0;
    const uint64_t now_ns = clock_.now_ns();
    if (next_ns_ == 0) next_ns_ = now_ns;
    for (; next_ns_ <= now_ns && publish(next_ns_); next_ns_ += kPacedNs) ++moved;
    return moved;
  }
  bool publish() { return publish(clock_.now_ns()); }
  bool publish(uint64_t at_ns) {
    std::array<uint8_t, 8> stamp;
    base::store_be64(stamp.data(), at_ns);
    if (groups().publish(kCallsGroup, stamp, wire::Qos::kMajority) != group::Result::kOk)
      return false;
    ++sent_;
    return true;
  }
  // For an answer of so many bytes; 0: for the answerer's time.
  bool call(uint32_t answer_bytes = 0) {
    const group::CallOptions options{.handler = kHeldLock,
                                     .timeout_ns = 60'000'000'000,
                                     .most_answer_bytes = std::max(answer_bytes, 8u)};
    const uint64_t token = ++token_;
    const uint64_t now_ns = clock_.now_ns();
    std::array<uint8_t, 4> bytes;
    base::store_be32(bytes.data(), answer_bytes);
    const std::span<const uint8_t> message(bytes.data(), answer_bytes == 0 ? 0 : bytes.size());
    const group::Result result =
        is_outside() ? endpoint().caller()->call(kCallsGroup, message, options, this, token)
                     : groups().call(kCallsGroup, message, options, this, token);
    if (result != group::Result::kOk) return false;
    called_.add(1);
    begun_.emplace(token, now_ns);
    return true;
  }
  void answered(uint64_t, const wire::StreamName&, std::span<const uint8_t> answer) override {
    if (answer.size() == 8)
      return hops_.push_back(clock_.now_ns() - base::load_be64(answer.data()));
    bool whole = answer.size() == run_.answer_bytes;
    // A sample of each packet of the first one, which comes before anything is measured. As much of
    // each would hold up what is paced: later ones have a smaller sample, another one each time.
    const size_t before = long_answers_.get();
    const size_t stride = before == 0 ? 512 : 1 << 16;
    for (size_t at = before * 4'099 % stride; at < answer.size(); at += stride)
      whole &= answer[at] == byte_at(at);
    (whole ? long_answers_ : spoiled_).add(1);
  }
  void ended(uint64_t token, const group::Outcome& outcome) override {
    ended_.add(1);
    if (outcome.what == group::Outcome::What::kAnswered) answered_.add(1);
    const auto begun = begun_.find(token);
    const Phase now = run_.phase.load(std::memory_order_acquire);
    const Phase phase = is_outside()                 ? Phase::kOutside
                        : begun_.size() > 1          ? Phase::kManyCalls
                        : now == Phase::kLongAnswers ? now
                                                     : Phase::kInside;
    times_[size_t(phase)].push_back(clock_.now_ns() - begun->second);
    begun_.erase(begun);
  }

  // --- the holder -----------------------------------------------------------------------------
  void delivered(const group::Delivery&, std::span<const uint8_t> message) override {
    if (node_ != run_.roles.holder || message.size() != 8) return;
    times_[size_t(Phase::kMessages)].push_back(clock_.now_ns() - base::load_be64(message.data()));
    run_.seen.fetch_add(1, std::memory_order_release);
  }
  void requested(const group::Request& request, std::span<const uint8_t> message) override {
    const Owed owed{request.ticket, message.size() == 4};
    if (request.answers && !give(owed)) owed_.push_back(owed);
  }
  struct Owed {
    uint64_t ticket = 0;
    bool is_long = false;
  };
  bool give(const Owed& owed) {
    std::array<uint8_t, 8> stamp;
    base::store_be64(stamp.data(), clock_.now_ns());
    const group::Content answer =
        owed.is_long ? group::Content(*run_.answer, run_.answer) : group::Content(stamp);
    return groups().answer(owed.ticket, answer) != group::Result::kAgain;
  }

  // --- locks ----------------------------------------------------------------------------------
  void lock(Phase phase) {
    if (token_of_free_) {
      const bool given =
          groups().release(kCallsGroup, kFreeLock, *token_of_free_, nullptr) == group::Result::kOk;
      if (given) token_of_free_.reset(), freeing_ = true;
    } else if (phase == Phase::kGrants && !asked_ns_ && !freeing_ && member()) {
      const uint64_t now_ns = clock_.now_ns();
      if (groups().acquire(kCallsGroup, kFreeLock, false) == group::Result::kOk) asked_ns_ = now_ns;
    }
  }
  void handler(const group::HandlerEvent& event) override {
    if (event.handler == kHeldLock && event.own) run_.held.store(true, std::memory_order_release);
    if (event.handler != kFreeLock || node_ != run_.roles.locker) return;
    if (event.own) {
      if (asked_ns_) times_[size_t(Phase::kGrants)].push_back(clock_.now_ns() - *asked_ns_);
      asked_ns_.reset();
      token_of_free_ = event.token;
    } else {
      freeing_ = false;
    }
  }
  void view(const group::GroupView&) override { member_.store(true, std::memory_order_release); }
  void ended(group::End) override {}

  CallsRun& run_;
  const uint32_t node_;
  const dpdk::TscClock& clock_;
  bool joined_ = false;
  bool asked_for_held_ = false;
  std::atomic<bool> member_{false};
  uint64_t sent_ = 0;
  uint64_t token_ = 0;
  std::map<uint64_t, uint64_t> begun_;  // calls under way, by token
  std::deque<Owed> owed_;
  uint64_t next_ns_ = 0;  // of the next paced message; 0: of none
  std::optional<group::FencingToken> token_of_free_;
  std::optional<uint64_t> asked_ns_;
  bool freeing_ = false;
  std::array<Times, kPhases> times_;
  Times hops_;
  base::Counter views_;
  base::Counter ended_;
  base::Counter answered_;
  base::Counter long_answers_;
  base::Counter spoiled_;
  base::Counter called_;
};

class CallsBench {
 public:
  CallsBench(const CallsOptions& options, Session& session) : options_(options), session_(session) {
    run_.roles = roles_of(options);
    run_.under_way = options.under_way;
    // What else is in a message of the most bytes is in front of it.
    if (options.answer_mib != 0)
      run_.answer_bytes = (options.answer_mib << 20) - static_cast<uint32_t>(wire::kEnvelopeBytes);
    std::vector<uint8_t> answer;
    for (size_t at = 0; at < run_.answer_bytes; ++at) answer.push_back(byte_at(at));
    run_.answer = std::make_shared<const std::vector<uint8_t>>(std::move(answer));
    if (options.outside) run_.outside = options.rack.fabric.nodes;
    const uint32_t nodes = options.rack.fabric.nodes + (options.outside ? 1 : 0);
    for (uint32_t node = 0; node < nodes; ++node)
      applications_.push_back(
          session.add<CallsApplication>(node, run_, node, session.rack().clock()));
  }

  // While the rack runs; stops it. False, and has complained: the group does not come together.
  [[nodiscard]] bool measure() {
    const auto ready = [&] {
      return run_.held.load() && applications_[run_.roles.locker]->member();
    };
    if (!session_.await(kPatienceMs, ready)) {
      if (!session_.stopped())
        (void)complain("nobody holds the group's lock after 60 s", app::kExitFailed);
      return false;
    }
    for (uint32_t round = 0; round < options_.rounds && !session_.stopped(); ++round)
      report_.rounds.push_back(measure_round());
    for (uint32_t node = 0; node < options_.rack.fabric.nodes; ++node)
      report_.views += applications_[node]->views();
    session_.rack().stop();
    for (const CallsApplication* each : applications_) {
      report_.ended += each->ended_calls();
      report_.answered += each->answered_calls();
      report_.spoiled += each->spoiled();
    }
    return true;
  }
  [[nodiscard]] const CallsReport& report() const { return report_; }

 private:
  [[nodiscard]] CallsRound measure_round() {
    const CallsRoles& roles = run_.roles;
    CallsRound round;
    round.message_ns = median_in(Phase::kMessages, roles.holder, Phase::kMessages);
    round.inside_ns = median_in(Phase::kInside, roles.caller, Phase::kInside);
    session_.on(roles.caller,
                [&] { round.hop_ns = median_of(applications_[roles.caller]->take_hops()); });
    if (options_.outside)
      round.outside_ns = median_in(Phase::kOutside, run_.outside, Phase::kOutside);
    round.grant_ns = median_in(Phase::kGrants, roles.locker, Phase::kGrants);
    round.messages_s = rate_in(Phase::kManyMessages, [&] { return run_.seen.load(); });
    round.calls_s =
        rate_in(Phase::kManyCalls, [&] { return applications_[roles.caller]->answered_calls(); });
    if (options_.answer_mib != 0) measure_long_answers(round);
    return round;
  }
  void measure_long_answers(CallsRound& round) {
    const CallsRoles& roles = run_.roles;
    const auto p99 = [](Times times) { return quantile_of(std::move(times), 0.99); };
    round.paced_p99_ns = measure_in(Phase::kPaced, roles.holder, Phase::kMessages, p99);
    CallsApplication& caller = *applications_[roles.caller];
    const uint64_t before = caller.long_answers();
    round.amid_p99_ns = measure_in(Phase::kLongAnswers, roles.holder, Phase::kMessages, p99,
                                   [&] { return caller.long_answers() > before; });
    (void)session_.await(kPatienceMs, [&] { return caller.idle(); });
    session_.on(roles.caller, [&] { round.long_ns = median_of(caller.take(Phase::kLongAnswers)); });
  }

  // Leaves out what other phases have left over.
  [[nodiscard]] uint64_t median_in(Phase phase, uint32_t node, Phase of) {
    return measure_in(phase, node, of, median_of);
  }
  // At least until `enough`.
  template <typename Value>
  [[nodiscard]] uint64_t measure_in(
      Phase phase, uint32_t node, Phase of, Value&& value_of,
      const std::function<bool()>& enough = [] { return true; }) {
    const auto clear = [&] {
      session_.on(node, [&] {
        (void)applications_[node]->take(of);
        (void)applications_[node]->take_hops();
      });
    };
    run_.phase.store(phase);
    session_.pause_s(options_.warm_up);
    clear();
    session_.pause_s(options_.seconds);
    (void)session_.await(kPatienceMs, enough);
    uint64_t value = 0;
    session_.on(node, [&] { value = value_of(applications_[node]->take(of)); });
    rest();
    return value;
  }
  template <typename Count>
  [[nodiscard]] double rate_in(Phase phase, Count&& count) {
    run_.phase.store(phase);
    const auto look = [&] { return std::pair(count(), session_.now_ns()); };
    const auto [begin, end] = session_.measure(options_.warm_up, options_.seconds, look);
    rest();
    return per_second(end.first - begin.first, seconds_between(begin.second, end.second));
  }
  void rest() {
    run_.phase.store(Phase::kNothing);
    session_.pause_s(0.01);  // what is under way ends
  }

  const CallsOptions& options_;
  Session& session_;
  CallsRun run_;
  std::vector<CallsApplication*> applications_;
  CallsReport report_;
};

}  // namespace

int run(const app::CommandLine& line, const CallsOptions& options) {
  const auto session = Session::open(line, rack_of(options), options.output);
  if (!session) return session.error();
  CallsBench bench(options, **session);
  if (!(*session)->start() || !(*session)->await_all_receivers()) return app::kExitEnvironment;
  if (!bench.measure()) return app::kExitFailed;
  const CallsReport& report = bench.report();
  return tell(readings_of(report, options), report.sound(options), options.output);
}

}  // namespace lambdacast::bench
