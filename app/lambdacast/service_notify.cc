// SPDX-License-Identifier: BSD-3-Clause
#include "service_notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace lambdacast::appliance {
namespace {

std::optional<uint64_t> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  uint64_t value = 0;
  const char* const end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

}  // namespace

ServiceNotify::ServiceNotify() {
  const char* const address = std::getenv("NOTIFY_SOCKET");
  // A path, or a name of the abstract kind.
  if (address == nullptr || (address[0] != '/' && address[0] != '@')) return;
  if (std::strlen(address) >= sizeof(sockaddr_un::sun_path)) return;
  address_ = address;
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto pid = number_in("WATCHDOG_PID");
  if (pid && *pid != static_cast<uint64_t>(::getpid())) return;
  if (const auto watchdog_us = number_in("WATCHDOG_USEC"); watchdog_us && *watchdog_us != 0)
    watchdog_period_ns_ = *watchdog_us * 1000 / 2;
}

ServiceNotify::~ServiceNotify() {
  if (socket_ >= 0) ::close(socket_);
}

void ServiceNotify::send(const std::string& message) const {
  if (socket_ < 0) return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::copy(address_.begin(), address_.end(), to.sun_path);
  if (address_[0] == '@') to.sun_path[0] = '\0';
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  (void)::sendto(socket_, message.data(), message.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&to), bytes);
}

}  // namespace lambdacast::appliance
