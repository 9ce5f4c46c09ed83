// SPDX-License-Identifier: BSD-3-Clause
// Embeds endpoints with groups in a program: what polls them, and what runs the data path.
//
//   class Echo : public Application { ... groups().join("echo", *this) ... };
//   auto runtime = Runtime::open("rack.toml", argv[0]);
//   (*runtime)->add<Echo>(0, ...);
//   (*runtime)->start();  ...  (*runtime)->stop();
//
// An application lives on the ordering lcore of its endpoint: its handlers are called there, and
// there it joins and publishes. Other threads come in through Runtime::call(), or through mailboxes
// of the application's own (base/mailbox.h). doc/guide/embed.md has the whole.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "dpdk/eal.h"
#include "dpdk/stop_signal.h"
#include "node/stage.h"
#include "rack/endpoint.h"
#include "rack/incarnation.h"
#include "rack/rack.h"

namespace lambdacast::rack {

// The application of an endpoint. Without membership it has calls alone.
class Application : public node::Stage {
 public:
  explicit Application(Endpoint& endpoint) : endpoint_(endpoint) {}

  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t now_ns) final;

  // With membership.
  [[nodiscard]] dpdk::Groups& groups() { return *endpoint_.named_groups(); }
  [[nodiscard]] Endpoint& endpoint() { return endpoint_; }

 protected:
  // Is called once a poll, behind the deliveries, and publishes as a rule. It returns the number of
  // messages moved, so that an lcore that may sleep stays awake while there is work.
  virtual uint32_t tick(uint64_t now_ns) {
    (void)now_ns;
    return 0;
  }
  // A message of a group that has a number and no name.
  virtual void numbered(const node::PacketInfo& info, std::span<const uint8_t> message) {
    (void)info;
    (void)message;
  }
  // A view of the nodes. The views of groups come to their handlers.
  virtual void node_view(const node::ViewEvent& event) { (void)event; }

 private:
  Endpoint& endpoint_;
};

// EAL, the endpoints of a configuration file and their lcores.
class Runtime {
 public:
  // Reads the file, starts EAL (one a process) and opens all ports. Before any thread is made. The
  // error is for people: every problem of the file a line, or the endpoint without membership if
  // `members_only`.
  [[nodiscard]] static base::Result<std::unique_ptr<Runtime>> open(
      const std::string& config_file, const std::string& program,
      const std::vector<std::string>& eal_arguments = {}, bool members_only = true);
  ~Runtime();

  // The application of an endpoint, by its place in the file. Before start().
  template <typename A, typename... Arguments>
  A& add(size_t endpoint, Arguments&&... arguments) {
    auto made =
        std::make_unique<A>(rack_->endpoint(endpoint), std::forward<Arguments>(arguments)...);
    A& application = *made;
    rack_->set_application(endpoint, std::move(made));
    return application;
  }

  [[nodiscard]] base::Result<void> start() { return rack_->start(); }
  // Out of the view and off the lcores; ports closed.
  void stop() { rack_->stop(); }
  // Another incarnation of all endpoints, as if the process had been started again: for one that
  // was excluded from its view. The applications are gone; add() others, and start(). After an
  // error there is nothing to do but to end.
  [[nodiscard]] base::Result<void> begin_again();
  // Runs the task where the application of that endpoint runs, between two polls, and waits for it.
  void call(size_t endpoint, const std::function<void()>& task);

  // Notes for the operator: warnings about the file, and missing hugepages with the command that
  // mends it. They are whole lines, or empty.
  [[nodiscard]] const std::string& notes() const { return notes_; }

  [[nodiscard]] Rack& rack() { return *rack_; }
  // SIGINT and SIGTERM, which are blocked in every thread.
  [[nodiscard]] dpdk::StopSignal& stop_signal() { return stop_; }

 private:
  Runtime() = default;

  [[nodiscard]] base::Result<void> make_rack();

  config::Config config_;
  uint32_t incarnation_ = incarnation_now();
  std::string notes_;
  dpdk::StopSignal stop_;
  std::unique_ptr<dpdk::Eal> eal_;
  std::unique_ptr<Rack> rack_;  // gone before EAL
};

}  // namespace lambdacast::rack
