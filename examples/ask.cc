// SPDX-License-Identifier: BSD-3-Clause
// A counter that answers calls. Every server of a group applies each request at its place in the
// order, and who holds the group's lock 0 answers. So the counter outlives the holder, and the next
// holder answers with the right sum.
//
//   ask CONFIG GROUP serve    a server, until its standard input ends
//   ask CONFIG GROUP call     calls from standard input, one a line:
//     add N                   adds a whole number, and answers the sum
//     get                     answers the sum
//     count N                 adds 1 so many times, many at a time, and tells what became of that
//
// A caller whose CONFIG has no membership is outside the view, and calls through its members.
//
// A caller prints the answer or what became of the call. It calls again by itself only if the
// request never will be delivered: an addition must not happen twice.
#include <lambdacast/runtime.h>
#include <lambdacast/text.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "line_input.h"

namespace lambdacast::examples {
namespace {

constexpr uint32_t kLock = 0;
constexpr int kPatienceMs = 3000;

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
std::string text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Server final : public Application, private Handlers {
 public:
  Server(Groups& groups, std::string group) : Application(groups), group_(std::move(group)) {}

  // All on the lcore, through Runtime::call.
  Result join() { return groups().join(group_, *this); }
  Result leave() { return groups().leave(group_); }
  [[nodiscard]] bool out() const { return out_; }
  [[nodiscard]] std::string take_news() { return std::exchange(news_, {}); }

  uint32_t tick(uint64_t) override {
    if (is_member_ && !asked_for_lock_) asked_for_lock_ = acquire();
    // What there was no room for stays, with its ticket.
    while (!answers_.empty()) {
      const auto& [ticket, answer] = answers_.front();
      if (groups().answer(ticket, bytes_of(answer)) == Result::kAgain) break;
      answers_.pop_front();
    }
    return 0;
  }

 private:
  bool acquire() { return groups().acquire(group_, kLock) == Result::kOk; }
  void delivered(const Delivery&, std::span<const uint8_t>) override {}
  void requested(const Request& request, std::span<const uint8_t> message) override {
    const std::string text = text_of(message);
    const bool adds = text.starts_with("add ");
    if (adds) sum_ += static_cast<uint64_t>(std::strtoll(text.c_str() + 4, nullptr, 10));
    const bool known = adds || text == "get";
    std::string answer = known ? std::to_string(static_cast<int64_t>(sum_)) : "add N, or get";
    if (request.answers) {
      answers_.emplace_back(request.ticket, std::move(answer));
    } else if (request.ticket != 0) {  // should the holder be killed
      (void)groups().keep(request.ticket, bytes_of(answer));
    }
  }
  void view(const GroupView&) override { is_member_ = true; }
  void handler(const HandlerEvent& event) override {
    if (event.own) news_ += "answers\n";
    if (event.what == HandlerEvent::What::kQueued) news_ += "waits\n";
  }
  void snapshot(std::vector<uint8_t>& out) override {
    for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(sum_ >> shift));
  }
  void restore(std::span<const uint8_t> state) override {
    sum_ = 0;
    for (const uint8_t byte : state) sum_ = sum_ << 8 | byte;
  }
  void state_lost() override { sum_ = 0; }
  void ended(End) override { out_ = true; }

  const std::string group_;
  uint64_t sum_ = 0;                                      // in two's complement
  std::deque<std::pair<uint64_t, std::string>> answers_;  // by ticket
  std::string news_;
  bool is_member_ = false;
  bool asked_for_lock_ = false;
  bool out_ = false;
};

class Caller final : public Client, private CallHandler {
 public:
  Caller(Calls& calls, std::string group) : Client(calls), group_(std::move(group)) {}

  // All on the lcore, through Runtime::call.
  Result call(const std::string& text) {
    what_.reset();
    answer_.clear();
    const CallOptions options{.want = Want::kHolder, .handler = kLock};
    return calls().call(group_, bytes_of(text), options, this, 0);
  }
  void count(uint64_t times) { tally_ = {.left = times}; }
  [[nodiscard]] bool counted() const { return tally_.left == 0 && tally_.under_way == 0; }
  [[nodiscard]] std::string tally() const {
    return std::to_string(tally_.delivered) + " delivered, " + std::to_string(tally_.unknown) +
           " perhaps";
  }

  uint32_t tick(uint64_t) override {
    // Those under way are long of use to a member that comes for one that is killed.
    const CallOptions options{
        .want = Want::kHolder, .handler = kLock, .timeout_ns = 60'000'000'000};
    while (tally_.left != 0 && tally_.under_way < kAtATime) {
      if (calls().call(group_, bytes_of("add 1"), options, this, kCounting) != Result::kOk) break;
      --tally_.left;
      ++tally_.under_way;
    }
    return 0;
  }
  [[nodiscard]] bool over() const { return what_.has_value(); }
  [[nodiscard]] bool never_delivered() const { return delivered_ == Outcome::Delivered::kNo; }
  [[nodiscard]] std::string said() const {
    if (what_ == Outcome::What::kAnswered) return answer_;
    const char* const delivered =
        delivered_ == Outcome::Delivered::kYes ? "delivered" : "perhaps delivered";
    return std::string(text(*what_)) + "; " + (never_delivered() ? "not delivered" : delivered);
  }

 private:
  static constexpr uint64_t kCounting = 1;  // token
  static constexpr uint64_t kAtATime = 16;
  struct Tally {
    uint64_t left = 0;
    uint64_t under_way = 0;
    uint64_t delivered = 0;
    uint64_t unknown = 0;

    void end(Outcome::Delivered how) {
      --under_way;
      if (how == Outcome::Delivered::kYes) ++delivered;
      if (how == Outcome::Delivered::kNo) ++left;  // again
      if (how == Outcome::Delivered::kUnknown) ++unknown;
    }
  };

  void answered(uint64_t, const NodeName&, std::span<const uint8_t> answer) override {
    answer_ = text_of(answer);
  }
  void ended(uint64_t token, const Outcome& outcome) override {
    if (token == kCounting) return tally_.end(outcome.delivered);
    what_ = outcome.what;
    delivered_ = outcome.delivered;
  }

  const std::string group_;
  Tally tally_;
  std::string answer_;
  std::optional<Outcome::What> what_;
  Outcome::Delivered delivered_ = Outcome::Delivered::kUnknown;
};

template <typename Condition>
void await(Runtime& runtime, Condition&& condition, int most_ms = INT_MAX) {
  bool holds = false;
  for (int ms = 0; !holds && ms < most_ms && !runtime.stop_came(); ++ms) {
    runtime.call(0, [&] { holds = condition(); });
    if (!holds) runtime.wait_ms(1);
  }
}

std::string ask(Runtime& runtime, Caller& caller, const std::string& line) {
  if (line.starts_with("count ")) {
    runtime.call(0, [&] { caller.count(std::strtoull(line.c_str() + 6, nullptr, 10)); });
    await(runtime, [&] { return caller.counted(); });
    std::string told;
    runtime.call(0, [&] { told = caller.tally(); });
    return told;
  }
  for (int attempt = 0; attempt < 3 && !runtime.stop_came(); ++attempt) {
    Result result = Result::kAgain;
    const auto accepted = [&] {
      result = caller.call(line);
      return result != Result::kAgain && result != Result::kNotInView;
    };
    await(runtime, accepted, kPatienceMs);
    if (result != Result::kOk) return std::string(text(result));
    await(runtime, [&] { return caller.over(); });
    if (!caller.over() || !caller.never_delivered()) break;
  }
  return caller.over() ? caller.said() : "stopped";
}

void print(const std::string& text) {
  std::fputs(shown_lines(text).c_str(), stdout);
  std::fflush(stdout);
}

int run(const char* program, const char* config, const std::string& group, bool serves) {
  constexpr int kEnvironment = 3;
  std::string problem;
  const auto members = serves ? Runtime::Membership::kAll : Runtime::Membership::kSome;
  const std::unique_ptr<Runtime> runtime = Runtime::open(config, program, problem, {}, members);
  Server* const server = runtime && serves ? &runtime->add<Server>(0, group) : nullptr;
  Caller* const caller = runtime && !serves ? &runtime->add<Caller>(0, group) : nullptr;
  if (!runtime || !runtime->start(problem)) {
    std::fprintf(stderr, "ask: %s\n", shown_lines(problem).c_str());
    return kEnvironment;
  }
  if (server != nullptr) runtime->call(0, [&] { (void)server->join(); });
  for (LineInput input(*runtime); !input.over();) {
    const auto line = input.next(20);
    std::string said = line && caller != nullptr ? ask(*runtime, *caller, *line) + "\n" : "";
    if (server != nullptr) runtime->call(0, [&] { said += server->take_news(); });
    print(said);
  }
  if (server != nullptr) {
    runtime->call(0, [&] { (void)server->leave(); });
    await(
        *runtime, [&] { return server->out(); }, kPatienceMs);
  }
  runtime->stop();
  return 0;
}

}  // namespace
}  // namespace lambdacast::examples

int main(int argc, char** argv) {
  const bool serves = argc == 4 && std::strcmp(argv[3], "serve") == 0;
  if (argc != 4 || (!serves && std::strcmp(argv[3], "call") != 0)) {
    std::fprintf(stderr, "usage: ask CONFIG GROUP serve|call\n");
    return 2;
  }
  return lambdacast::examples::run(argv[0], argv[1], argv[2], serves);
}
