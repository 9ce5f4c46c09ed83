// From the start of the data path until it is time to end: the live table, the console, the clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "console/console.h"
#include "console/terminal.h"
#include "dataplane/capture.h"
#include "dataplane/rack_account.h"
#include "network.h"
#include "options.h"

namespace lambdacast::app {

class Session {
 public:
  // All of them outlive it.
  Session(dataplane::Rack& rack, dataplane::Capture& capture, const Options& options,
          dataplane::StopSignal& stop);

  // Until a signal, --run-for's time, or `quit`.
  void run();
  // Says once that the disk has taken no more of the capture.
  void watch_capture();

 private:
  void open_console();
  void wait(uint64_t milliseconds);  // and takes what is typed
  void show_table();
  void watch_network();
  void print(std::string_view text);

  dataplane::Rack& rack_;
  dataplane::Capture& capture_;
  bool capture_failed_ = false;
  const Options& options_;
  dataplane::StopSignal& stop_;
  NetworkWatch network_;
  dataplane::RackAccount before_;  // of the last table
  size_t table_lines_ = 0;         // to print over, on a terminal
  std::optional<console::RawTerminal> terminal_;
  std::optional<console::Console> console_;
};

}  // namespace lambdacast::app
