// SPDX-License-Identifier: BSD-3-Clause
// Messages to a service manager (sd_notify(3), systemd.service(5): Type=notify): readiness, a line
// of status, signs of life, and the end. Without NOTIFY_SOCKET in the environment none is sent.
//
// Never waits: a manager that does not read misses the message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lambdacast::appliance {

class ServiceNotify {
 public:
  // Reads NOTIFY_SOCKET and, if it names this process, WATCHDOG_USEC.
  ServiceNotify();
  ~ServiceNotify();
  ServiceNotify(const ServiceNotify&) = delete;
  ServiceNotify& operator=(const ServiceNotify&) = delete;

  [[nodiscard]] bool listens() const { return socket_ >= 0; }
  // Half of the time after which the manager takes this process for dead. Nothing if the manager
  // does not watch it.
  [[nodiscard]] std::optional<uint64_t> watchdog_period_ns() const { return watchdog_period_ns_; }

  void ready() { send("READY=1"); }
  void status(std::string_view line) { send("STATUS=" + std::string(line)); }
  void alive() { send("WATCHDOG=1"); }
  void stopping() { send("STOPPING=1"); }

 private:
  void send(const std::string& message) const;

  int socket_ = -1;
  std::string address_;
  std::optional<uint64_t> watchdog_period_ns_;
};

}  // namespace lambdacast::appliance
