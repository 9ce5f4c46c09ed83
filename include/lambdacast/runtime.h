// SPDX-License-Identifier: BSD-3-Clause
// An endpoint with groups inside a program: what runs the data path, and what an application is.
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
// Plain C++: applications include it without the rest of the tree, and link with liblambdacast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lambdacast/group.h"
#include "lambdacast/qos.h"

namespace lambdacast {

namespace embed {
struct Core;
}

// The groups of one endpoint, for calls on its ordering lcore.
class Groups {
 public:
  [[nodiscard]] virtual Result join(std::string_view name, Handlers& handlers) = 0;
  // Handlers::ended() follows, behind what was published before.
  [[nodiscard]] virtual Result leave(std::string_view name) = 0;
  // The message is copied. A member of the group may publish, and so may anyone else. `completion`
  // gets `token` once the message is stable. Delivery::group has the number of a named group.
  [[nodiscard]] virtual Result publish(std::string_view group, std::span<const uint8_t> message,
                                       Qos qos, Completion* completion, uint64_t token) = 0;
  [[nodiscard]] virtual Result publish(uint32_t group, std::span<const uint8_t> message, Qos qos,
                                       Completion* completion, uint64_t token) = 0;

  template <typename Group>  // its name, or (quicker) its number
  [[nodiscard]] Result publish(const Group& group, std::span<const uint8_t> message, Qos qos) {
    return publish(group, message, qos, nullptr, 0);
  }

 protected:
  ~Groups() = default;
};

// The application of one endpoint.
class Application {
 public:
  explicit Application(Groups& groups) : groups_(groups) {}
  virtual ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  [[nodiscard]] Groups& groups() { return groups_; }

  // Once a poll, behind the deliveries: to publish, as a rule. Returns the messages moved, so that
  // an lcore that may sleep does not while there is work.
  virtual uint32_t tick(uint64_t now_ns);

 private:
  Groups& groups_;
};

// EAL, the endpoints of a configuration file and their lcores: one a process.
class Runtime {
 public:
  // Reads the file, starts EAL and opens all ports. Before any thread is made. Null: `problem` says
  // for people what is wrong, every problem of the file a line. Every endpoint of the file needs
  // enabled = true in its [endpoint.membership].
  [[nodiscard]] static std::unique_ptr<Runtime> open(
      const std::string& config_file, const std::string& program, std::string& problem,
      const std::vector<std::string>& eal_arguments = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] size_t endpoints() const;

  // Makes the application of an endpoint, by its place in the file: A(Groups&, arguments...).
  // Before start(). std::out_of_range: the file has no such endpoint. std::logic_error: started.
  template <typename A, typename... Arguments>
  A& add(size_t endpoint, Arguments&&... arguments) {
    auto made = std::make_unique<A>(groups(endpoint), std::forward<Arguments>(arguments)...);
    A& application = *made;
    attach(endpoint, std::move(made));
    return application;
  }

  // False: `problem` says what is wrong.
  [[nodiscard]] bool start(std::string& problem);
  // Out of the view and off the lcores; ports closed.
  void stop();
  // Another incarnation of all endpoints, as if the process had been started again: for one that
  // was excluded from its view. The applications are gone; add() others, and start(). After a
  // problem there is nothing to do but to end.
  [[nodiscard]] bool begin_again(std::string& problem);
  // Runs the task where the application of that endpoint runs, between two polls, and waits for it.
  // std::out_of_range: the file has no such endpoint.
  void call(size_t endpoint, const std::function<void()>& task);

  // What a person should know: warnings of the file, hugepages that are missing and the command
  // that mends it. Empty, or whole lines.
  [[nodiscard]] const std::string& notes() const;

  // SIGINT and SIGTERM are blocked in every thread and taken here. True once one has come.
  [[nodiscard]] bool stop_came() const;
  // Waits for one of them, at most that long. True once one has come.
  bool wait_ms(uint64_t milliseconds);
  // The same, or until there is input at `fd` (or its end): true then.
  [[nodiscard]] bool wait_input_ms(int fd, uint64_t milliseconds);

 private:
  explicit Runtime(std::unique_ptr<embed::Core> core);
  [[nodiscard]] Groups& groups(size_t endpoint);
  void attach(size_t endpoint, std::unique_ptr<Application> application);

  std::unique_ptr<embed::Core> core_;
};

}  // namespace lambdacast
