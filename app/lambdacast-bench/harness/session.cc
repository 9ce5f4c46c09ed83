// SPDX-License-Identifier: BSD-3-Clause
#include "session.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/plain_text.h"
#include "rack/incarnation.h"

namespace lambdacast::bench {
namespace {

constexpr uint64_t kPatienceMs = 10'000;
constexpr uint64_t kQuietMs = 500;
constexpr uint64_t kRepairedQuietMs = 3'000;

bool write_file(const std::string& text, const std::string& file) {
  if (file.empty()) return true;
  if (file == "-") {
    std::fputs(text.c_str(), stdout);
    return true;
  }
  std::ofstream out(file);
  out << text;
  if (out.flush()) return true;
  (void)complain("cannot write " + file, app::kExitEnvironment);
  return false;
}

}  // namespace

app::ExitCode complain(const std::string& sentence, app::ExitCode code) {
  std::fprintf(stderr, "lambdacast-bench: %s\n", base::shown_lines(sentence).c_str());
  return code;
}

tl::expected<std::unique_ptr<Session>, app::ExitCode> Session::open(
    const app::CommandLine& line, Planned config, const Output& output,
    const rack::Endpoint::Options& options) {
  if (!config) {
    std::fputs(config.error().c_str(), stderr);
    return tl::unexpected(app::kExitUsage);
  }
  if (const std::string missing = output.plot.empty() ? "" : app::gnuplot_missing();
      !missing.empty())
    return tl::unexpected(complain(missing, app::kExitEnvironment));
  std::unique_ptr<Session> session(new Session);
  session->config_ = std::move(*config);
  session->options_ = options;
  const auto arguments = dpdk::eal_arguments(session->config_, line.eal, dpdk::Machine::this_one());
  if (!arguments.note.empty()) (void)complain(arguments.note, app::kExitOk);
  auto eal = dpdk::Eal::start(line.program, arguments);
  if (!eal) return tl::unexpected(complain(eal.error().message, app::kExitEnvironment));
  session->eal_ = std::move(*eal);
  if (!session->make_rack()) return tl::unexpected(app::kExitEnvironment);
  return session;
}

bool Session::begin_again(Planned config) {
  if (!config) {
    std::fputs(config.error().c_str(), stderr);
    return false;
  }
  config_ = std::move(*config);
  return make_rack();
}

bool Session::make_rack() {
  options_.incarnation = rack::incarnation_now();
  auto rack = rack::Rack::create(config_, options_);
  if (rack)
    rack_ = std::move(*rack);
  else
    (void)complain(rack.error().message, app::kExitEnvironment);
  return rack.has_value();
}

uint64_t Session::window() const {
  if (config_.fabric) return config_.fabric->slots / 2;
  const auto least = std::min_element(
      config_.endpoints.begin(), config_.endpoints.end(),
      [](const auto& a, const auto& b) { return a.rx_descriptors < b.rx_descriptors; });
  return least->rx_descriptors / 2;
}

bool Session::start() {
  const auto started = rack_->start();
  if (!started) (void)complain(started.error().message, app::kExitEnvironment);
  return started.has_value();
}

void Session::on(uint32_t node, const std::function<void()>& order) {
  rack_->loop(rack_->endpoint(node).config().stages.ordering).run_here(order);
}

// Where lcores are busy on every core, this thread may wait for a scheduler tick, some
// milliseconds, behind each order that it waits for. So an lcore that holds its nodes tells the
// next one.
uint64_t Session::hold(std::span<const uint32_t> nodes, bool held) {
  const auto loop_of = [&](uint32_t node) -> dpdk::LcoreLoop& {
    return rack_->loop(rack_->endpoint(node).config().stages.ordering);
  };
  dpdk::LcoreLoop& loop = loop_of(nodes.front());
  uint64_t at_ns = 0;
  loop.run_here([&] {
    std::vector<uint32_t> elsewhere;
    for (const uint32_t node : nodes) {
      if (&loop_of(node) == &loop) {
        loop.hold(rack_->endpoint(node).config().name, held);
      } else {
        elsewhere.push_back(node);
      }
    }
    at_ns = now_ns();
    if (!elsewhere.empty()) (void)hold(elsewhere, held);
  });
  return at_ns;
}

bool Session::await_receivers(uint32_t sender, size_t receivers) {
  rack::Endpoint& endpoint = rack_->endpoint(sender);
  if (await(kPatienceMs, [&] { return endpoint.receivers() >= receivers; })) return true;
  (void)complain("endpoint " + endpoint.config().name + " has " +
                     std::to_string(endpoint.receivers()) + " of " + std::to_string(receivers) +
                     " receivers after 10 s",
                 app::kExitEnvironment);
  return false;
}

bool Session::await_all_receivers() {
  for (uint32_t node = 0; node < rack_->size(); ++node) {
    if (!await_receivers(node, rack_->size() - 1)) return false;
  }
  return true;
}

bool Session::await_view() {
  const auto complete = [this] {
    for (size_t node = 0; node < rack_->size(); ++node) {
      if (rack_->endpoint(node).view_members() != rack_->size()) return false;
    }
    return true;
  };
  if (await(kPatienceMs, complete)) return true;
  (void)complain("no view of all nodes after 10 s", app::kExitEnvironment);
  return false;
}

Traffic Session::drain(const Traffic& start, uint32_t copies, wire::Qos level,
                       const std::function<Traffic()>& look) {
  const uint64_t most_quiet_ms = level == wire::Qos::kUnreliable ? kQuietMs : kRepairedQuietMs;
  Traffic now = look();
  const auto since = [&] {
    return Traffic{now.published - start.published, now.delivered - start.delivered, now.now_ns};
  };
  for (uint64_t ms = 0, quiet_ms = 0; ms < kPatienceMs && quiet_ms < most_quiet_ms; ++ms) {
    stop_.wait_ms(1);
    const uint64_t last = now.delivered;
    now = look();
    if (since().delivered == since().published * copies || stop_.came()) break;
    quiet_ms = now.delivered == last ? quiet_ms + 1 : 0;
  }
  return since();
}

app::ExitCode tell(const Readings& readings, bool sound, const Output& output,
                   const std::vector<HistogramFile>& histograms, const app::Plot& plot) {
  std::fputs(text_of(readings).c_str(), output.json == "-" ? stderr : stdout);
  bool written = write_file(json_of(readings), output.json);
  for (const HistogramFile& each : histograms)
    written = written && write_file(each.text, each.file);
  if (!written) return app::kExitEnvironment;
  if (!output.plot.empty()) {
    const std::string wrong = app::draw(plot, output.plot);
    if (!wrong.empty()) return complain(wrong, app::kExitEnvironment);
  }
  return sound ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::bench
