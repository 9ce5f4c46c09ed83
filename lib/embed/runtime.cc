// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/runtime.h"

#include <stdexcept>

#include "rack/application.h"

namespace lambdacast {
namespace embed {

class EndpointGroups final : public Groups {
 public:
  explicit EndpointGroups(dpdk::Groups& groups) : groups_(groups) {}

  Result join(std::string_view name, Handlers& handlers, const JoinOptions& options) override {
    return groups_.join(name, handlers, options);
  }
  Result leave(std::string_view name) override { return groups_.leave(name); }
  Result publish(std::string_view group, std::span<const uint8_t> message, Qos qos,
                 Completion* completion, uint64_t token) override {
    return groups_.publish(group, message, qos, completion, token);
  }
  Result publish(uint32_t group, std::span<const uint8_t> message, Qos qos, Completion* completion,
                 uint64_t token) override {
    return groups_.publish(group, message, qos, completion, token);
  }
  Result acquire(std::string_view group, uint32_t handler, bool only_if_free) override {
    return groups_.acquire(group, handler, only_if_free);
  }
  Result release(std::string_view group, uint32_t handler, const FencingToken& token,
                 const NodeName* heir) override {
    return groups_.release(group, handler, token, heir);
  }
  Result withdraw(std::string_view group, uint32_t handler) override {
    return groups_.withdraw(group, handler);
  }
  std::optional<FencingToken> holds(std::string_view group, uint32_t handler) const override {
    return groups_.holds(group, handler);
  }
  Result call(std::string_view group, std::span<const uint8_t> message, const CallOptions& options,
              CallHandler* handler, uint64_t token) override {
    return groups_.call(group, message, options, handler, token);
  }
  void cancel(CallHandler& handler, uint64_t token) override { groups_.cancel(handler, token); }
  Result answer(uint64_t ticket, const Content& message) override {
    return groups_.answer(ticket, message);
  }
  Result decline(uint64_t ticket) override { return groups_.decline(ticket); }
  Result keep(uint64_t ticket, const Content& message) override {
    return groups_.keep(ticket, message);
  }

 private:
  dpdk::Groups& groups_;
};

class EndpointCalls final : public Calls {
 public:
  explicit EndpointCalls(dpdk::Caller& caller) : caller_(caller) {}

  Result call(std::string_view group, std::span<const uint8_t> message, const CallOptions& options,
              CallHandler* handler, uint64_t token) override {
    return caller_.call(group, message, options, handler, token);
  }
  void cancel(CallHandler& handler, uint64_t token) override { caller_.cancel(handler, token); }

 private:
  dpdk::Caller& caller_;
};

// What the rack polls for an application.
class Stage final : public rack::Application {
 public:
  Stage(rack::Endpoint& endpoint, std::unique_ptr<Polled> application)
      : Application(endpoint), application_(std::move(application)) {}

 private:
  uint32_t tick(uint64_t now_ns) override { return application_->tick(now_ns); }

  const std::unique_ptr<Polled> application_;
};

struct Core {
  explicit Core(std::unique_ptr<rack::Runtime> opened) : runtime(std::move(opened)) {
    make_groups();
  }

  void make_groups() {
    endpoints.clear();
    rack::Rack& rack = runtime->rack();
    for (size_t i = 0; i < rack.size(); ++i) {
      Endpoint& each = endpoints.emplace_back();
      if (dpdk::Groups* const named = rack.endpoint(i).named_groups()) {
        each.groups = std::make_unique<EndpointGroups>(*named);
      } else {
        each.calls = std::make_unique<EndpointCalls>(*rack.endpoint(i).caller());
      }
    }
  }
  void check(size_t endpoint) const {
    if (endpoint < endpoints.size()) return;
    throw std::out_of_range("there is no endpoint " + std::to_string(endpoint) +
                            ": the configuration has " + std::to_string(endpoints.size()) +
                            ", counted from 0");
  }

  // With membership the one, without the other. Applications, in runtime, refer to them.
  struct Endpoint {
    std::unique_ptr<EndpointGroups> groups;
    std::unique_ptr<EndpointCalls> calls;
  };
  std::vector<Endpoint> endpoints;
  std::unique_ptr<rack::Runtime> runtime;
};

}  // namespace embed

Polled::~Polled() = default;
Application::~Application() = default;
Client::~Client() = default;

uint32_t Polled::tick(uint64_t) { return 0; }

Runtime::Runtime(std::unique_ptr<embed::Core> core) : core_(std::move(core)) {}
Runtime::~Runtime() = default;

std::unique_ptr<Runtime> Runtime::open(const std::string& config_file, const std::string& program,
                                       std::string& problem,
                                       const std::vector<std::string>& eal_arguments,
                                       Membership membership) {
  auto opened =
      rack::Runtime::open(config_file, program, eal_arguments, membership == Membership::kAll);
  if (!opened) {
    problem = opened.error().message;
    return nullptr;
  }
  return std::unique_ptr<Runtime>(new Runtime(std::make_unique<embed::Core>(std::move(*opened))));
}

size_t Runtime::endpoints() const { return core_->endpoints.size(); }

Groups& Runtime::groups(size_t endpoint) {
  core_->check(endpoint);
  const auto& groups = core_->endpoints[endpoint].groups;
  if (groups != nullptr) return *groups;
  throw std::invalid_argument(
      "endpoint " + core_->runtime->rack().endpoint(endpoint).config().name +
      " takes part in no groups: enabled = true in its [endpoint.membership] lets it");
}

Calls& Runtime::calls(size_t endpoint) {
  core_->check(endpoint);
  const auto& calls = core_->endpoints[endpoint].calls;
  return calls != nullptr ? static_cast<Calls&>(*calls) : groups(endpoint);
}

void Runtime::attach(size_t endpoint, std::unique_ptr<Polled> application) {
  rack::Rack& rack = core_->runtime->rack();
  if (rack.running()) throw std::logic_error("an application is added before start()");
  rack.set_application(
      endpoint, std::make_unique<embed::Stage>(rack.endpoint(endpoint), std::move(application)));
}

bool Runtime::start(std::string& problem) {
  const auto started = core_->runtime->start();
  if (!started) problem = started.error().message;
  return started.has_value();
}

void Runtime::stop() { core_->runtime->stop(); }

bool Runtime::begin_again(std::string& problem) {
  const auto begun = core_->runtime->begin_again();
  if (!begun) {
    problem = begun.error().message;
    return false;
  }
  core_->make_groups();
  return true;
}

void Runtime::call(size_t endpoint, const std::function<void()>& task) {
  core_->check(endpoint);
  core_->runtime->call(endpoint, task);
}

const std::string& Runtime::notes() const { return core_->runtime->notes(); }
bool Runtime::stop_came() const { return core_->runtime->stop_signal().came(); }
bool Runtime::wait_ms(uint64_t milliseconds) {
  return core_->runtime->stop_signal().wait_ms(milliseconds);
}
bool Runtime::wait_input_ms(int fd, uint64_t milliseconds) {
  return core_->runtime->stop_signal().wait_input_ms(fd, milliseconds);
}

}  // namespace lambdacast
