// SPDX-License-Identifier: BSD-3-Clause
// An endpoint with groups inside a program: Runtime runs the data path, and an application of the
// program is an Application on one of its endpoints.
//
//   class Echo : public Application { ... groups().join("echo", *this) ... };
//   std::string problem;
//   const auto runtime = Runtime::open("node.toml", argv[0], problem);
//   Echo& echo = runtime->add<Echo>(0);
//   runtime->start(problem);  ...  runtime->stop();
//
// An application lives on the ordering lcore of its endpoint: its handlers are called there, and
// there it joins and publishes. Other threads come in through Runtime::call().
//
// This is plain C++, which applications include without the rest of the tree. They link with
// liblambdacast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lambdacast/call.h"
#include "lambdacast/group.h"
#include "lambdacast/qos.h"

namespace lambdacast {

namespace embed {
struct Core;
}

// Calls of an endpoint to groups. They are made on its ordering lcore.
class Calls {
 public:
  // Calls the group: `handler` gets `token` with each answer and with the outcome. The message is
  // copied. Whoever is in the view may call without being a member of the group; who is in no view
  // calls through a member of the view (CallOptions::via), which needs a totally ordered level.
  // kAgain: there is no room, or as many calls are under way as requests.calls.
  [[nodiscard]] virtual Result call(std::string_view group, std::span<const uint8_t> message,
                                    const CallOptions& options, CallHandler* handler,
                                    uint64_t token) = 0;
  // The call is nobody's any more: neither answers nor an outcome follow.
  virtual void cancel(CallHandler& handler, uint64_t token) = 0;

 protected:
  ~Calls() = default;
};

// The groups of one endpoint with membership, for calls on its ordering lcore.
class Groups : public Calls {
 public:
  [[nodiscard]] virtual Result join(std::string_view name, Handlers& handlers,
                                    const JoinOptions& options) = 0;
  [[nodiscard]] Result join(std::string_view name, Handlers& handlers) {
    return join(name, handlers, JoinOptions{});
  }
  // Handlers::ended() follows behind all that was published before.
  [[nodiscard]] virtual Result leave(std::string_view name) = 0;
  // The message is copied. A member of the group may publish, and so may anyone else. `completion`
  // gets `token` once the message is stable. Delivery::group has the number of a named group.
  [[nodiscard]] virtual Result publish(std::string_view group, std::span<const uint8_t> message,
                                       Qos qos, Completion* completion, uint64_t token) = 0;
  [[nodiscard]] virtual Result publish(uint32_t group, std::span<const uint8_t> message, Qos qos,
                                       Completion* completion, uint64_t token) = 0;

  // Asks for the lock of a number in a group that this endpoint is a member of. The answer is a
  // Handlers::handler(). With `only_if_free` nobody waits for it. kAgain: there is no room, or as
  // many locks are held as membership.handlers.
  [[nodiscard]] virtual Result acquire(std::string_view group, uint32_t handler,
                                       bool only_if_free) = 0;
  [[nodiscard]] Result acquire(std::string_view group, uint32_t handler) {
    return acquire(group, handler, false);
  }
  // Gives back the lock that it holds by that token: to `heir` if that is a member with state, else
  // to who waits longest.
  [[nodiscard]] virtual Result release(std::string_view group, uint32_t handler,
                                       const FencingToken& token, const NodeName* heir) = 0;
  [[nodiscard]] Result release(std::string_view group, uint32_t handler,
                               const FencingToken& token) {
    return release(group, handler, token, nullptr);
  }
  // Waits no longer for a lock that others hold.
  [[nodiscard]] virtual Result withdraw(std::string_view group, uint32_t handler) = 0;
  // The token by which this endpoint holds the lock, as far as it knows; nothing while a view ends.
  // Others may know better, so that what is outside the group's order has to check tokens
  // (admits()).
  [[nodiscard]] virtual std::optional<FencingToken> holds(std::string_view group,
                                                          uint32_t handler) const = 0;

  // Answers a request that this endpoint is asked by, once. kAgain: there is no room, and the
  // ticket stays. kTooLong: more than the caller takes.
  [[nodiscard]] virtual Result answer(uint64_t ticket, const Content& message) = 0;
  // Says that no answer will come.
  [[nodiscard]] virtual Result decline(uint64_t ticket) = 0;
  // Keeps what the holder would answer, during a request that another endpoint is asked by. Should
  // this endpoint hold the lock when the caller repeats the request, and the one that was asked be
  // gone, it says that answer. It is forgotten as requests.answers_bytes are used up.
  [[nodiscard]] virtual Result keep(uint64_t ticket, const Content& message) = 0;

  // Group is a name, or a number, which is found sooner.
  template <typename Group>
  [[nodiscard]] Result publish(const Group& group, std::span<const uint8_t> message, Qos qos) {
    return publish(group, message, qos, nullptr, 0);
  }

 protected:
  ~Groups() = default;
};

// The part of a program that an endpoint polls.
class Polled {
 public:
  Polled() = default;
  virtual ~Polled();
  Polled(const Polled&) = delete;
  Polled& operator=(const Polled&) = delete;

  // Is called once a poll, behind the deliveries; most programs publish or call here. Returns the
  // messages that it moved. An lcore that may sleep does not sleep while that is not 0.
  virtual uint32_t tick(uint64_t now_ns);
};

// The application of one endpoint with membership.
class Application : public Polled {
 public:
  explicit Application(Groups& groups) : groups_(groups) {}
  ~Application() override;

  [[nodiscard]] Groups& groups() { return groups_; }

 private:
  Groups& groups_;
};

// The application of one endpoint that only calls groups, with membership or without.
class Client : public Polled {
 public:
  explicit Client(Calls& calls) : calls_(calls) {}
  ~Client() override;

  [[nodiscard]] Calls& calls() { return calls_; }

 private:
  Calls& calls_;
};

// Runs EAL, the endpoints of a configuration file and their lcores. A process has one at a time.
class Runtime {
 public:
  // Reads the file, starts EAL and opens all ports. Call it before the program makes threads.
  // Returns null if that fails, or if an endpoint that needs membership has none; `problem` then
  // says what is wrong, with a line for each problem of the file.
  enum class Membership : uint8_t { kAll, kSome };  // endpoints with enabled = true there
  [[nodiscard]] static std::unique_ptr<Runtime> open(
      const std::string& config_file, const std::string& program, std::string& problem,
      const std::vector<std::string>& eal_arguments = {}, Membership membership = Membership::kAll);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] size_t endpoints() const;

  // Makes the application A(Groups&, arguments...) of an endpoint, which its place in the file
  // names, or the Client A(Calls&, arguments...). Call it before start(). Throws std::out_of_range
  // if the file has no such endpoint, std::invalid_argument if an Application's has no membership
  // (enabled = true in its [endpoint.membership]), and std::logic_error behind start().
  template <typename A, typename... Arguments>
  A& add(size_t endpoint, Arguments&&... arguments) {
    auto made = make<A>(endpoint, std::forward<Arguments>(arguments)...);
    A& application = *made;
    attach(endpoint, std::move(made));
    return application;
  }

  // Returns false if it fails; `problem` then says what is wrong.
  [[nodiscard]] bool start(std::string& problem);
  // The endpoints leave their view, the lcores end, and the ports are closed.
  void stop();
  // Begins another incarnation of all endpoints, as if the process had been started again. A
  // program needs it when an endpoint was excluded from its view. The applications are gone: add()
  // others, and start(). If it fails the program can only end.
  [[nodiscard]] bool begin_again(std::string& problem);
  // Runs the task on the lcore of that endpoint's application, between two polls, and waits for it.
  // Throws std::out_of_range if the file has no such endpoint.
  void call(size_t endpoint, const std::function<void()>& task);

  // Notes for the operator: warnings about the file, and missing hugepages with the command that
  // mends it. They are whole lines, or empty.
  [[nodiscard]] const std::string& notes() const;

  // Has SIGINT or SIGTERM come? They are blocked in every thread, and taken here.
  [[nodiscard]] bool stop_came() const;
  // Waits for one of these signals, at most that long. Returns true once one has come.
  bool wait_ms(uint64_t milliseconds);
  // Waits in the same way, and for input at `fd` or its end as well: returns true if there is some.
  [[nodiscard]] bool wait_input_ms(int fd, uint64_t milliseconds);

 private:
  explicit Runtime(std::unique_ptr<embed::Core> core);
  template <typename A, typename... Arguments>
  [[nodiscard]] std::unique_ptr<A> make(size_t endpoint, Arguments&&... arguments) {
    if constexpr (std::is_base_of_v<Client, A>)
      return std::make_unique<A>(calls(endpoint), std::forward<Arguments>(arguments)...);
    else
      return std::make_unique<A>(groups(endpoint), std::forward<Arguments>(arguments)...);
  }
  [[nodiscard]] Groups& groups(size_t endpoint);
  [[nodiscard]] Calls& calls(size_t endpoint);
  void attach(size_t endpoint, std::unique_ptr<Polled> application);

  std::unique_ptr<embed::Core> core_;
};

}  // namespace lambdacast
