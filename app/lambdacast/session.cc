// SPDX-License-Identifier: BSD-3-Clause
#include "session.h"

#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/plain_text.h"
#include "console/capture.h"
#include "console/fault.h"
#include "console/json.h"
#include "console/log_level.h"
#include "console/plan.h"
#include "console/rate.h"
#include "console/show_config.h"
#include "console/show_graph.h"
#include "console/trace.h"
#include "console/trace_packets.h"
#include "console/traffic.h"
#include "events.h"
#include "report.h"
#include "telemetry/subject.h"

namespace lambdacast::appliance {
namespace {

constexpr char kPrompt[] = "lambdacast> ";
// What is heard is shown so soon.
constexpr uint64_t kLookEveryMs = 100;
// The age of a crash's figures at most.
constexpr uint64_t kFiguresEveryNs = 5'000'000'000;
constexpr const char* kOfCrashes[] = {"endpoint", "port_stats",  "drops", "stages",
                                      "lcores",   "reliability", "peers", "view"};

std::string figures_of(const telemetry::Source& source) {
  std::string text;
  for (const char* name : kOfCrashes) {
    const telemetry::Subject* subject = telemetry::find_subject(name);
    if (subject == nullptr) continue;
    const telemetry::Snapshot snapshot = telemetry::take_snapshot(source, subject->needs);
    text += console::json_of(name, subject->table(snapshot)) + "\n";
  }
  return text;
}

std::string time_now() { return fmt::format("{:%FT%TZ} ", fmt::gmtime(std::time(nullptr))); }

}  // namespace

Session::Session(const telemetry::Source& source, std::vector<Traffic*> applications,
                 rack::Capture& capture, const Surroundings& around)
    : source_(source),
      rack_(source.rack),
      capture_(capture),
      options_(around.options),
      stop_(around.stop),
      outputs_(around.outputs),
      socket_(around.socket),
      black_box_(around.black_box),
      signals_(around.signals),
      network_(source.rack, options_.resolve),
      service_(source.rack),
      links_(source.rack),
      applications_(std::move(applications)),
      before_(account_of(source.rack)),
      control_(source.rack, applications_),
      live_(control_, source.config),
      tracer_(source.rack),
      show_(source),
      dispatcher_(commands()) {
  if (socket_ != nullptr) socket_->attach(&dispatcher_, "");
}

Session::~Session() {
  if (socket_ != nullptr) socket_->attach(nullptr, "No endpoint runs.");
}

void Session::run(std::optional<double> run_for_s) {
  const uint64_t start_ns = rack_.clock().now_ns();
  const uint64_t end_ns =
      run_for_s ? start_ns + static_cast<uint64_t>(*run_for_s * 1e9) : ~uint64_t{0};
  next_table_ns_ = options_.stats_period_s > 0 ? start_ns + period_ns() : ~uint64_t{0};
  open_console();
  while (!over() && !(console_ && console_->quits())) {
    const uint64_t now_ns = rack_.clock().now_ns();
    if (now_ns >= end_ns) return;
    service_.look(now_ns);
    watch_black_box(now_ns);
    watch_table();
    watch_capture();
    watch_network();
    watch_events();
    const uint64_t until_ns = std::min(end_ns, next_table_ns_) - now_ns;
    const uint64_t look_ms = network_.busy() ? 20 : kLookEveryMs;
    wait_ms(std::min(until_ns / 1'000'000 + 1, look_ms), options_.interactive);
  }
}

// A period that has passed while a command kept the session busy has no table: each one tells the
// rates since the one before.
void Session::watch_table() {
  const uint64_t now_ns = rack_.clock().now_ns();
  if (now_ns < next_table_ns_) return;
  next_table_ns_ += ((now_ns - next_table_ns_) / period_ns() + 1) * period_ns();
  show_table();
}

void Session::watch_capture() {
  const std::string error = capture_.status().error;
  if (error.empty() || std::exchange(capture_failed_, true)) return;
  outputs_.complain(error);
}

void Session::watch_black_box(uint64_t now_ns) {
  const bool asked = signals_.asked();
  if (!asked && now_ns < next_figures_ns_) return;
  next_figures_ns_ = now_ns + kFiguresEveryNs;
  if (black_box_.path().empty() && !asked) return;
  black_box_.keep_figures(figures_of(source_));
  if (!asked) return;
  if (const auto wrote = black_box_.write(); !wrote)
    return outputs_.complain(wrote.error().message);
  tell("black box", "", "black box " + base::shown(black_box_.path()) + " written\n");
}

void Session::watch_network() {
  NetworkWatch::News news = network_.look();
  news.out += links_.look();
  if (!news.out.empty()) tell("network", "", news.out);
  if (!news.complaints.empty()) {
    outputs_.err.print("lambdacast: " + base::shown_lines(news.complaints));
  }
}

void Session::watch_events() {
  const Events events = take_events(rack_, applications_);
  exclusions_ += events.exclusions;
  if (gave_way_.empty()) gave_way_ = events.gave_way;
  for (const News& each : events.news) tell(each.kind, each.endpoint, each.line);
}

std::vector<console::Command> Session::commands() {
  std::vector<console::Command> commands = show_.commands();
  const console::Files files = {
      [this](const std::string& path) { return dispatcher_.client().read(path); },
      [this](const std::string& path, const std::string& text) {
        return dispatcher_.client().write(path, text);
      }};
  for (auto& more :
       {console::show_config_commands(live_.config()), console::show_graph_commands(source_),
        console::traffic_commands(live_, source_.config),
        console::fault_commands(live_, source_.config), console::rate_commands(live_),
        console::plan_commands(live_, files), console::log_commands(),
        console::capture_commands(capture_, rack_, source_.config),
        console::trace_commands(source_),
        console::trace_packets_commands(tracer_, source_.config)}) {
    commands.insert(commands.end(), more.begin(), more.end());
  }
  return commands;
}

void Session::open_console() {
  if (!options_.interactive && options_.command_file.empty()) return;
  console_.emplace(
      dispatcher_, kPrompt, [this](std::string_view text) { print(text); },
      [this](double seconds) { wait_s(seconds); });
  if (!options_.command_file.empty()) {
    if (auto ran = console_->run_file(options_.command_file); !ran) {
      outputs_.complain(ran.error().message);
    }
  }
  if (!options_.interactive || console_->quits()) return;
  terminal_.emplace(STDIN_FILENO);
  console_->open(terminal_->is_terminal());
}

void Session::take_input() {
  char input[4096];
  const ssize_t got = ::read(STDIN_FILENO, input, sizeof input);
  console_->feed({input, static_cast<size_t>(std::max<ssize_t>(got, 0))});
}

void Session::wait_ms(uint64_t milliseconds, bool takes_input) {
  const bool more = socket_ != nullptr && socket_->serve();
  const int inputs[] = {takes_input ? STDIN_FILENO : -1, socket_ != nullptr ? socket_->fd() : -1};
  bool ready[2] = {};
  stop_.wait_inputs_ms(inputs, ready, more ? 0 : milliseconds);
  if (ready[0]) take_input();
  if (const std::string heard = control_.heard(); !heard.empty()) tell("heard", "", heard);
}

void Session::wait_s(double seconds) {
  const uint64_t end_ns = rack_.clock().now_ns() + static_cast<uint64_t>(seconds * 1e9);
  while (!over()) {
    const uint64_t now_ns = rack_.clock().now_ns();
    if (now_ns >= end_ns) return;
    service_.look(now_ns);
    watch_black_box(now_ns);
    watch_table();
    watch_capture();
    watch_network();
    watch_events();
    wait_ms(std::min((end_ns - now_ns) / 1'000'000 + 1, kLookEveryMs), false);
  }
}

void Session::print(std::string_view text) { outputs_.out.print(text); }

void Session::tell(const std::string& kind, const std::string& endpoint, const std::string& text) {
  console_ ? console_->interject(text) : print(text);
  if (!text.empty()) black_box_.note(time_now() + text);
  if (socket_ == nullptr) return;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    socket_->publish(kind, endpoint, text.substr(at, end - at));
    at = end + 1;
  }
}

// Prints over the last table if a person watches, and nothing else is written.
void Session::show_table() {
  rack::RackAccount now = account_of(rack_);
  const std::string text = table(rack_, before_, now);
  before_ = std::move(now);
  if (console_) return console_->interject(text);
  if (::isatty(STDOUT_FILENO) != 0 && table_lines_ != 0) {
    print("\x1b[" + std::to_string(table_lines_) + "A\x1b[J");
  }
  print(text);
  table_lines_ = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace lambdacast::appliance
