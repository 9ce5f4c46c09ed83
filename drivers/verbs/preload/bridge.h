// SPDX-License-Identifier: BSD-3-Clause
// A real port below the device. The front end knows one medium, an embedded fabric; where a
// configuration file names a port, a bridge joins a fabric of this process alone with that port.
// It is in a library of its own (drivers/verbs/bridge), which is loaded when it is wanted, so that
// this one needs no DPDK.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "wire/roce/gid.h"

namespace lambdacast::verbs {

// Wavelengths of the fabric between both.
inline constexpr uint32_t kDeviceWavelength = 0;
inline constexpr uint32_t kOutsideWavelength = 1;

struct BridgeOrder {
  std::string config_file;
  std::string endpoint;  // whose port; empty: the file has one only
  std::string fabric;    // that is there
};

// The identity of the device on the network outside.
struct BridgeFacts {
  wire::MacAddress mac;
  wire::Gid gid;  // IPv4 (v4-mapped) or IPv6
  uint32_t path_mtu = 0;
  uint16_t pkey = 0;
  uint64_t rate_pps = 0;  // 0: not said
};

// Calls may come from several threads.
class Bridge {
 public:
  virtual ~Bridge() = default;  // leaves the groups, closes the port
  [[nodiscard]] virtual const BridgeFacts& facts() const = 0;
  // Carries what there is, both ways. The bridge does so by itself too, every millisecond, and each
  // 4 ms in a silence: nobody else answers for the device's address while the program makes no
  // calls.
  virtual void pump() = 0;
  // The groups to be heard from now on, in place of those before.
  virtual void listen(std::span<const wire::Gid> groups) = 0;
};

// Does the file name a port that there can be a bridge to? The error is for people, a line for each
// problem of the file. Starts nothing.
[[nodiscard]] base::Result<void> check_bridge(const BridgeOrder& order);
// Starts DPDK, the first time.
[[nodiscard]] base::Result<std::unique_ptr<Bridge>> open_bridge(const BridgeOrder& order);
// DPDK is being started by this thread: its drivers ask for verbs devices and get none.
[[nodiscard]] bool opening_bridge();

// The functions that the library exports, under the names below. They return false or null on an
// error, which `error` describes.
using CheckBridge = bool (*)(const BridgeOrder& order, std::string& error);
using OpenBridge = Bridge* (*)(const BridgeOrder& order, std::string& error);
inline constexpr const char* kBridgeLibrary = "liblambdacast-verbs-bridge.so";
inline constexpr const char* kCheckBridge = "lambdacast_check_bridge";
inline constexpr const char* kOpenBridge = "lambdacast_open_bridge";

}  // namespace lambdacast::verbs
