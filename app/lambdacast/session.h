// SPDX-License-Identifier: BSD-3-Clause
// From the start of the data path until it is time to end: the live table, the console, the clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "black_box.h"
#include "console/console.h"
#include "console/dispatcher.h"
#include "console/live_config.h"
#include "console/show.h"
#include "console/terminal.h"
#include "control.h"
#include "control_socket.h"
#include "links.h"
#include "network.h"
#include "options.h"
#include "outputs.h"
#include "rack/capture.h"
#include "rack/packet_tracer.h"
#include "rack/rack_account.h"
#include "service_watch.h"

namespace lambdacast::appliance {

class Session {
 public:
  // What lambdacast does beside its endpoints. `socket` may be null.
  struct Surroundings {
    const Options& options;
    dpdk::StopSignal& stop;
    Outputs& outputs;
    ControlSocket* socket;
    BlackBox& black_box;
    BlackBoxSignals& signals;
  };
  // All of them outlive it.
  Session(const telemetry::Source& source, std::vector<Traffic*> applications,
          rack::Capture& capture, const Surroundings& around);
  ~Session();

  // Until a signal, `quit`, or for that time; until a port is lost, until an endpoint gives way to
  // another one with its address, and with --rejoin until an endpoint is excluded.
  void run(std::optional<double> run_for_s);
  // Says once that the disk has taken no more of the capture.
  void watch_capture();
  // Tells the service manager that the end has begun.
  void stopping() { service_.stopping(); }
  // Says what happened to receivers and to what was for us, since it was last asked.
  void watch_events();
  // Times that an endpoint was excluded from its view.
  [[nodiscard]] uint64_t exclusions() const { return exclusions_; }
  [[nodiscard]] const std::optional<LostPort>& lost_port() const { return links_.lost(); }
  // Why an endpoint has given way to another one; empty: none has.
  [[nodiscard]] const std::string& gave_way() const { return gave_way_; }
  // The process goes on with another incarnation: with --rejoin, or behind a port that may return.
  [[nodiscard]] bool starts_over() const {
    if (stop_.came() || drains() || !gave_way_.empty()) return false;
    return lost_port() ? lost_port()->may_return() : options_.rejoin && exclusions_ != 0;
  }

 private:
  [[nodiscard]] bool over() const {
    return stop_.came() || drains() || (options_.rejoin && exclusions_ != 0) ||
           lost_port().has_value() || !gave_way_.empty();
  }
  [[nodiscard]] bool drains() const { return socket_ != nullptr && socket_->drains(); }
  [[nodiscard]] std::vector<console::Command> commands();
  void open_console();
  void wait_ms(uint64_t milliseconds, bool takes_input);
  void take_input();
  void wait_s(double seconds);  // of a command
  // The table of --stats-period, if it is time for one.
  void watch_table();
  void show_table();
  void watch_network();
  void watch_black_box(uint64_t now_ns);
  [[nodiscard]] uint64_t period_ns() const {
    return static_cast<uint64_t>(options_.stats_period_s * 1e9);
  }
  void print(std::string_view text);
  // What no command asked for: on the console, and an event a line for the control socket.
  void tell(const std::string& kind, const std::string& endpoint, const std::string& text);

  const telemetry::Source source_;
  rack::Rack& rack_;
  rack::Capture& capture_;
  bool capture_failed_ = false;
  uint64_t exclusions_ = 0;
  std::string gave_way_;
  const Options& options_;
  dpdk::StopSignal& stop_;
  Outputs& outputs_;
  ControlSocket* const socket_;
  BlackBox& black_box_;
  BlackBoxSignals& signals_;
  uint64_t next_figures_ns_ = 0;  // of the black box
  NetworkWatch network_;
  ServiceWatch service_;
  Links links_;
  const std::vector<Traffic*> applications_;
  rack::RackAccount before_;    // of the last table
  uint64_t next_table_ns_ = 0;  // ~0: there are none
  size_t table_lines_ = 0;      // to print over, on a terminal
  Control control_;
  console::LiveConfig live_;
  rack::PacketTracer tracer_;
  console::Show show_;
  console::Dispatcher dispatcher_;
  std::optional<console::RawTerminal> terminal_;
  std::optional<console::Console> console_;
};

}  // namespace lambdacast::appliance
