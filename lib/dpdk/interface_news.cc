// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/interface_news.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lambdacast::dpdk {
namespace {

constexpr size_t aligned(size_t bytes) { return (bytes + 3) & ~size_t{3}; }

template <typename T>
T load(std::span<const uint8_t> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::string name_in(std::span<const uint8_t> attributes) {
  while (attributes.size() >= sizeof(rtattr)) {
    const auto attribute = load<rtattr>(attributes);
    if (attribute.rta_len < sizeof attribute || attribute.rta_len > attributes.size()) break;
    if (attribute.rta_type == IFLA_IFNAME) {
      const auto value = attributes.subspan(sizeof attribute, attribute.rta_len - sizeof attribute);
      const auto* text = reinterpret_cast<const char*>(value.data());
      return {text, ::strnlen(text, value.size())};
    }
    attributes = attributes.subspan(std::min(aligned(attribute.rta_len), attributes.size()));
  }
  return {};
}

}  // namespace

std::vector<InterfaceNews> interface_news(std::span<const uint8_t> bytes) {
  std::vector<InterfaceNews> news;
  while (bytes.size() >= sizeof(nlmsghdr)) {
    const auto header = load<nlmsghdr>(bytes);
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > bytes.size()) break;
    const auto body = bytes.subspan(sizeof header, header.nlmsg_len - sizeof header);
    const bool link = header.nlmsg_type == RTM_NEWLINK || header.nlmsg_type == RTM_DELLINK;
    if (link && body.size() >= sizeof(ifinfomsg)) {
      const auto info = load<ifinfomsg>(body);
      // A bridge tells of its ports under a family of its own: one that leaves it is not gone.
      if (info.ifi_family == AF_UNSPEC) {
        const bool gone = header.nlmsg_type == RTM_DELLINK;
        const bool up = (info.ifi_flags & IFF_UP) != 0 && (info.ifi_flags & IFF_RUNNING) != 0;
        news.push_back({static_cast<uint32_t>(info.ifi_index), name_in(body.subspan(sizeof info)),
                        gone, !gone && up});
      }
    }
    bytes = bytes.subspan(std::min(aligned(header.nlmsg_len), bytes.size()));
  }
  return news;
}

InterfaceMonitor::InterfaceMonitor()
    : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)) {
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK;
  if (socket_ < 0 ||
      ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return;
  }
  ::close(socket_);
  socket_ = -1;
}

InterfaceMonitor::~InterfaceMonitor() {
  if (socket_ >= 0) ::close(socket_);
}

std::vector<InterfaceNews> InterfaceMonitor::take(bool& lost) {
  constexpr size_t kLongest = 32768;  // of one message: what the kernel makes at most
  std::vector<InterfaceNews> all;
  std::vector<uint8_t> buffer(kLongest);
  lost = socket_ < 0;
  while (socket_ >= 0) {
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == ENOBUFS) {
      lost = true;
      continue;
    }
    if (got <= 0) break;
    const auto more = interface_news({buffer.data(), static_cast<size_t>(got)});
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace lambdacast::dpdk
