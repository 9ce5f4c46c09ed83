// SPDX-License-Identifier: BSD-3-Clause
// The settings, from the environment, because a preloaded library has no command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/roce/gid.h"

namespace lambdacast::verbs {

struct Settings {
  std::string fabric;                // LAMBDACAST_FABRIC
  std::string config_file;           // LAMBDACAST_CONFIG: a real port, in place of a fabric
  std::string endpoint;              // LAMBDACAST_ENDPOINT, of that file; empty: its only one
  std::string wavelength;            // LAMBDACAST_WAVELENGTH, "C34"; empty: the first free one
  std::optional<wire::Gid> address;  // LAMBDACAST_ADDRESS, IPv4; by default of the wavelength
  uint64_t rate_bps = 0;             // LAMBDACAST_RATE; 0: unpaced
  uint64_t rate_pps = 0;             // LAMBDACAST_PACKET_RATE; 0: unpaced
  bool own_rate = false;             // LAMBDACAST_PACKET_RATE says it, and no file does
  std::vector<uint16_t> pkeys;       // LAMBDACAST_PKEYS; 1 to kMaxPkeys
  bool own_pkeys = false;            // LAMBDACAST_PKEYS says them, and no file does
  std::string stats_file;            // LAMBDACAST_VERBS_STATS; empty: none
  // The geometry of a fabric that this process makes; one that is there keeps its own.
  // LAMBDACAST_WAVELENGTHS, LAMBDACAST_SLOTS.
  std::optional<uint32_t> wavelengths;
  std::optional<uint32_t> slots;

  // There is no device without a fabric or a port.
  [[nodiscard]] bool wants_device() const { return !fabric.empty() || !config_file.empty(); }
};

inline constexpr size_t kMaxPkeys = 16;
inline constexpr uint64_t kDefaultRateBps = 25'000'000'000;
// The rate that a receiver on a processor of its own keeps up with: perftest sends datagrams
// without credits, and waits for ever for one that was lost.
inline constexpr uint64_t kDefaultRatePps = 1'000'000;

// `get` is getenv or a test's. Errors name the variable, its value and what is allowed.
using Environment = const char* (*)(const char* name);
[[nodiscard]] base::Result<Settings> read_settings(Environment get);

// "10G", "500M", "0", or bits a second.
[[nodiscard]] std::optional<uint64_t> parse_rate(const std::string& text);

}  // namespace lambdacast::verbs
