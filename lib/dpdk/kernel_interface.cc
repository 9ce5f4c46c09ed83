// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/kernel_interface.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>

namespace lambdacast::dpdk {
namespace {

std::optional<wire::Gid> gid_of(const sockaddr* address) {
  if (address == nullptr) return std::nullopt;
  if (address->sa_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    return wire::gid_from_ipv4(ntohl(in.sin_addr.s_addr));
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 in6;
  std::memcpy(&in6, address, sizeof in6);
  wire::Gid gid;
  std::memcpy(gid.bytes.data(), in6.sin6_addr.s6_addr, gid.bytes.size());
  return gid;
}

}  // namespace

std::optional<KernelInterface> kernel_interface(uint32_t index) {
  ifreq request{};
  if (index == 0 || ::if_indextoname(index, request.ifr_name) == nullptr) return std::nullopt;
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return std::nullopt;
  KernelInterface interface;
  interface.name = request.ifr_name;
  bool known = ::ioctl(socket, SIOCGIFMTU, &request) == 0;
  interface.mtu = static_cast<uint32_t>(request.ifr_mtu);
  known = known && ::ioctl(socket, SIOCGIFFLAGS, &request) == 0;
  interface.up = (request.ifr_flags & IFF_UP) != 0 && (request.ifr_flags & IFF_RUNNING) != 0;
  ::close(socket);
  return known ? std::optional(interface) : std::nullopt;
}

std::optional<std::string> kernel_owner_of(const wire::Gid& gid) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, &::freeifaddrs);
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (gid_of(each->ifa_addr) == gid) return each->ifa_name;
  }
  return std::nullopt;
}

}  // namespace lambdacast::dpdk
