// SPDX-License-Identifier: BSD-3-Clause
// What every benchmark does: EAL and a rack of its configuration, applications on its nodes, phases
// of measuring, and the report. Errors have been told on standard error when they are returned.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "../../command_line.h"
#include "../../plot.h"
#include "dpdk/eal.h"
#include "dpdk/stop_signal.h"
#include "figures.h"
#include "options.h"
#include "rack/rack.h"
#include "rack_plan.h"

namespace lambdacast::bench {

// One sentence on standard error; returns the code.
app::ExitCode complain(const std::string& sentence, app::ExitCode code);

// What nodes have published and delivered, all together, at one moment.
struct Traffic {
  uint64_t published = 0;
  uint64_t delivered = 0;
  uint64_t now_ns = 0;
};

// A measurement that warmed up: what was seen at its begin and at its end.
template <typename Look>
struct Measured {
  Look begin;
  Look end;
};

class Session {
 public:
  // Not started yet. On an error the code is the program's.
  [[nodiscard]] static tl::expected<std::unique_ptr<Session>, app::ExitCode> open(
      const app::CommandLine& line, Planned config, const Output& output,
      const rack::Endpoint::Options& options = {});

  [[nodiscard]] rack::Rack& rack() { return *rack_; }
  [[nodiscard]] dpdk::StopSignal& signal() { return stop_; }
  [[nodiscard]] bool stopped() const { return stop_.came(); }  // by a signal
  [[nodiscard]] uint64_t now_ns() const { return rack_->clock().now_ns(); }
  // Of the window pace: half a ring of the embedded fabric. Real ports: half their descriptors.
  [[nodiscard]] uint64_t window() const;

  // The application of a node, made of its endpoint and `arguments`. Before start().
  template <typename A, typename... Arguments>
  A* add(uint32_t node, Arguments&&... arguments) {
    auto made = std::make_unique<A>(rack_->endpoint(node), std::forward<Arguments>(arguments)...);
    A* application = made.get();
    rack_->set_application(node, std::move(made));
    return application;
  }
  [[nodiscard]] bool start();
  // Ends the rack, with its applications; or puts another in its place, not started, of the same
  // configuration or of another one.
  void close_rack() { rack_.reset(); }
  [[nodiscard]] bool begin_again() { return make_rack(); }
  [[nodiscard]] bool begin_again(Planned config);

  // On the ordering lcore of a node, between two polls.
  void on(uint32_t node, const std::function<void()>& order);
  // The stages of these nodes, each on one lcore, are polled no more, or again; each lcore hands
  // the order on without this thread. Returns when the first node's are. Not empty.
  uint64_t hold(std::span<const uint32_t> nodes, bool held);
  void pause_s(double seconds) { stop_.wait_ms(static_cast<uint64_t>(seconds * 1e3)); }
  // False: it did not come to be in that time, or a signal came.
  template <typename Condition>
  [[nodiscard]] bool await(uint64_t patience_ms, Condition&& condition) {
    for (uint64_t ms = 0; ms < patience_ms && !stop_.came(); ++ms) {
      if (condition()) return true;
      stop_.wait_ms(1);
    }
    return false;
  }
  // Until so many receivers hold a place in the stream of a sender; or all, of all senders.
  [[nodiscard]] bool await_receivers(uint32_t sender, size_t receivers);
  [[nodiscard]] bool await_all_receivers();
  [[nodiscard]] bool await_view();  // of all nodes

  // Warms up, then measures: `look` at either end.
  template <typename Look>
  auto measure(double warm_up_s, double seconds, Look&& look) -> Measured<decltype(look())> {
    pause_s(warm_up_s);
    auto begin = look();
    pause_s(seconds);
    return {std::move(begin), look()};
  }
  // Waits until everything published since `start` has come in so many copies, or nothing more has
  // for half a second; for three seconds at a level that repairs, where everything may wait for one
  // packet that a full receiver drops again and again. Returns the traffic since then.
  [[nodiscard]] Traffic drain(const Traffic& start, uint32_t copies, wire::Qos level,
                              const std::function<Traffic()>& look);

 private:
  Session() = default;
  [[nodiscard]] bool make_rack();

  config::Config config_;
  rack::Endpoint::Options options_;
  dpdk::StopSignal stop_;
  std::unique_ptr<dpdk::Eal> eal_;
  std::unique_ptr<rack::Rack> rack_;  // gone before EAL
};

template <typename Application>
Traffic traffic_of(const std::vector<Application*>& applications, uint64_t now_ns) {
  Traffic traffic{0, 0, now_ns};
  for (const Application* application : applications) {
    traffic.published += application->published();
    traffic.delivered += application->delivered();
  }
  return traffic;
}
[[nodiscard]] inline double seconds_between(uint64_t from_ns, uint64_t to_ns) {
  return to_ns > from_ns ? static_cast<double>(to_ns - from_ns) / 1e9 : 0;
}

// Further files of a report: an empty name is none.
struct HistogramFile {
  std::string file;
  std::string text;
};
// Writes the text to standard output, or to standard error if JSON goes there, and the files. The
// exit code: kExitFailed of what is not sound.
[[nodiscard]] app::ExitCode tell(const Readings& readings, bool sound, const Output& output,
                                 const std::vector<HistogramFile>& histograms = {},
                                 const app::Plot& plot = {});

}  // namespace lambdacast::bench
