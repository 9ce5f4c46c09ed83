// SPDX-License-Identifier: BSD-3-Clause
// The options of lambdacast behind `--`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lambdacast::appliance {

struct Options {
  std::string config_file;
  bool check_config = false;
  bool check_host = false;
  bool hugepages = true;  // if enough of them are free
  bool list_fabrics = false;
  bool remove_stale = false;        // fabrics; lists them as well
  std::optional<double> run_for_s;  // nothing: until a signal
  double stats_period_s = 0;        // 0: no table until the end
  std::string capture_file;         // empty: no capture
  std::string capture_endpoint;     // empty: all
  uint32_t capture_snap_bytes = 0;  // 0: whole frames
  bool rejoin = false;              // excluded from its view it starts over
  bool interactive = false;
  std::string command_file;          // "": none
  std::string control_socket;        // "": the default place; "none": there is none
  std::string control_owner;         // "": the process's
  std::string control_group;         // "": the process's
  std::string black_box;             // "": beside the control socket; "none": there is none
  std::vector<std::string> resolve;  // addresses of peers to be found
};

// The options, or the exit code of a program that has printed its help or what is wrong.
[[nodiscard]] std::variant<Options, int> parse_options(const std::vector<std::string>& arguments);

}  // namespace lambdacast::appliance
